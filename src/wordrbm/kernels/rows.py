"""Adding rows into a large table: only the rows named are read or written."""

from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def add_rows(
    table: Array, index: Array, values: Array, damping: Array, rate: float, shrink: float
) -> None:
    """``table[w] += damping[w] (rate values[r] - shrink table[w])`` for each w = index[r]."""
    for r in range(index.size):
        w = index[r]
        step, loss = damping[w] * rate, damping[w] * shrink
        for k in range(table.shape[1]):
            table[w, k] += step * values[r, k] - loss * table[w, k]
