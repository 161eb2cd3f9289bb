"""Stochastic gradient ascent in place; of a large table only the rows in the gradient change.

Tables with a row per word (``D``, ``b``, or ``W`` and ``b``) take the sum over the batch, so a word
learns each time it is read. Two rules keep words from changing faster than the chains mix: a row
expected to be read m times in a batch takes steps of ``rate / (1 + m)^0.75``, and the step of a row
is clipped where the weights of the windows that contain it add up to more than `CLIP_FACTOR` times
their expectation: many chains hold it, or one candidate outranks many words (`RowRates`). Small
dense parameters (``U``, ``c``) take the mean, with momentum [Dahl 2012, section 6.1]. Weight decay
shrinks dense weights every update, and a row of a table by the weights of the windows that contain
it: it costs nothing for the other K.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.optimizer import (
    add_rows,
    add_scaled,
    clear_rows,
    decay_velocity,
    weigh_rows,
)
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array, Probability

DECAYED = frozenset({"W", "U", "D"})  # weights; biases are left free
FREQUENCY_EXPONENT = -0.75  # at -0.5 small vocabularies diverge, at -1 long runs swing more
CLIP_FACTOR = (
    4.0  # weight beyond this many times the expected one, and that of one window, is cut off
)

MAX_WEIGHT = 100.0  # a larger absolute value means that training has diverged

Velocity = dict[str, Array]


class LearningRates(NamedTuple):
    """The step sizes of one update."""

    word: float  # tables with a row per word, per window
    hidden: float  # dense parameters, per batch
    momentum: float
    l2: float


@final
@dataclass(frozen=True, eq=False)
class RowRates:
    """Learning-rate factor and clipping threshold of each row of a table; computed once, O(K)."""

    rate_scale: Float[np.ndarray, " R"]
    max_weight: Float[np.ndarray, " R"]  # weight in one update that still counts
    total: Float[np.ndarray, " R"]  # scratch: all zero between updates

    @classmethod
    def from_frequencies(
        cls, model: AbstractRBM, q: Probability, B: int, ranking_weight: float = 0.0
    ) -> "RowRates":
        """For batches of B windows of words that come with probability q."""
        tables, K = model.word_bias.shape  # tables of their own per position, or one
        if q.shape != (K,):
            raise WordRBMError(f"Frequencies of {q.shape} words were given for {K:,} words.")
        read = np.tile(B * (model.positions / tables) * q, tables)
        max_weight = CLIP_FACTOR * (1.0 + ranking_weight) * (1.0 + 2.0 * read)  # of both phases
        rate_scale = (1.0 + read) ** FREQUENCY_EXPONENT
        dtype = model.c.dtype
        return cls(rate_scale.astype(dtype), max_weight.astype(dtype), np.zeros(len(read), dtype))


def sgd_step(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    velocity: Velocity,
    rates: LearningRates,
    row_rates: RowRates,
    B: int,
    threads: int = 1,
    thread: int = 0,
) -> bool:
    """Take one ascent step on the log-likelihood; shards are summed in their order.

    Threads may run at once, each on its own rows and slices: together they take one step. Returns
    whether this thread's dense parameters are finite and below `MAX_WEIGHT`.
    """
    _step_rows(model, gradients, rates, row_rates, thread, threads)
    finite = True
    for name, velocity_of in velocity.items():
        arrays = [model.table(name), velocity_of, *(shard.dense[name] for shard in gradients)]
        decay = rates.hidden * rates.l2 if name in DECAYED else 0.0
        finite &= _step_dense(arrays, rates, B, decay, thread, threads)
    return finite


def _step_dense(
    arrays: Sequence[Array], rates: LearningRates, B: int, decay: float, thread: int, threads: int
) -> bool:
    """Step a parameter by its velocity and the shards' gradients: this thread's slice of it."""
    number, part = arrays[0].dtype.type, part_slice(thread, threads, arrays[0].size)
    parameter, velocity, *gradients = (array.reshape(-1)[part] for array in arrays)
    decay_velocity(velocity, parameter, number(rates.momentum), number(decay))
    for gradient in gradients:
        add_scaled(velocity, gradient, number(rates.hidden / B))
    add_scaled(parameter, velocity, number(1.0))
    return bool(all_within(parameter, number(MAX_WEIGHT)))


def part_slice(part: int, parts: int, size: int) -> slice:
    """The share of one thread or shard in `size` consecutive numbers."""
    return slice(part * size // parts, (part + 1) * size // parts)


def _step_rows(
    model: AbstractRBM,
    gradients: Sequence[Gradient],
    rates: LearningRates,
    row_rates: RowRates,
    thread: int,
    threads: int,
) -> None:
    number = model.c.dtype.type
    # All tables of a model have the same rows in a gradient, and that of a bias is the weight.
    biases = [gradient.rows["b"] for gradient in gradients if gradient.rows]
    for rows in biases:
        weigh_rows(thread, threads, rows.number, rows.values[:, 0], row_rates.total)
    for gradient in gradients:
        for name, rows in gradient.rows.items():
            decay = number(rates.word * rates.l2 if name in DECAYED else 0.0)
            limits = row_rates.rate_scale, row_rates.max_weight, row_rates.total
            rate = number(rates.word)
            weight = gradient.rows["b"].values[:, 0]
            add_rows(thread, threads, model.table(name), *rows, weight, *limits, rate, decay)
    for rows in biases:
        clear_rows(thread, threads, rows.number, row_rates.total)
