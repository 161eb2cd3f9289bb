"""One step of stochastic gradient ascent, and running averages of the parameters, compiled.

The rules are those of `training/optimizer.py`. Of a large table only the rows in the gradient are
read or written. Threads share the work: a row and a slice of the dense parameters belong to one
thread, and a row's gradients come in the order of the shards, so the bits do not depend on the
number of threads.

For the averages, parameters are sampled after every `STRIDE` updates. The average of t samples is
``sum_s (C(s) - C(s-1)) x_s / C(t)`` with ``C(t) = t^power``. A row that is the same from sample s
to sample t needs nothing in between:

    average_t = decay average_s + (1 - decay) x,   decay = (s / t)^power
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import owner_thread, thread_slice
from wordrbm.kernels.fastmath import all_within
from wordrbm.shapes import Array

STRIDE = 8  # a frequent row, which every update changes, is averaged only so often


class Velocity(NamedTuple):
    """The last step of the dense parameters, laid out as they are."""

    U: Array
    c: Array


class RowRates(NamedTuple):
    """Learning-rate factor and clipping threshold of each row of a table."""

    rate_scale: Array
    max_weight: Array  # weight in one update that still counts
    total: Array  # scratch: all zero between updates


class AverageTables(NamedTuple):
    """Running averages of the parameters; a power of 0 is none."""

    D: Array
    U: Array
    b: Array
    c: Array
    covered: Array  # K: the sample up to which the averages of a row count
    power: int


class StepSizes(NamedTuple):
    """The numbers of one step, in the model's precision."""

    word: float  # rate of D and b
    word_decay: float  # of D
    hidden: float  # rate of U and c, over B
    hidden_decay: float  # of U
    momentum: float
    bound: float  # of the absolute value of a dense parameter


@njit(cache=True, nogil=True)
def apply_gradient(  # type: ignore[no-untyped-def]
    thread, threads, part, parts, parameters, velocity, gradient, row_rates, averages, step,
    step_sizes,
):  # fmt: skip
    """Apply this thread's share of update `step`; whether its dense parameters are finite.

    Of the rows it has share `thread` of `threads`, of the dense parameters share `part` of `parts`,
    among the threads of all processes. Rows whose number is below 0 are another process's.
    """
    if averages.power > 0:
        tables = parameters.D, parameters.b.reshape(-1, 1)
        averaged = averages.D, averages.b.reshape(-1, 1)
        for s in range(len(gradient.rows)):
            average_rows(
                thread, threads, gradient.row_index[s, : gradient.rows[s]], tables, averaged,
                averages.covered, (step - 1) // STRIDE, averages.power,
            )  # fmt: skip
    step_rows(thread, threads, parameters, gradient, row_rates, step_sizes)
    finite_U = step_dense(
        part, parts, parameters.U, velocity.U, gradient.U, step_sizes, step_sizes.hidden_decay
    )
    finite_c = step_dense(
        part, parts, parameters.c, velocity.c, gradient.c, step_sizes, step_sizes.word * 0
    )
    if averages.power > 0 and step % STRIDE == 0:
        for parameter, average in (
            (parameters.U.reshape(-1), averages.U.reshape(-1)),
            (parameters.c, averages.c),
        ):
            share, now = thread_slice(part, parts, parameter.size), step // STRIDE
            average_dense(parameter[share], average[share], now, averages.power)
    return finite_U and finite_c


@njit(cache=True, nogil=True, error_model="numpy")
def step_rows(part, parts, parameters, gradient, row_rates, step_sizes):  # type: ignore[no-untyped-def]
    """D and b, at the rows this part owns."""
    tables = parameters.D, parameters.b.reshape(-1, 1)
    decays = step_sizes.word_decay, parameters.b.dtype.type(0)
    for s in range(len(gradient.rows)):
        row_index = gradient.row_index[s, : gradient.rows[s]]
        weigh_rows(part, parts, row_index, gradient.weight[s], row_rates.total)
    for s in range(len(gradient.rows)):
        row_index = gradient.row_index[s, : gradient.rows[s]]
        values = gradient.D[s], gradient.b[s].reshape(-1, 1)
        add_rows(
            part, parts, tables, row_index, values, gradient.weight[s], row_rates,
            step_sizes.word, decays,
        )  # fmt: skip
    for s in range(len(gradient.rows)):
        clear_rows(part, parts, gradient.row_index[s, : gradient.rows[s]], row_rates.total)


@njit(cache=True, nogil=True)
def weigh_rows(part: int, parts: int, number: Array, weight: Array, total: Array) -> None:
    """``total[w] += |weight[r]|`` for each w = number[r] of this part."""
    for r in range(number.size):
        if owner_thread(number[r], parts) == part:
            total[number[r]] += abs(weight[r])


@njit(cache=True, nogil=True, error_model="numpy")
def add_rows(  # type: ignore[no-untyped-def]
    part, parts, tables, number, values, weight, row_rates, rate, decays
):
    """``table[w] += scale(w) (rate values[r] - decay |weight[r]| table[w])``, w = number[r].

    The scale of a row is by its frequency, and smaller where its weight is clipped.
    """
    one = row_rates.rate_scale.dtype.type(1)
    for r in range(number.size):
        w = number[r]
        if owner_thread(w, parts) == part:
            clipped = row_rates.rate_scale.dtype.type(row_rates.max_weight[w] / row_rates.total[w])
            scale = row_rates.rate_scale[w] * min(clipped, one)
            for t in range(len(tables)):
                decay = scale * decays[t] * abs(weight[r])
                add_row(tables[t][w], values[t][r], scale * rate, decay)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_row(row, value, rate, decay):  # type: ignore[no-untyped-def]
    """``row += rate value - decay row``."""
    for k in range(row.size):
        row[k] += rate * value[k] - decay * row[k]


@njit(cache=True, nogil=True)
def clear_rows(part: int, parts: int, number: Array, total: Array) -> None:
    """``total[w] = 0`` for each w = number[r] of this part."""
    for r in range(number.size):
        if owner_thread(number[r], parts) == part:
            total[number[r]] = 0


@njit(cache=True, nogil=True)
def step_dense(part, parts, parameter, velocity, gradient, step_sizes, decay):  # type: ignore[no-untyped-def]
    """Step this thread's slice of a dense parameter; whether it is finite and bounded."""
    part_slice = thread_slice(part, parts, parameter.size)
    values, velocity = parameter.reshape(-1)[part_slice], velocity.reshape(-1)[part_slice]
    decay_velocity(velocity, values, step_sizes.momentum, decay)
    for shard in range(len(gradient)):
        add_scaled(velocity, gradient[shard].reshape(-1)[part_slice], step_sizes.hidden)
    add_scaled(values, velocity, step_sizes.momentum * 0 + 1)
    return all_within(values, step_sizes.bound)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def decay_velocity(velocity: Array, parameter: Array, momentum: float, decay: float) -> None:
    """``velocity = momentum velocity - decay parameter``: momentum and weight decay."""
    for k in range(velocity.size):
        velocity[k] = momentum * velocity[k] - decay * parameter[k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_scaled(total: Array, value: Array, scale: float) -> None:
    """``total += scale * value``, entry by entry."""
    for k in range(total.size):
        total[k] += scale * value[k]


@njit(cache=True, nogil=True)
def average_rows(part, parts, number, tables, averages, covered, now, power):  # type: ignore[no-untyped-def]
    """Bring the averages of this thread's rows up to sample `now`, before the rows change.

    ``covered[w]`` is the sample up to which the averages of row w count, in all tables.
    """
    for w in number:
        if owner_thread(w, parts) == part and covered[w] < now:
            decay = tables[0].dtype.type(average_decay(covered[w], now, power))
            for t in range(len(tables)):
                blend(averages[t][w], tables[t][w], decay)
            covered[w] = now


@njit(cache=True, nogil=True)
def average_all(table, average, covered, now, power, out):  # type: ignore[no-untyped-def]
    """The averages of all rows after sample `now`, O(K)."""
    for w in range(len(table)):
        out[w] = average[w]
        decay = average_decay(covered[w], now, power) if now > 0 else 0.0
        blend(out[w], table[w], table.dtype.type(decay))


@njit(cache=True, nogil=True)
def average_dense(parameter: Array, average: Array, now: int, power: int) -> None:
    """Add sample `now` of a dense parameter to its average."""
    decay = np.float64(average_decay(now - 1, now, power))
    blend(average, parameter, parameter.dtype.type(decay))


@njit(cache=True, nogil=True)
def average_decay(before, now, power):  # type: ignore[no-untyped-def]
    """``(before / now)^power`` for a whole power, by squaring."""
    decay, factor = 1.0, before / now
    while power > 0:
        if power & 1:
            decay *= factor
        factor *= factor
        power >>= 1
    return decay


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def blend(average, value, decay):  # type: ignore[no-untyped-def]
    """``average = decay average + (1 - decay) value``, entry by entry."""
    for k in range(average.size):
        average[k] = value[k] + decay * (average[k] - value[k])
