"""Span F1 as `conlleval` computes it.

A tag is `O`, or a prefix and a type, `B-NP`. A span begins at a B, at a tag of another type, or at
an I after O: the evaluation of the CoNLL-2000 shared task accepts any sequence. E, the last token
of a span, and S, a single one, are accepted too; L and U are their other names. A tag of any other
form, as in part-of-speech tagging, is a span of its own, so that F1 is token accuracy.

References
    E. Tjong Kim Sang, S. Buchholz. Introduction to the CoNLL-2000 shared task: chunking. 2000.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.tagger import Tagger

PREFIXES, ALIASES = frozenset("BIESO"), {"L": "E", "U": "S"}

Span = tuple[str, int, int]  # type, first token, one past the last


class SpanCounts(NamedTuple):
    """Gold spans, predicted spans, and those that are both."""

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The fraction of predicted spans that are correct."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The fraction of gold spans that are predicted."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2.0 * self.precision * self.recall / total if total else 0.0

    def record(self) -> dict[str, float]:
        """F1, precision, recall and the number of gold spans, for JSON."""
        scores = {"f1": self.f1, "precision": self.precision, "recall": self.recall}
        return {**scores, "chunks": self.gold}


class Evaluation(NamedTuple):
    """Counts over all spans and by type; token accuracy."""

    overall: SpanCounts
    types: dict[str, SpanCounts]
    accuracy: float

    def record(self) -> dict[str, Any]:
        """All scores, for JSON."""
        types = {name: counts.record() for name, counts in self.types.items()}
        return {**self.overall.record(), "accuracy": self.accuracy, "types": types}


def evaluate_spans(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Evaluation:
    """Evaluate sentences given as pairs of gold and predicted tags."""
    gold, predicted, correct = Counter[str](), Counter[str](), Counter[str]()
    tokens = equal = 0
    for gold_tags, predicted_tags in pairs:
        gold_spans, predicted_spans = set(spans(gold_tags)), set(spans(predicted_tags))
        gold.update(kind for kind, _, _ in gold_spans)
        predicted.update(kind for kind, _, _ in predicted_spans)
        correct.update(kind for kind, _, _ in gold_spans & predicted_spans)
        tokens += len(gold_tags)
        equal += sum(a == b for a, b in zip(gold_tags, predicted_tags, strict=True))
    kinds = sorted(gold | predicted)
    types = {kind: SpanCounts(gold[kind], predicted[kind], correct[kind]) for kind in kinds}
    overall = SpanCounts(gold.total(), predicted.total(), correct.total())
    return Evaluation(overall, types, equal / tokens if tokens else 0.0)


def evaluate_tagger(tagger: Tagger, sentences: Sequence[Sentence]) -> Evaluation:
    """Evaluate a tagger on labelled sentences."""
    predicted = tagger.tag([sentence.columns[:-1] for sentence in sentences])
    return evaluate_spans(zip((sentence.labels for sentence in sentences), predicted, strict=True))


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of a sequence of tags."""
    result: list[Span] = []
    begin, (prefix, kind) = 0, ("O", "")
    for position, text in enumerate([*tags, "O"]):
        next_prefix, next_kind = _parse(text)
        # A span ends or begins between two tags where one of them says so, or types differ.
        boundary = prefix in "ESO" or next_prefix in "BSO" or kind != next_kind
        if boundary and prefix != "O":
            result.append((kind, begin, position))
        if boundary and next_prefix != "O":
            begin = position
        prefix, kind = next_prefix, next_kind
    return result


def _parse(text: str) -> tuple[str, str]:
    """The prefix of a tag, by its usual name, and its type."""
    prefix, _, kind = text.partition("-")
    prefix = ALIASES.get(prefix, prefix)
    return (prefix, kind) if prefix in PREFIXES else ("S", text)
