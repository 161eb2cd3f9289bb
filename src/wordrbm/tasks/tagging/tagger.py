"""A tagger: attributes of columns and dense features of words, and the chain field over both."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.crf import ChainField, Sentences, fit
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.together import together
from wordrbm.tasks.tagging.tuned import Labelled, tune

Texts = Sequence[Sequence[str]]
Tell = Callable[[int, float], None]
Columns = tuple[tuple[str, ...], ...]  # of a sentence, without its labels


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
    """Fit a chain field to sentences, or several that decide together; `words` are theirs."""
    own, number = list(words), count(1)

    def told(step: int, value: float) -> None:
        tell(next(number), value)

    found = [_one(learnt, own, part, c2, told) for part in representation.parts]
    field, kind = found[0]
    if representation.members:
        field = together([one for one, _ in found])
        kind = representation._replace(members=tuple(part for _, part in found))
    return Tagger(learnt.attributes, learnt.labels, field, kind)


def _one(
    learnt: Learnt, words: Texts, kind: Representation, c2: float, tell: Tell
) -> tuple[ChainField, Representation]:
    """A chain field, and the representation with what has been learnt of it."""
    field, kind = (_fitted if kind.tuning is None else _tuned)(learnt, words, kind, c2, tell)
    units = () if kind.model is None else (kind.model.rbm.U, kind.model.rbm.c)
    if not all(np.isfinite(x).all() for x in (*field.parts(), *units)):
        raise WordRBMError(
            f"A tagger with c2 = {c2:g} was lost to numbers too large; use a larger penalty or "
            "smaller scales."
        )
    return field, kind


def _fitted(
    learnt: Learnt, words: Texts, kind: Representation, c2: float, tell: Tell
) -> tuple[ChainField, Representation]:
    sentences = learnt.sparse._replace(dense=kind.dense(words))
    sizes = len(learnt.attributes), len(learnt.labels)
    return fit(sentences, learnt.label, sizes, c2, tell=tell), kind


def _tuned(
    learnt: Learnt, words: Texts, kind: Representation, c2: float, tell: Tell
) -> tuple[ChainField, Representation]:
    model, tuning = kind.model, kind.tuning
    assert model is not None
    assert tuning is not None
    sentences = learnt.sparse._replace(dense=kind._replace(model=None).dense(words))
    given = Labelled(sentences, learnt.label, (len(learnt.attributes), len(learnt.labels)))
    field, found = tune(given, words, model, tuning, c2, kind.hidden_scale, tell)
    return field, kind._replace(model=found)
