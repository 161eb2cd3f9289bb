"""A tagger: attributes of columns and dense features of words, and the chain field over both."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.crf import ChainField, Sentences, fit
from wordrbm.tasks.tagging.dense import around, units
from wordrbm.tasks.tagging.tuned import Labelled, Tuning, tune

Texts = Sequence[Sequence[str]]
Tell = Callable[[int, float], None]
Columns = tuple[tuple[str, ...], ...]  # of a sentence, without its labels


class Representation(NamedTuple):
    """What is known of words beside themselves: vectors, hidden units of a model, or neither."""

    vectors: Vectors | None = None
    model: TrainedModel | None = None
    scale: float = 0.1  # the standard deviation of a vector's numbers
    hidden_scale: float = 1.0  # what hidden means are multiplied with
    tuning: Tuning | None = None  # how the model's units learn with the tagger, if they do

    def dense(self, words: Sequence[Sequence[str]]) -> Float32[np.ndarray, "T F"]:
        """The features of every token, sentence after sentence."""
        parts = [np.zeros((sum(map(len, words)), 0), np.float32)]
        if self.vectors is not None:
            parts.append(around(words, self.vectors, self.scale))
        if self.model is not None:
            parts.append(np.float32(self.hidden_scale) * units(words, self.model))
        return np.concatenate(parts, axis=1)


class Learnt(NamedTuple):
    """Sentences to learn from as numbers: what every tagger over them shares."""

    attributes: Index
    labels: tuple[str, ...]
    sparse: Sentences  # without dense features
    label: Int32[np.ndarray, " T"]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> "Learnt":
        """Number attributes and labels."""
        given = [sentence.columns[:-1] for sentence in sentences]
        index, labels = Index.of(given), sorted({x for one in sentences for x in one.labels})
        number = {name: k for k, name in enumerate(labels)}
        label = np.array([number[x] for one in sentences for x in one.labels], np.int32)
        return cls(index, tuple(labels), packed(given, index), label)


class Tagger(NamedTuple):
    """A chain field, what its rows stand for, and the representation it was fitted with."""

    attributes: Index
    labels: tuple[str, ...]
    field: ChainField
    representation: Representation

    def tag(self, sentences: Sequence[Columns]) -> list[list[str]]:
        """The likeliest labels of sentences that are given without any."""
        dense = self.representation.dense([columns[0] for columns in sentences])
        found = self.field.labels(packed(sentences, self.attributes)._replace(dense=dense))
        ends = np.cumsum([len(columns[0]) for columns in sentences])[:-1]
        return [[self.labels[k] for k in part.tolist()] for part in np.split(found, ends)]


def packed(sentences: Sequence[Columns], index: Index) -> Sentences:
    """The attributes of sentences, and no dense features."""
    attributes, first = index.numbers(sentences)
    ends = np.cumsum([len(columns[0]) for columns in sentences])
    return Sentences(attributes, first, np.zeros((len(first) - 1, 0), np.float32), ends)


def train_tagger(
    learnt: Learnt, words: Iterable[Sequence[str]], representation: Representation, c2: float,
    tell: Tell = lambda step, value: None,
) -> Tagger:  # fmt: skip
    """Fit a chain field to sentences; `words` are theirs."""
    own = list(words)
    if representation.tuning is None:
        field = _fitted(learnt, own, representation, c2, tell)
    else:
        field, representation = _tuned(learnt, own, representation, c2, tell)
    if not all(np.isfinite(x).all() for x in field.parts()):
        raise WordRBMError(
            f"A tagger with c2 = {c2:g} was lost to numbers too large; use a larger penalty or "
            "smaller scales."
        )
    return Tagger(learnt.attributes, learnt.labels, field, representation)


def _fitted(
    learnt: Learnt, words: Texts, representation: Representation, c2: float, tell: Tell
) -> ChainField:
    sentences = learnt.sparse._replace(dense=representation.dense(words))
    sizes = len(learnt.attributes), len(learnt.labels)
    return fit(sentences, learnt.label, sizes, c2, tell=tell)


def _tuned(
    learnt: Learnt, words: Texts, representation: Representation, c2: float, tell: Tell
) -> tuple[ChainField, Representation]:
    """A chain field, and the representation with the units that have learnt with it."""
    model, tuning = representation.model, representation.tuning
    assert model is not None
    assert tuning is not None
    sentences = learnt.sparse._replace(dense=representation._replace(model=None).dense(words))
    given = Labelled(sentences, learnt.label, len(learnt.labels))
    field, found = tune(given, words, model, tuning, c2, representation.hidden_scale, tell)
    return field, representation._replace(model=found)
