"""Adding rows into a large table: only the rows named are read or written."""

from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def add_rows(table: Array, index: Array, values: Array, rate: float, shrink: float) -> None:
    """``table[w] += rate * values[r] - shrink * table[w]`` for every named row w, in order."""
    for r in range(index.size):
        w = index[r]
        for k in range(table.shape[1]):
            table[w, k] += rate * values[r, k] - shrink * table[w, k]
