"""Every question by HTTP: answers equal the library's, bad input is one sentence, never a 5xx."""

import json
import random
import time

import numpy as np
import pytest
from starlette.testclient import TestClient

from wordrbm.explore.server import QUESTIONS, REPORTS, build_app

HOSTILE = ["<script>window.hacked=1</script>", '"><img src=x onerror=hacked()>', "\u0000", "٣"]


@pytest.fixture(scope="module")
def client(session):
    with TestClient(build_app(session), base_url="http://127.0.0.1") as client:
        yield client


def ask(client, name, **body):
    response = client.post(f"/api/{name}", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def refused(client, name, content, **options):
    response = client.post(f"/api/{name}", content=content, **options)
    sentence = response.json()["error"]
    assert 400 <= response.status_code < 500
    assert sentence
    assert "\n" not in sentence
    return response.status_code, sentence


def test_reports(client, session):
    info = client.get("/api/info").json()
    assert info["sizes"]["K"] == len(session.model.vocabulary)
    assert client.get("/api/words").json()["words"][0] == "<unk>"
    assert len(client.get("/api/map").content) == 5 * session.points
    units = client.get("/api/units").json()
    assert len(units["units"]) == session.model.rbm.c.size
    health = client.get("/api/health").json()
    assert health["records"]
    assert len(health["heaviest"]["windows"]) == 10


def test_answers_are_those_of_the_library(client, session):
    model = session.model
    near = ask(client, "neighbours", word="Monday", count=3)["neighbours"]
    assert [(row["word"], row["cosine"]) for row in near] == model.vectors.most_similar("monday", 3)
    text = "the king sees gold on monday"
    scored = ask(client, "score", text=text)
    expected = next(model.score([text], top_words=1)).surprising[0]
    assert scored["words"][expected.position]["nats"] == expected.nats
    filled = ask(client, "fill", text="the ___ sees", count=2)
    assert filled["blanks"][0]["words"] == [
        list(x) for x in model.fill("the ___ sees", 2).blanks[0].words
    ]
    tokens = ask(client, "fill", tokens=["the", None, "sees"], count=2)
    assert tokens["blanks"] == filled["blanks"]
    energy = ask(client, "energy", window=["the", "king", "sees"], changed=["the", "king", "gold"])
    np.testing.assert_allclose(
        energy["total"], model.free_energy(["the king sees", "the king gold"])
    )
    unit = ask(client, "unit", unit=0)
    assert 0 < unit["on_rate"] < 1
    assert len(unit["positions"]) == model.rbm.positions
    mixing = ask(client, "mixing", window=["the", "king", "sees"])
    distance = mixing["positions"][0]["distance"]
    assert distance == sorted(distance, reverse=True)


def test_samples_are_those_of_the_command(client, session):
    body = {"seed": 7, "count": 3, "sweeps": 20, "every": 10}
    frames = [json.loads(x) for x in client.post("/api/samples", json=body).text.splitlines()]
    assert [frame["sweep"] for frame in frames] == [0, 10, 20]
    model = session.model
    assert frames[-1]["windows"] == model.words(model.sample(7, 3, 20))


def test_faults_are_one_sentence(client):
    json_type = {"headers": {"content-type": "application/json"}}
    assert refused(client, "score", b"{", **json_type)[0] == 400
    assert refused(client, "score", b'{"text": 3}', **json_type)[0] == 400
    assert refused(client, "score", b"[" * 50_000, **json_type)[0] == 400
    assert refused(client, "score", b"x" * 70_000, **json_type)[0] == 413
    assert refused(client, "score", b"{}", headers={"content-type": "text/plain"})[0] == 415
    assert "zebra" in refused(client, "neighbours", b'{"word": "zebra"}', **json_type)[1]
    assert "words" in refused(client, "score", json.dumps({"text": "a " * 500}), **json_type)[1]
    assert "classifier" in refused(client, "classify", b'{"text": "a"}', **json_type)[1]
    assert "tagger" in refused(client, "tag", b'{"text": "a"}', **json_type)[1]
    assert client.get("/api/score").status_code == 405
    assert client.get("/nothing").json()["error"].startswith("There is nothing")
    assert client.get("/static/../server.py").status_code == 404


def any_value(choose):
    """A value of any type, sound or not."""
    return choose.choice([
        lambda: None, lambda: choose.randint(-5, 30), lambda: 10**choose.randint(1, 400),
        lambda: choose.random(), lambda: choose.choice(HOSTILE), lambda: "the king sees gold",
        lambda: "the ___ sees ___", lambda: ["the", None, "sees"], lambda: ["the", "king", "sees"],
        lambda: [], lambda: {}, lambda: True, lambda: "x" * choose.randint(0, 9000),
        lambda: [choose.choice(HOSTILE)] * 3, lambda: "monday", lambda: "unigram",
    ])()  # fmt: skip


def fuzz(client, count, seed):
    choose = random.Random(seed)
    for _ in range(count):
        name = choose.choice([*QUESTIONS, "samples"])
        fields = QUESTIONS[name].request.model_fields if name in QUESTIONS else ["seed", "sweeps"]
        body = {field: any_value(choose) for field in fields if choose.random() < 0.9}
        if choose.random() < 0.1:
            body[choose.choice(HOSTILE)] = any_value(choose)
        content = json.dumps(body).encode()
        if choose.random() < 0.1:
            content = content[: choose.randint(0, len(content))]
        response = client.post(
            f"/api/{name}", content=content, headers={"content-type": "application/json"}
        )
        assert response.status_code < 500, (name, body)
        if response.status_code >= 400:
            assert response.json()["error"]


def test_no_request_is_a_server_error(client):
    fuzz(client, 300, seed=1)


@pytest.mark.slow
def test_no_request_of_ten_thousand_is_a_server_error(client):
    fuzz(client, 10_000, seed=2)


def test_reports_answer_all(client):
    started = time.monotonic()
    assert all(client.get(f"/api/{name}").status_code == 200 for name in REPORTS)
    assert time.monotonic() - started < 20
