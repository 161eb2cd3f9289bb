"""Stochastic gradient ascent in place, and averages of the parameters over the last updates.

Of a large table only the rows in the gradient change. Tables with a row per word (``D``, ``b``, or
``W`` and ``b``) take the sum over the batch, so a word learns each time it is read. Two rules keep
words from changing faster than the chains mix: a row expected to be read m times in a batch takes
steps of ``rate / (1 + m)^0.75``, and the step of a row is clipped where the weights of the windows
that contain it add up to more than `CLIP_FACTOR` times their expectation: many chains hold it, or
one candidate outranks many words (`row_rates_of`). Small dense parameters (``U``, ``c``) take the
mean, with momentum [Dahl 2012, section 6.1]. Weight decay shrinks dense weights every update, and
a row of a table by the weights of the windows that contain it: it costs nothing for the other K.

The averages are the model that is evaluated and saved. While the rates are high, every update
changes the energy of a window by some tenths of a nat, and the parameters of one moment put too
much mass on whatever was raised last. Their average over the last few percent of the updates does
not. Weights rise as a power of the update (polynomial-decay averaging), so the average does not
depend on the length of the run, and a row is brought up to date only when it is in a gradient:
nothing costs O(K). Parameters are sampled every few updates.

Reference
    O. Shamir, T. Zhang. Stochastic gradient descent for non-smooth optimization. ICML 2013.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar, final

import numpy as np
from jaxtyping import Int64

from wordrbm.errors import WordRBMError
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.optimizer import (
    STRIDE,
    RowRates,
    add_rows,
    add_scaled,
    average_all,
    average_dense,
    average_rows,
    clear_rows,
    decay_velocity,
    weigh_rows,
)
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array, Probability
from wordrbm.training.settings import TrainingSettings

DECAYED = frozenset({"W", "U", "D"})  # weights; biases are left free
FREQUENCY_EXPONENT = -0.75  # at -0.5 small vocabularies diverge, at -1 long runs swing more
CLIP_FACTOR = 4.0  # weight beyond so many times the expected one, and one window's, is cut off
MAX_WEIGHT = 100.0  # a larger absolute value means that training has diverged

Velocity = dict[str, Array]
Model = TypeVar("Model", bound=AbstractRBM)


class LearningRates(NamedTuple):
    """The step sizes of one update."""

    word: float  # tables with a row per word, per window
    hidden: float  # dense parameters, per batch
    momentum: float
    l2: float


def row_rates_of(model: AbstractRBM, q: Probability, settings: TrainingSettings) -> RowRates:
    """The learning-rate factor and clipping threshold of each row, by word frequencies q; O(K)."""
    tables, K = model.word_bias.shape  # tables of their own per position, or one
    if q.shape != (K,):
        raise WordRBMError(
            f"Frequencies of {q.size:,} words were given for a model of {K:,}; give one for each."
        )
    read = np.tile(settings.batch_size * (model.positions / tables) * q, tables)
    ranking_weight = settings.ranking_weight if settings.objective == "hybrid" else 0.0
    max_weight = CLIP_FACTOR * (1.0 + ranking_weight) * (1.0 + 2.0 * read)  # of both phases
    rate_scale = (1.0 + read) ** FREQUENCY_EXPONENT
    return RowRates(*(x.astype(model.c.dtype) for x in (rate_scale, max_weight, 0.0 * read)))


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
    """Step the rows of this thread; all tables of a model have the same rows in a gradient."""
    number = model.c.dtype.type
    shards = [gradient.rows for gradient in gradients if gradient.rows]
    biases = [rows["b"] for rows in shards]  # the gradient of a bias is the weight of its row
    for bias in biases:
        weigh_rows(thread, threads, bias.number, bias.values[:, 0], row_rates.total)
    for rows, bias in zip(shards, biases, strict=True):
        tables = tuple(model.table(name) for name in rows)
        values = tuple(np.ascontiguousarray(table.values) for table in rows.values())
        decays = tuple(number(rates.word * rates.l2 * (name in DECAYED)) for name in rows)
        weight, rate = bias.values[:, 0], number(rates.word)
        add_rows(thread, threads, tables, bias.number, values, weight, row_rates, rate, decays)
    for bias in biases:
        clear_rows(thread, threads, bias.number, row_rates.total)


@final
@dataclass(frozen=True, eq=False)
class Averages:
    """The averages of a model's parameters, which change in place as it learns."""

    power: int  # weights rise as this power of the update: the last 1 / power of them count most
    value: dict[str, Array]  # by the parameter's name, of the shape of `AbstractRBM.table`
    tables: tuple[str, ...]  # parameters with sparse gradients, whose rows are averaged lazily
    covered: Int64[np.ndarray, " R"]  # the sample up to which the average of each row counts

    @classmethod
    def start(cls, model: AbstractRBM, tables: Sequence[str], power: int) -> "Averages":
        """The averages before the first update; a model's tables all have the same rows."""
        value = {name: model.table(name).copy() for name in model.parameters()}
        covered = np.zeros(len(model.table(tables[0])), np.int64)
        return cls(power, value, tuple(tables), covered)

    def model(self, model: Model, step: int) -> Model:
        """The model of the averages after `step` updates, O(K)."""
        values = {name: x.copy() for name, x in self.value.items()}
        for name in self.tables:
            table, average = model.table(name), self.value[name]
            average_all(table, average, self.covered, step // STRIDE, self.power, values[name])
        if step < STRIDE:  # nothing was sampled yet
            values = {name: model.table(name).copy() for name in values}
        shaped = {name: model.shaped(name, x) for name, x in values.items()}
        return replace(model, **shaped)  # type: ignore[type-var]

    def before_step(self, model: AbstractRBM, gradients: Sequence[Gradient], step: int) -> None:
        """Bring the averages of the gradients' rows up to `step` updates, before they change."""
        tables = tuple(model.table(name) for name in self.tables)
        averages = tuple(self.value[name] for name in self.tables)
        for gradient in gradients:
            number = gradient.rows[self.tables[0]].number
            average_rows(0, 1, number, tables, averages, self.covered, step // STRIDE, self.power)

    def after_step(self, model: AbstractRBM, step: int) -> None:
        """Take the dense parameters after `step` updates into their averages, if it is time."""
        for name in self.value.keys() - set(self.tables) if step % STRIDE == 0 else ():
            flat = model.table(name).reshape(-1)
            average_dense(flat, self.value[name].reshape(-1), step // STRIDE, self.power)
