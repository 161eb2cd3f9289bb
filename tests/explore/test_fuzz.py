"""Requests of any kind and size: an answer, or one sentence; never a server error."""

import json
import random

import pytest
from starlette.testclient import TestClient

from wordrbm.explore.server import QUESTIONS, build_app

HOSTILE = ["<script>window.hacked=1</script>", '"><img src=x onerror=hacked()>', "\u0000", "٣"]
JSON_TYPE = {"content-type": "application/json"}
WORD = "x" * 300
HUGE = [
    ("score", {"text": "a " * 500}), ("score", {"text": "x" * 5000}),
    ("score", {"text": "x" * 70_000}), ("fill", {"text": "the ___ " * 60}),
    ("fill", {"tokens": [None] * 99}), ("fill", {"tokens": ["the"] * 101}),
    ("fill", {"text": "the ___ sees", "count": 10**9}), ("fill", {"tokens": [WORD, None, "the"]}),
    ("neighbours", {"word": WORD}), ("neighbours", {"word": "the", "count": 10**300}),
    ("unit", {"unit": 10**6}), ("unit", {"unit": 10**40}),
    ("energy", {"window": ["the"] * 60, "changed": ["the"] * 60}),
    ("energy", {"window": ["the"] * 3, "changed": ["the"] * 4}),
    ("mixing", {"window": ["the"] * 40}), ("mixing", {"window": [WORD] * 3}),
    ("samples", {"count": 10**6}), ("samples", {"sweeps": 10**9}),
    ("classify", {"text": "word " * 5000}), ("tag", {"text": "the DT\n" * 5000}),
]  # fmt: skip


@pytest.fixture(scope="module")
def client(full_session):
    with TestClient(build_app(full_session), base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize(("name", "body"), HUGE)
def test_what_is_too_large_is_one_sentence(client, name, body):
    response = client.post(f"/api/{name}", json=body)
    assert response.status_code in (400, 413)
    sentence = response.json()["error"]
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert 20 < len(sentence) < 400


def any_value(choose):
    """A value of any type, sound or not."""
    return choose.choice([
        lambda: None, lambda: choose.randint(-5, 30), lambda: 10 ** choose.randint(1, 400),
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
