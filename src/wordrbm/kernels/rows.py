"""Adding rows into a large table: only the rows named are read or written."""

from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def count_rows(number: Array, named: Array) -> None:
    """``named[w] += 1`` for each w in `number`."""
    for r in range(number.size):
        named[number[r]] += 1


@njit(cache=True, nogil=True)
def clear_rows(number: Array, named: Array) -> None:
    """``named[w] = 0`` for each w in `number`: what was counted is forgotten, nothing else read."""
    for r in range(number.size):
        named[number[r]] = 0


@njit(cache=True, nogil=True)
def add_rows(
    table: Array, number: Array, values: Array, scale: Array, rate: float, shrink: float
) -> None:
    """``table[w] += scale[r] (rate values[r] - shrink table[w])`` for each w = number[r]."""
    for r in range(number.size):
        w = number[r]
        step, loss = scale[r] * rate, scale[r] * shrink
        for k in range(table.shape[1]):
            table[w, k] += step * values[r, k] - loss * table[w, k]
