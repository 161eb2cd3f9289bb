"""Hidden units that learn with the tagger: begun as a model has them, they go where labels lead.

    minimised, a sentence at a time:  -log P(y | x; W, V, A, U, c) + the penalty of W, V and A

The word vectors D stay as they are; so words that the labelled sentences do not hold are read by
the same units. Some passes over the sentences, in a new order each, with rates that fall from
pass to pass, see `kernels/tuning.py`. What comes out are a chain field and a model of the same
kind.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.artifacts import TrainedModel
from wordrbm.kernels.tuning import Learner, Read, Steps, learn
from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.shapes import Array, Words
from wordrbm.tasks.tagging.crf import ChainField, Sentences
from wordrbm.tasks.tagging.dense import tokens
from wordrbm.using.precise import one_blas_thread
from wordrbm.using.windows import windows_of

PARTS = 15  # of a pass, between which a stop is heard


class Tuning(NamedTuple):
    """How units learn: passes, the first rates of weights and of units, the order of sentences."""

    passes: int = 10
    rate: float = 0.3
    unit_rate: float = 0.2
    seed: int = 0


class Labelled(NamedTuple):
    """Sentences without hidden units, their labels, and how many attributes and labels exist."""

    sentences: Sentences
    label: Int32[np.ndarray, " T"]
    sizes: tuple[int, int]


class Tuned(NamedTuple):
    """What was learnt together."""

    field: ChainField
    model: TrainedModel


def tune(
    given: Labelled,
    words: Sequence[Sequence[str]],
    model: TrainedModel,
    tuning: Tuning,
    c2: float,
    hidden_scale: float,
    tell: Callable[[int, float], None] = lambda step, value: None,
) -> Tuned:
    """Fit a chain field over sentences and over the units of a model; `words` are theirs."""
    sentences, label, (R, L) = given
    read = _read(sentences, label, words, model)
    count = np.bincount(sentences.attributes, minlength=R).astype(np.float32)
    now = _beginning(R, sentences.dense.shape[1], L, model)
    squares = Learner(*(np.ones_like(x) for x in now))
    for number, order, left in _orders(len(words), tuning):
        steps = Steps(tuning.rate * left, tuning.unit_rate * left, c2, hidden_scale)
        with one_blas_thread():
            value = learn(order, read, model.rbm.D, count, now, squares, steps)
        tell(number, value)
    return Tuned(_field(now), replace(model, rbm=_units(now, model.rbm)))


def _orders(count: int, tuning: Tuning) -> list[tuple[int, Int64[np.ndarray, " s"], float]]:
    """Every part of every pass: its number, its sentences, and which share of the rates is left."""
    rng = np.random.default_rng(tuning.seed)
    found: list[tuple[int, Int64[np.ndarray, " s"], float]] = []
    for number in range(tuning.passes):
        for part in np.array_split(rng.permutation(count), PARTS):
            found.append((len(found) + 1, part, 1.0 - number / tuning.passes))
    return found


def _read(
    sentences: Sentences, label: Array, words: Sequence[Sequence[str]], model: TrainedModel
) -> Read:
    windows = [_windows(own, model) for own in words]
    return Read(
        sentences.attributes, sentences.first, np.ascontiguousarray(sentences.dense, np.float32),
        label, np.append(0, sentences.ends), np.ascontiguousarray(np.concatenate(windows)),
        np.cumsum([0, *map(len, windows)]),
    )  # fmt: skip


def _windows(words: Sequence[str], model: TrainedModel) -> Words:
    return windows_of(model.vocabulary.ids(tokens(words)), model.rbm.positions)


def _beginning(R: int, F: int, L: int, model: TrainedModel) -> Learner:
    """No weight, and the units of a model."""
    W, V = np.zeros((R, L), np.float32), np.zeros((F + model.rbm.c.size, L), np.float32)
    U, c = (np.array(x, np.float32, order="C") for x in (model.rbm.stacked.T, model.rbm.c))
    return Learner(W, V, np.zeros((L, L)), U, c)


def _field(now: Learner) -> ChainField:
    return ChainField(now.W.astype(np.float64), now.V.astype(np.float64), now.A)


def _units(now: Learner, rbm: WordRepRBM) -> WordRepRBM:
    """The model with the units that have learnt, in the precision that it has."""
    n, H, d = rbm.U.shape
    U = now.U.reshape(n, d, H).transpose(0, 2, 1).astype(rbm.U.dtype)
    return replace(rbm, U=position_inner(U), c=now.c.astype(rbm.c.dtype))
