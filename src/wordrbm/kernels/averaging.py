"""Running averages of parameters, compiled: of a large table, only the rows of a gradient change.

The parameters are sampled after every `STRIDE` updates. The average of t samples is
``sum_s (C(s) - C(s-1)) x_s / C(t)`` with ``C(t) = t^power``. A row that is the same from sample s
to sample t needs nothing in between:

    average_t = decay average_s + (1 - decay) x,   decay = (s / t)^power
"""

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import owner_thread
from wordrbm.shapes import Array

STRIDE = 8  # a frequent row, which every update changes, is averaged only so often


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


@njit(cache=True, nogil=True)
def average_rows(
    part: int, parts: int, number: Array, tables: tuple[Array, ...],
    averages: tuple[Array, ...], covered: Array, now: int, power: int,
) -> None:  # fmt: skip
    """Bring the averages of this thread's rows up to sample `now`, before the rows change.

    ``covered[w]`` is the sample up to which the averages of row w count, in both tables.
    """
    for w in number:
        if owner_thread(w, parts) == part and covered[w] < now:
            decay = tables[0].dtype.type(average_decay(covered[w], now, power))
            for t in range(len(tables)):
                blend(averages[t][w], tables[t][w], decay)
            covered[w] = now


@njit(cache=True, nogil=True)
def average_all(
    table: Array, average: Array, covered: Array, now: int, power: int, out: Array
) -> None:
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
