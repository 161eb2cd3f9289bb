"""The F1 of chunks against two other programs, on tags as they should be and as they are not."""

import random

import pytest

from wordrbm.tasks.tagging.spans import evaluate, spans

SANE = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]
HOSTILE = [*SANE, "B-PP", "I-PP", "E-NP", "S-NP", "S-VP", "E-VP"]


def test_chunks():
    tags = ["B-NP", "I-NP", "B-NP", "O", "I-VP", "I-NP", "S-PP", "B-A-B", "I-A-B"]
    assert spans(tags) == [
        ("NP", 0, 2), ("NP", 2, 3), ("VP", 4, 5), ("NP", 5, 6), ("PP", 6, 7), ("A-B", 7, 9),
    ]  # fmt: skip
    assert spans([]) == spans(["O", "O"]) == []


def sentences(tags, seed, count=60):
    choose = random.Random(seed)
    for _ in range(count):
        gold = choose.choices(tags, k=choose.randint(1, 12))
        guess = [tag if choose.random() < 0.7 else choose.choice(tags) for tag in gold]
        yield gold, guess


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tags", [SANE, HOSTILE], ids=["sane", "hostile"])
def test_it_is_conllevals(tags, seed):
    conlleval = pytest.importorskip("conlleval")
    pairs = list(sentences(tags, seed))
    lines = []
    for gold, guess in pairs:
        lines += [f"w {a} {b}" for a, b in zip(gold, guess, strict=True)] + [""]
    theirs, ours = conlleval.evaluate(lines), evaluate(pairs)
    for found, expected in [
        (ours.overall, theirs["overall"]["chunks"]),
        *((ours.types[kind], theirs["slots"]["chunks"][kind]) for kind in ours.types),
    ]:
        stats = expected["stats"]
        assert found == (stats["gold"], stats["pred"], stats["correct"])
        assert found.f1 == pytest.approx(expected["evals"]["f1"])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("tags", [SANE, HOSTILE], ids=["sane", "hostile"])
def test_it_is_seqevals(tags, seed):
    seqeval = pytest.importorskip("seqeval.metrics")
    gold, guess = zip(*sentences(tags, seed), strict=True)
    found = evaluate(zip(gold, guess, strict=True))
    assert found.overall.f1 == pytest.approx(seqeval.f1_score(list(gold), list(guess)))
    assert found.accuracy == pytest.approx(seqeval.accuracy_score(list(gold), list(guess)))


def test_nothing_found_and_nothing_there():
    assert evaluate([(["O"], ["O"])]).overall.f1 == 0.0
    assert evaluate([]).accuracy == 0.0
    only = evaluate([(["B-X", "O"], ["O", "O"])])
    assert (only.overall.recall, only.overall.precision, only.accuracy) == (0.0, 0.0, 0.5)


def test_parts_of_speech_are_counted_token_by_token():
    found = evaluate([(["NN", "NN", "VB", "-LRB-"], ["NN", "VB", "VB", "-LRB-"])])
    assert found.overall == (4, 4, 3)
    assert found.overall.f1 == found.accuracy == 0.75
    assert found.types["NN"] == (2, 1, 1)


def test_other_names_of_last_and_single_tokens():
    assert spans(["B-X", "I-X", "L-X", "U-X", "U-X"]) == [("X", 0, 3), ("X", 3, 4), ("X", 4, 5)]
