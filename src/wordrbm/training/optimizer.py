"""Turning gradients into new parameters, in place, touching only the rows that are named.

Tables with a row per word (``D``, ``b``, or ``W`` and ``b``) take the sum over the batch, so a word
learns each time it is read; small dense parameters (``U``, ``c``) take the mean, with momentum
[Dahl 2012, section 6.1]. The l2 penalty shrinks dense weights every update, and a row of a table
whenever a gradient names it: the penalty of a word is proportional to how often it is used, and
costs nothing for the other K.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wordrbm.kernels.rows import add_rows
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array

PENALISED = frozenset({"W", "U", "D"})  # weights; biases are left free

Velocity = dict[str, Array]


class Rates(NamedTuple):
    """How far one update goes."""

    word: float  # tables with a row per word, per window
    hidden: float  # dense parameters, per batch
    momentum: float
    l2: float


def ascend(
    model: AbstractRBM, gradients: Sequence[Gradient], velocity: Velocity, rates: Rates, B: int
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
            table = model.table(name)
            as_table = table.dtype.type
            add_rows(table, rows.index, rows.values, as_table(rates.word), as_table(shrink))
