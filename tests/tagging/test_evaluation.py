"""Span F1 against two other programs, on well-formed and on ill-formed tag sequences."""

import random

import pytest

from wordrbm.tagging.evaluation import evaluate_spans, spans

VALID = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]
INVALID = [*VALID, "B-PP", "I-PP", "E-NP", "S-NP", "S-VP", "E-VP"]


def test_spans():
    tags = ["B-NP", "I-NP", "B-NP", "O", "I-VP", "I-NP", "S-PP", "B-A-B", "I-A-B"]
    assert spans(tags) == [
        ("NP", 0, 2), ("NP", 2, 3), ("VP", 4, 5), ("NP", 5, 6), ("PP", 6, 7), ("A-B", 7, 9),
    ]  # fmt: skip
    assert spans([]) == spans(["O", "O"]) == []


def sentences(tags, seed, count=60):
    rng = random.Random(seed)
    for _ in range(count):
        gold = rng.choices(tags, k=rng.randint(1, 12))
        predicted = [tag if rng.random() < 0.7 else rng.choice(tags) for tag in gold]
        yield gold, predicted


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tags", [VALID, INVALID], ids=["valid", "invalid"])
def test_counts_are_those_of_conlleval(tags, seed):
    conlleval = pytest.importorskip("conlleval")
    pairs = list(sentences(tags, seed))
    lines = []
    for gold, predicted in pairs:
        lines += [f"w {a} {b}" for a, b in zip(gold, predicted, strict=True)] + [""]
    theirs, ours = conlleval.evaluate(lines), evaluate_spans(pairs)
    for counts, expected in [
        (ours.overall, theirs["overall"]["chunks"]),
        *((ours.types[name], theirs["slots"]["chunks"][name]) for name in ours.types),
    ]:
        stats = expected["stats"]
        assert counts == (stats["gold"], stats["pred"], stats["correct"])
        assert counts.f1 == pytest.approx(expected["evals"]["f1"])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("tags", [VALID, INVALID], ids=["valid", "invalid"])
def test_scores_are_those_of_seqeval(tags, seed):
    seqeval = pytest.importorskip("seqeval.metrics")
    gold, predicted = zip(*sentences(tags, seed), strict=True)
    result = evaluate_spans(zip(gold, predicted, strict=True))
    assert result.overall.f1 == pytest.approx(seqeval.f1_score(list(gold), list(predicted)))
    assert result.accuracy == pytest.approx(seqeval.accuracy_score(list(gold), list(predicted)))


def test_no_gold_or_no_predicted_spans():
    assert evaluate_spans([(["O"], ["O"])]).overall.f1 == 0.0
    assert evaluate_spans([]).accuracy == 0.0
    only = evaluate_spans([(["B-X", "O"], ["O", "O"])])
    assert (only.overall.recall, only.overall.precision, only.accuracy) == (0.0, 0.0, 0.5)


def test_tags_without_prefix_are_counted_token_by_token():
    result = evaluate_spans([(["NN", "NN", "VB", "-LRB-"], ["NN", "VB", "VB", "-LRB-"])])
    assert result.overall == (4, 4, 3)
    assert result.overall.f1 == result.accuracy == 0.75
    assert result.types["NN"] == (2, 1, 1)


def test_bilou_names_of_last_and_single_tokens():
    assert spans(["B-X", "I-X", "L-X", "U-X", "U-X"]) == [("X", 0, 3), ("X", 3, 4), ("X", 4, 5)]
