"""Turning gradients into new parameters, in place, touching only the rows that are named.

Tables with a row per word (``D``, ``b``, or ``W`` and ``b``) take the sum over the batch, so a word
learns each time it is read; but a word expected m times in a batch takes steps of
``rate / sqrt(1 + m)``, or frequent words would run ahead of the chains. Small dense parameters
(``U``, ``c``) take the mean, with momentum [Dahl 2012, section 6.1]. The l2 penalty shrinks dense
weights every update, and a row of a table whenever a gradient names it: the penalty of a word is
proportional to how often it is used, and costs nothing for the other K.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wordrbm.kernels.rows import add_rows
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array, Probability

PENALISED = frozenset({"W", "U", "D"})  # weights; biases are left free

Velocity = dict[str, Array]


class Rates(NamedTuple):
    """How far one update goes."""

    word: float  # tables with a row per word, per window
    hidden: float  # dense parameters, per batch
    momentum: float
    l2: float


def row_damping(model: AbstractRBM, q: Probability, B: int) -> Probability:
    """``1 / sqrt(1 + m)`` for every row of a table; a batch of B is expected to name it m times."""
    shelves = model.word_table.shape[0]  # tables of their own per position
    expected = B * (model.positions / shelves) * q
    return np.tile(1.0 / np.sqrt(1.0 + expected), shelves).astype(model.c.dtype)


def ascend(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    velocity: Velocity,
    rates: Rates,
    damping: Probability,
    B: int,
) -> None:
    """Climb the log-likelihood by one step; shards are summed in their order."""
    for name, speed in velocity.items():
        parameter = model.parameters()[name]
        total = sum((gradient.dense[name] for gradient in gradients[1:]), gradients[0].dense[name])
        total = total / B
        if name in PENALISED:
            total -= rates.l2 * parameter
        speed *= rates.momentum
        speed += rates.hidden * total
        parameter += speed
    for gradient in gradients:
        for name, rows in gradient.rows.items():
            shrink = rates.word * rates.l2 if name in PENALISED else 0.0
            number = model.c.dtype.type  # keeps the compiled arithmetic in the model's precision
            table = model.table(name)
            add_rows(table, *rows, damping, number(rates.word), number(shrink))
