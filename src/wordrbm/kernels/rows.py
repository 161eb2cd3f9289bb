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
def count_rows(part: int, parts: int, number: Array, named: Array) -> None:
    """``named[w] += 1`` for each w of this part in `number`."""
    for r in range(number.size):
        if part_of(number[r], parts) == part:
            named[number[r]] += 1


@njit(cache=True, nogil=True)
def clear_rows(part: int, parts: int, number: Array, named: Array) -> None:
    """``named[w] = 0`` for each w of this part: the count is forgotten, nothing else read."""
    for r in range(number.size):
        if part_of(number[r], parts) == part:
            named[number[r]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def scale_of(w, damping, most, named):  # type: ignore[no-untyped-def]
    """How far a row goes: its damping, less if it was named too often."""
    flood = damping.dtype.type(most[w] / named[w])
    return damping[w] * min(flood, damping.dtype.type(1))


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
    damping: Array,
    most: Array,
    named: Array,
    rate: float,
    shrink: float,
) -> None:
    """``table[w] += scale(w) (rate values[r] - shrink table[w])`` for each w = number[r] here."""
    for r in range(number.size):
        w = number[r]
        if part_of(w, parts) == part:
            scale = scale_of(w, damping, most, named)
            add_row(table[w], values[r], scale * rate, scale * shrink)


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
