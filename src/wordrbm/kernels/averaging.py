"""Running averages of parameters, compiled: of a large table, only the rows named are touched.

The parameters are sampled after every `STRIDE` updates. The average of t samples is
``sum_s (C(s) - C(s-1)) x_s / C(t)`` with ``C(t) = t^power``. A row that is the same from sample s
to sample t needs nothing in between:

    average_t = share average_s + (1 - share) x,   share = (s / t)^power
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array

STRIDE = 8  # a frequent row, which every update changes, is averaged only so often


@njit(cache=True, nogil=True)
def kept_share(before, now, power):  # type: ignore[no-untyped-def]
    """``(before / now)^power`` for a whole power, by squaring."""
    share, factor = 1.0, before / now
    while power > 0:
        if power & 1:
            share *= factor
        factor *= factor
        power >>= 1
    return share


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def blend(average, value, share):  # type: ignore[no-untyped-def]
    """``average = share average + (1 - share) value``, entry by entry."""
    for k in range(average.size):
        average[k] = value[k] + share * (average[k] - value[k])


@njit(cache=True, nogil=True)
def average_rows(
    number: Array, table: Array, average: Array, covered: Array, now: int, power: int
) -> None:
    """Bring the averages of different rows up to sample `now`, before the rows change.

    ``covered[w]`` is the sample up to which the average of row w counts; it is the caller's to set.
    """
    for w in number:
        if covered[w] < now:
            share = table.dtype.type(kept_share(covered[w], now, power))
            blend(average[w], table[w], share)


@njit(cache=True, nogil=True)
def average_all(
    table: Array, average: Array, covered: Array, now: int, power: int, out: Array
) -> None:
    """The averages of all rows after sample `now`, O(K)."""
    for w in range(len(table)):
        out[w] = average[w]
        share = kept_share(covered[w], now, power) if now > 0 else 0.0
        blend(out[w], table[w], table.dtype.type(share))


@njit(cache=True, nogil=True)
def average_dense(parameter: Array, average: Array, now: int, power: int) -> None:
    """Take sample `now` of the numbers into their average."""
    share = np.float64(kept_share(now - 1, now, power))
    blend(average, parameter, parameter.dtype.type(share))
