"""Turning gradients into new parameters, in place, touching only the rows that are named.

Tables with a row per word (``D``, ``b``, or ``W`` and ``b``) take the sum over the batch, so a word
learns each time it is read. Two things keep words from running ahead of the chains (`RowSteps`):
a row expected to be read m times in a batch takes steps of ``rate / (1 + m)^0.75``; and a row named
far more often than expected, because the chains have flooded to it, moves as if it had been
named only `FLOOD` times as often as expected. Small dense parameters (``U``, ``c``) take the mean,
with momentum [Dahl 2012, section 6.1]. The l2 penalty shrinks dense weights every update, and a row
of a table whenever a gradient names it: it costs nothing for the other K.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.rows import add_rows, clear_rows, count_rows
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array, Probability

PENALISED = frozenset({"W", "U", "D"})  # weights; biases are left free
DAMPING = -0.75  # at -0.5 small vocabularies diverge, at -1 long runs swing more
FLOOD = 4.0  # namings beyond this many times the expected number, and one, do not count

Velocity = dict[str, Array]


class Rates(NamedTuple):
    """How far one update goes."""

    word: float  # tables with a row per word, per window
    hidden: float  # dense parameters, per batch
    momentum: float
    l2: float


@final
@dataclass(frozen=True, eq=False)
class RowSteps:
    """How far each row of a table may go in one update. Made once; an update reads named rows."""

    damping: Float[np.ndarray, " R"]
    most: Float[np.ndarray, " R"]  # namings in one update that still count
    named: Int[np.ndarray, " R"]  # scratch: all zero between updates

    @classmethod
    def expecting(cls, model: AbstractRBM, q: Probability, B: int, M: int) -> "RowSteps":
        """For batches of B windows and M chains of words that come with probability q."""
        shelves = model.word_table.shape[0]  # tables of their own per position
        read = np.tile(B * (model.positions / shelves) * q, shelves)
        most = FLOOD * (1.0 + read * (1.0 + M / B))
        damping = (1.0 + read) ** DAMPING
        dtype = model.c.dtype
        return cls(damping.astype(dtype), most.astype(dtype), np.zeros(len(read), np.int32))

    def scales(self, numbers: Sequence[Int[np.ndarray, " N"]]) -> list[Float[np.ndarray, " N"]]:
        """The factor of every naming in these lists, which together make one update."""
        for number in numbers:
            count_rows(number, self.named)
        scales = [
            self.damping[number] * np.minimum(1.0, self.most[number] / self.named[number])
            for number in numbers
        ]
        for number in numbers:
            clear_rows(number, self.named)
        return [scale.astype(self.damping.dtype) for scale in scales]


def ascend(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    velocity: Velocity,
    rates: Rates,
    row_steps: RowSteps,
    B: int,
) -> None:
    """Climb the log-likelihood by one step; shards are summed in their order."""
    for name in velocity:
        _ascend_dense(model, name, gradients, velocity[name], rates, B)
    # A model's tables are all named by the same rows: those of the words of its windows.
    named = [next(iter(gradient.rows.values())).number for gradient in gradients if gradient.rows]
    for gradient, scale in zip(gradients, row_steps.scales(named), strict=False):
        _ascend_rows(model, gradient, scale, rates)


def _ascend_dense(
    model: AbstractRBM,
    name: str,
    gradients: Sequence[Gradient],
    speed: Array,
    rates: Rates,
    B: int,
) -> None:
    parameter = model.parameters()[name]
    total = sum((gradient.dense[name] for gradient in gradients[1:]), gradients[0].dense[name])
    total = total / B
    if name in PENALISED:
        total -= rates.l2 * parameter
    speed *= rates.momentum
    speed += rates.hidden * total
    parameter += speed


def _ascend_rows(
    model: AbstractRBM, gradient: Gradient, scale: Float[np.ndarray, " N"], rates: Rates
) -> None:
    number = model.c.dtype.type  # keeps the compiled arithmetic in the model's precision
    for name, rows in gradient.rows.items():
        shrink = number(rates.word * rates.l2 if name in PENALISED else 0.0)
        add_rows(model.table(name), *rows, scale, number(rates.word), shrink)
