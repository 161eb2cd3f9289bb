"""One step of stochastic gradient ascent from the gradients of all shards, as one compiled call.

The rules are those of `training/optimizer.py`. Of a large table only the rows in the gradient are
read or written. Threads share the work: a row and a slice of the dense parameters belong to one
thread, and a row's gradients come in the order of the shards, so the bits do not depend on the
number of threads.
"""

from typing import Any, NamedTuple

from numba import njit

from wordrbm.kernels.averaging import STRIDE, average_dense, average_rows
from wordrbm.kernels.barrier import owner_thread, thread_slice
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.pcd_gradient import Parameters, ShardGradient
from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def weigh_rows(part: int, parts: int, number: Array, weight: Array, total: Array) -> None:
    """``total[w] += |weight[r]|`` for each w = number[r] of this part."""
    for r in range(number.size):
        if owner_thread(number[r], parts) == part:
            total[number[r]] += abs(weight[r])


@njit(cache=True, nogil=True)
def clear_rows(part: int, parts: int, number: Array, total: Array) -> None:
    """``total[w] = 0`` for each w = number[r] of this part."""
    for r in range(number.size):
        if owner_thread(number[r], parts) == part:
            total[number[r]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def row_scale(w, rate_scale, max_weight, total):  # type: ignore[no-untyped-def]
    """The learning-rate factor of a row: by its frequency, and smaller where it is clipped."""
    clipped = rate_scale.dtype.type(max_weight[w] / total[w])
    return rate_scale[w] * min(clipped, rate_scale.dtype.type(1))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_row(row, value, rate, shrink):  # type: ignore[no-untyped-def]
    """``row += rate value - shrink row``."""
    for k in range(row.size):
        row[k] += rate * value[k] - shrink * row[k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_rows(
    part: int,
    parts: int,
    table: Array,
    number: Array,
    values: Array,
    weight: Array,
    rate_scale: Array,
    max_weight: Array,
    total: Array,
    rate: float,
    shrink: float,
) -> None:
    """``table[w] += scale(w) (rate values[r] - shrink |weight[r]| table[w])``, w = number[r]."""
    for r in range(number.size):
        w = number[r]
        if owner_thread(w, parts) == part:
            scale = row_scale(w, rate_scale, max_weight, total)
            add_row(table[w], values[r], scale * rate, scale * shrink * abs(weight[r]))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_scaled(total: Array, value: Array, scale: float) -> None:
    """``total += scale * value``, entry by entry."""
    for k in range(total.size):
        total[k] += scale * value[k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def decay_velocity(speed: Array, parameter: Array, momentum: float, shrink: float) -> None:
    """``speed = momentum speed - shrink parameter``: momentum and weight decay."""
    for k in range(speed.size):
        speed[k] = momentum * speed[k] - shrink * parameter[k]


class Velocity(NamedTuple):
    """The last step of the dense parameters, laid out as they are."""

    U: Array
    c: Array


class RowLimits(NamedTuple):
    """Learning-rate factor and clipping of each row: see `RowRates`."""

    rate_scale: Array
    max_weight: Array
    total: Array


class AverageTables(NamedTuple):
    """Running averages of the parameters (`averaging.py`); a power of 0 is none."""

    D: Array
    U: Array
    b: Array
    c: Array
    covered: Array  # K: the sample up to which the averages of a row count
    power: int


class StepSizes(NamedTuple):
    """The numbers of one step, in the model's precision."""

    word: float  # rate of D and b
    word_shrink: float  # of D
    hidden: float  # rate of U and c, over B
    hidden_shrink: float  # of U
    momentum: float
    bound: float  # of the absolute value of a dense parameter


@njit(cache=True, nogil=True)
def apply_gradient(
    part: int,
    parts: int,
    parameters: Parameters,
    velocity: Velocity,
    gradient: ShardGradient,
    limits: RowLimits,
    averages: AverageTables,
    step: int,
    step_sizes: StepSizes,
) -> Any:
    """Apply this thread's share of update `step`; whether its dense parameters are finite."""
    if averages.power > 0:
        tables = parameters.D, parameters.b.reshape(-1, 1)
        averaged = averages.D, averages.b.reshape(-1, 1)
        for s in range(len(gradient.rows)):
            average_rows(
                part, parts, gradient.row_index[s, : gradient.rows[s]], tables, averaged,
                averages.covered, (step - 1) // STRIDE, averages.power,
            )  # fmt: skip
    step_rows(part, parts, parameters, gradient, limits, step_sizes)
    finite_U = step_dense(
        part, parts, parameters.U, velocity.U, gradient.U, step_sizes, step_sizes.hidden_shrink
    )
    finite_c = step_dense(
        part, parts, parameters.c, velocity.c, gradient.c, step_sizes, step_sizes.word * 0
    )
    if averages.power > 0 and step % STRIDE == 0:
        average_slice(part, parts, parameters.U, averages.U, step // STRIDE, averages.power)
        average_slice(part, parts, parameters.c, averages.c, step // STRIDE, averages.power)
    return finite_U and finite_c


@njit(cache=True, nogil=True)
def average_slice(part, parts, parameter, average, now, power):  # type: ignore[no-untyped-def]
    """Add this thread's slice of a dense parameter to its average."""
    part_slice = thread_slice(part, parts, parameter.size)
    average_dense(parameter.reshape(-1)[part_slice], average.reshape(-1)[part_slice], now, power)


@njit(cache=True, nogil=True, error_model="numpy")
def step_rows(part, parts, parameters, gradient, limits, step_sizes):  # type: ignore[no-untyped-def]
    """D and b, at the rows this part owns."""
    for s in range(len(gradient.rows)):
        named = slice(0, gradient.rows[s])
        weigh_rows(
            part, parts, gradient.row_index[s, named], gradient.weight[s, named], limits.total
        )
    for s in range(len(gradient.rows)):
        for r in range(gradient.rows[s]):
            w = gradient.row_index[s, r]
            if owner_thread(w, parts) == part:
                scale = row_scale(w, limits.rate_scale, limits.max_weight, limits.total)
                parameters.b[w] += scale * step_sizes.word * gradient.b[s, r]
                shrink = scale * step_sizes.word_shrink * gradient.weight[s, r]
                add_row(parameters.D[w], gradient.D[s, r], scale * step_sizes.word, shrink)
    for s in range(len(gradient.rows)):
        clear_rows(part, parts, gradient.row_index[s, : gradient.rows[s]], limits.total)


@njit(cache=True, nogil=True)
def step_dense(part, parts, parameter, speed, gradient, step_sizes, shrink):  # type: ignore[no-untyped-def]
    """Step this thread's slice of a dense parameter; whether it is finite and bounded."""
    part_slice = thread_slice(part, parts, parameter.size)
    values, velocity = parameter.reshape(-1)[part_slice], speed.reshape(-1)[part_slice]
    decay_velocity(velocity, values, step_sizes.momentum, shrink)
    for shard in range(len(gradient)):
        add_scaled(velocity, gradient[shard].reshape(-1)[part_slice], step_sizes.hidden)
    add_scaled(values, velocity, step_sizes.momentum * 0 + 1)
    return all_within(values, step_sizes.bound)
