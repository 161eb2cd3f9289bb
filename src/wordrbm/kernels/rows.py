"""Adding into parameters: of a large table, only the rows named are read or written.

Work is cut into parts that may run at once. A row belongs to one part, and its namings come in the
same order whatever the parts, so the bits do not depend on how many parts there are.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array

SCATTER = np.uint32(2654435769)  # 2^32 over the golden ratio: spreads frequent words evenly


@njit(cache=True, nogil=True)
def part_of(w, parts):  # type: ignore[no-untyped-def]
    """Which of some parts a row belongs to."""
    mixed = np.uint32(np.uint32(w) * SCATTER)
    return np.int64((np.uint64(mixed) * np.uint64(parts)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def weigh_rows(part: int, parts: int, number: Array, weight: Array, total: Array) -> None:
    """``total[w] += |weight[r]|`` for each w = number[r] of this part."""
    for r in range(number.size):
        if part_of(number[r], parts) == part:
            total[number[r]] += abs(weight[r])


@njit(cache=True, nogil=True)
def clear_rows(part: int, parts: int, number: Array, total: Array) -> None:
    """``total[w] = 0`` for each w of this part: the sum is forgotten, nothing else read."""
    for r in range(number.size):
        if part_of(number[r], parts) == part:
            total[number[r]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def scale_of(w, damping, most, total):  # type: ignore[no-untyped-def]
    """How far a row goes: its damping, less if its weights add up to too much."""
    clipped = damping.dtype.type(most[w] / total[w])
    return damping[w] * min(clipped, damping.dtype.type(1))


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
    damping: Array,
    most: Array,
    total: Array,
    rate: float,
    shrink: float,
) -> None:
    """``table[w] += scale(w) (rate values[r] - shrink |weight[r]| table[w])``, w = number[r]."""
    for r in range(number.size):
        w = number[r]
        if part_of(w, parts) == part:
            scale = scale_of(w, damping, most, total)
            add_row(table[w], values[r], scale * rate, scale * shrink * abs(weight[r]))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_scaled(total: Array, value: Array, scale: float) -> None:
    """``total += scale * value``, entry by entry."""
    for k in range(total.size):
        total[k] += scale * value[k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def slow_down(speed: Array, parameter: Array, momentum: float, shrink: float) -> None:
    """``speed = momentum speed - shrink parameter``: what is left of the last step."""
    for k in range(speed.size):
        speed[k] = momentum * speed[k] - shrink * parameter[k]


@njit(cache=True, nogil=True, error_model="numpy")
def all_below(values: Array, bound: float) -> bool:
    """Whether every number is smaller than this either way; nan is not."""
    beyond = 0
    for k in range(values.size):
        beyond += not (abs(values[k]) < bound)
    return beyond == 0
