"""Turning gradients into new parameters, in place, touching only the rows that are named.

Tables with a row per word (``D``, ``b``, or ``W`` and ``b``) take the sum over the batch, so a word
learns each time it is read. Two things keep words from running ahead of the chains (`RowSteps`):
a row expected to be read m times in a batch takes steps of ``rate / (1 + m)^0.75``; and the step of
a row is clipped where the weights of the windows that name it add up to more than `CLIP` times what
is expected: chains have crowded to it, or one candidate outranks many words. Small dense parameters
(``U``, ``c``) take the mean, with momentum [Dahl 2012, section 6.1]. Weight decay shrinks dense
weights every update, and a row of a table by the weights of the windows that name it: it costs
nothing for the other K.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.kernels.rows import (
    add_rows,
    add_scaled,
    all_below,
    clear_rows,
    slow_down,
    weigh_rows,
)
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array, Probability

PENALISED = frozenset({"W", "U", "D"})  # weights; biases are left free
DAMPING = -0.75  # at -0.5 small vocabularies diverge, at -1 long runs swing more
CLIP = 4.0  # weight beyond this many times the expected one, and that of one window, is cut off

LARGEST_WEIGHT = 100.0  # a unit or a word this sure of one number has run away

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
    most: Float[np.ndarray, " R"]  # weight in one update that still counts
    total: Float[np.ndarray, " R"]  # scratch: all zero between updates

    @classmethod
    def expecting(
        cls, model: AbstractRBM, q: Probability, B: int, ranking_weight: float = 0.0
    ) -> "RowSteps":
        """For batches of B windows of words that come with probability q."""
        shelves, K = model.word_bias.shape  # tables of their own per position, or one
        if q.shape != (K,):
            raise WordRBMError(f"Frequencies of {q.shape} words were given for {K:,} words.")
        read = np.tile(B * (model.positions / shelves) * q, shelves)
        most = CLIP * (1.0 + ranking_weight) * (1.0 + 2.0 * read)  # of both phases
        damping = (1.0 + read) ** DAMPING
        dtype = model.c.dtype
        return cls(damping.astype(dtype), most.astype(dtype), np.zeros(len(read), dtype))


def ascend(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    velocity: Velocity,
    rates: Rates,
    row_steps: RowSteps,
    B: int,
    parts: int = 1,
    part: int = 0,
) -> bool:
    """Climb the log-likelihood by one step; shards are summed in their order.

    The parts may run at once, each on its own share of the numbers: all of them make one step.
    Says whether the dense numbers of this part are still sane.
    """
    _ascend_rows(model, gradients, rates, row_steps, part, parts)
    sane = [
        _ascend_dense(model, name, gradients, velocity[name], rates, B, part, parts)
        for name in velocity
    ]
    return all(sane)


def _ascend_dense(
    model: AbstractRBM,
    name: str,
    gradients: Sequence[Gradient],
    speed: Array,
    rates: Rates,
    B: int,
    part: int,
    parts: int,
) -> bool:
    parameter = model.parameters()[name]
    pushes = [gradient.dense[name] for gradient in gradients]
    shrink = rates.hidden * rates.l2 if name in PENALISED else 0.0
    if not all(_laid_alike(parameter, array) for array in (speed, *pushes)):
        return part > 0 or _ascend_strided(parameter, speed, pushes, rates, B, shrink)
    number = model.c.dtype.type  # keeps the compiled arithmetic in the model's precision
    here = slice(part * speed.size // parts, (part + 1) * speed.size // parts)
    flat, pushed = parameter.ravel(order="K")[here], speed.ravel(order="K")[here]
    slow_down(pushed, flat, number(rates.momentum), number(shrink))
    for push in pushes:
        add_scaled(pushed, push.ravel(order="K")[here], number(rates.hidden / B))
    add_scaled(flat, pushed, number(1.0))
    return bool(all_below(flat, number(LARGEST_WEIGHT)))


def _laid_alike(parameter: Array, other: Array) -> bool:
    """Whether both have their numbers in one stretch of memory, in the same order."""
    whole = parameter.ravel(order="K")
    return other.strides == parameter.strides and np.may_share_memory(whole, parameter)


def _ascend_strided(
    parameter: Array, speed: Array, pushes: Sequence[Array], rates: Rates, B: int, shrink: float
) -> bool:
    """The same step for numbers that do not lie side by side, by the first part alone."""
    speed *= rates.momentum
    speed -= shrink * parameter
    for push in pushes:
        speed += rates.hidden / B * push
    parameter += speed
    return bool((np.abs(parameter) < LARGEST_WEIGHT).all())


def _ascend_rows(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    rates: Rates,
    row_steps: RowSteps,
    part: int,
    parts: int,
) -> None:
    number = model.c.dtype.type
    # A model's tables are all named by the same rows, and the gradient of a bias is the weight.
    named = [gradient.rows["b"] for gradient in gradients if gradient.rows]
    for rows in named:
        weigh_rows(part, parts, rows.number, rows.values[:, 0], row_steps.total)
    for gradient in gradients:
        for name, rows in gradient.rows.items():
            shrink = number(rates.word * rates.l2 if name in PENALISED else 0.0)
            limits = row_steps.damping, row_steps.most, row_steps.total
            rate = number(rates.word)
            weight = gradient.rows["b"].values[:, 0]
            add_rows(part, parts, model.table(name), *rows, weight, *limits, rate, shrink)
    for rows in named:
        clear_rows(part, parts, rows.number, row_steps.total)
