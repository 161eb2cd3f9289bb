"""Span F1 as `conlleval` computes it, and an analysis of a tagger's errors.

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
MOST_COMMON = 10

Span = tuple[str, int, int]  # type, first token, one past the last
Tag = tuple[str, str]  # prefix, type


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
        both = self.precision + self.recall
        return 2.0 * self.precision * self.recall / both if both else 0.0

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
    begin, previous = 0, ("O", "")
    for position, text in enumerate([*tags, "O"]):
        tag = _parse(text)
        if _ends_span(previous, tag):
            result.append((previous[1], begin, position))
        if _begins_span(previous, tag):
            begin = position
        previous = tag
    return result


def _parse(text: str) -> Tag:
    prefix, _, kind = text.partition("-")
    prefix = ALIASES.get(prefix, prefix)
    return (prefix, kind) if prefix in PREFIXES else ("S", text)


def _ends_span(previous: Tag, tag: Tag) -> bool:
    """Whether a span ends between two adjacent tags."""
    if previous[0] == "O":
        return False
    return previous[0] in ("E", "S") or tag[0] in ("B", "S", "O") or previous[1] != tag[1]


def _begins_span(previous: Tag, tag: Tag) -> bool:
    """Whether a span begins at the second of two adjacent tags."""
    if tag[0] == "O":
        return False
    return tag[0] in ("B", "S") or previous[0] in ("E", "S", "O") or previous[1] != tag[1]


class ErrorAnalysis(NamedTuple):
    """Spans with and without out-of-vocabulary words; the most frequent confusions and words."""

    with_unseen_words: SpanCounts
    of_seen_words: SpanCounts
    confusions: list[tuple[str, str, int]]  # gold label, predicted label, tokens
    words: list[tuple[str, int, int]]  # word, tokens with a wrong label, tokens

    def record(self) -> dict[str, Any]:
        """The analysis, for JSON."""
        return {
            "chunks_with_unseen_words": self.with_unseen_words.record(),
            "chunks_of_seen_words": self.of_seen_words.record(),
            "confused": [list(entry) for entry in self.confusions],
            "words": [list(entry) for entry in self.words],
        }


def analyse_errors(
    train: Sequence[Sentence], test: Sequence[Sentence], predicted: Sequence[Sequence[str]]
) -> ErrorAnalysis:
    """Count errors in the predicted tags of test sentences; words of `train` are in-vocabulary."""
    vocabulary = {word for sentence in train for word in sentence.words}
    counts: list[Counter[str]] = [Counter(), Counter()]
    confusions, wrong, frequency = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for sentence, tags in zip(test, predicted, strict=True):
        _count_spans(counts, sentence, tags, vocabulary)
        for word, label, tag in zip(sentence.words, sentence.labels, tags, strict=True):
            frequency[word] += 1
            if label != tag:
                confusions[label, tag] += 1
                wrong[word] += 1
    unseen, seen = (SpanCounts(*(part[name] for name in SpanCounts._fields)) for part in counts)
    return ErrorAnalysis(
        unseen,
        seen,
        [(*pair, count) for pair, count in confusions.most_common(MOST_COMMON)],
        [(word, count, frequency[word]) for word, count in wrong.most_common(MOST_COMMON)],
    )


def _count_spans(
    counts: list[Counter[str]], sentence: Sentence, tags: Sequence[str], vocabulary: set[str]
) -> None:
    """Add the spans of a sentence, by whether all their words are in the vocabulary."""
    gold, predicted = set(spans(sentence.labels)), set(spans(tags))
    by_name = {"gold": gold, "predicted": predicted, "correct": gold & predicted}
    for name, members in by_name.items():
        for _, begin, end in members:
            counts[vocabulary.issuperset(sentence.words[begin:end])][name] += 1
