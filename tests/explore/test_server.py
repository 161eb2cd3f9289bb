"""Every question by HTTP: answers equal the library's, bad input is one sentence, never a 5xx."""

import json
import socket
import time
from dataclasses import replace
from urllib.parse import urlsplit

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.explore.conftest import served
from wordrbm.explore import samples, texts
from wordrbm.explore.server import QUESTIONS, REPORTS, Question, build_app
from wordrbm.explore.texts import FillRequest
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.features import EncodedSentences, FeatureConfig
from wordrbm.tagging.tagger import train_tagger


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


def test_the_labels_of_an_iobes_tagger_are_those_of_its_data(session):
    sentence = Sentence((("a", "b", "c"), ("B-X", "I-X", "B-Y")))
    encoded = EncodedSentences.build([sentence] * 3)
    tagger = train_tagger(encoded, FeatureConfig(iobes=True), 0.01)
    assert tagger.features.iobes
    app = build_app(replace(session, tagger=tagger))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/api/info").json()["tagger"]["labels"] == ["B-X", "B-Y", "I-X"]
        answer = ask(client, "tag", text="a b c")
    assert answer["labels"] == ["B-X", "B-Y", "I-X"]
    (tokens,) = answer["sentences"]
    assert [token["label"] for token in tokens] == ["B-X", "I-X", "B-Y"]
    for token in tokens:
        assert sum(token["p"]) == pytest.approx(1.0)
        assert answer["labels"][int(np.argmax(token["p"]))] == token["label"]


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


def test_reports_answer_all(client):
    started = time.monotonic()
    assert all(client.get(f"/api/{name}").status_code == 200 for name in REPORTS)
    assert time.monotonic() - started < 20


def test_a_page_opens_while_another_question_is_computed(client, session):
    started = time.monotonic()
    with session.exclusive():
        for address in ("/", "/api/info", "/api/words", "/api/map", "/static/main.js"):
            assert client.get(address).status_code == 200
        assert client.post("/api/neighbours", json={"word": "monday"}).status_code == 200
    assert time.monotonic() - started < 15


def test_blanks_next_to_each_other_are_limited_by_the_vocabulary(client, session, monkeypatch):
    monkeypatch.setattr(texts, "MAX_COST", 10 * len(session.model.vocabulary))
    assert ask(client, "fill", text="the ___ sees gold on ___ night")["blanks"]
    body = json.dumps({"text": "the ___ ___ ___ ___ sees"})
    sentence = refused(client, "fill", body, headers={"content-type": "application/json"})[1]
    assert sentence.startswith("4 blanks stand next to each other")
    assert "leave at most 3" in sentence


def test_quick_questions_do_not_wait_for_slow_ones(session):
    """Thirty slow questions in a row, and one of another kind beside them."""
    with served(session) as address:
        place = urlsplit(address)
        with session.exclusive():
            waiting = [socket.create_connection((place.hostname, place.port)) for _ in range(30)]
            for connection in waiting:
                connection.sendall(post_bytes(place.netloc, {"text": "the ___ sees"}))
            time.sleep(0.3)
            with socket.create_connection((place.hostname, place.port)) as quick:
                quick.settimeout(15)
                quick.sendall(f"GET /api/info HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
                assert quick.recv(20).startswith(b"HTTP/1.1 200")
            for connection in waiting:
                connection.close()


def test_chains_end_in_time(client, monkeypatch):
    monkeypatch.setattr(samples, "SECONDS", 0.0)
    response = client.post("/api/samples", json={"sweeps": 5000, "every": 1})
    assert response.status_code == 200
    assert len(response.text.splitlines()) <= 1


def test_a_question_that_nobody_waits_for_is_not_computed(session, monkeypatch):
    """A person who presses Enter ten times does not keep another one waiting for ten answers."""
    computed = []
    question = Question(FillRequest, lambda _, request: computed.append(request.text))
    monkeypatch.setitem(QUESTIONS, "fill", question)
    with served(session) as address:
        place = urlsplit(address)
        with session.exclusive():
            left, stays = (socket.create_connection((place.hostname, place.port)) for _ in range(2))
            for connection, text in ((left, "left"), (stays, "stays")):
                connection.sendall(post_bytes(place.netloc, {"text": text}))
            time.sleep(0.5)
            left.close()
            time.sleep(0.5)
        stays.settimeout(20)
        assert stays.recv(20).startswith(b"HTTP/1.1 200")
        stays.close()
    assert computed == ["stays"]


def post_bytes(host, body):
    """A request as it goes over the wire."""
    content = json.dumps(body)
    return (
        f"POST /api/fill HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n{content}"
    ).encode()
