"""The alias method, compiled: O(K) to build, one random word and O(1) work to draw.

K columns of equal width; column k keeps k with probability ``keep[k]`` and otherwise gives
``alias[k]``. One uniform x in [0, K) serves twice: its whole part is the column, its fraction
decides (the fraction still has 53 - log2 K random bits).

References
    A. Walker. ACM Trans. Math. Software 3(3), 1977.
    M. Vose. IEEE Trans. Software Eng. 17(9), 1991: the linear-time construction.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.rng import next_uniform
from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def build_alias(height: Array, keep: Array, alias: Array) -> None:
    """Fill `keep` and `alias` from heights of mean one; `height` is used up."""
    K = height.size
    waiting = np.empty(K, np.int64)  # the short columns grow from the left, the tall from the right
    short, tall = 0, K
    for k in range(K):
        keep[k], alias[k] = 1.0, k
        if height[k] < 1.0:
            waiting[short] = k
            short += 1
        else:
            tall -= 1
            waiting[tall] = k
    while short > 0 and tall < K:
        short -= 1
        low, high = waiting[short], waiting[tall]
        keep[low], alias[low] = height[low], high
        height[high] -= 1.0 - height[low]  # the tall column fills the short one's gap
        if height[high] < 1.0:
            tall += 1
            waiting[short] = high
            short += 1


@njit(cache=True, nogil=True)
def draw_alias(stream, keep, alias):  # type: ignore[no-untyped-def]
    """One draw from the table."""
    x = next_uniform(stream) * keep.size
    column = int(x)
    return column if x - column < keep[column] else alias[column]


@njit(cache=True, nogil=True)
def fill_alias(stream: Array, keep: Array, alias: Array, words: Array) -> None:
    """Fill a flat array with independent draws from the table."""
    for k in range(words.size):
        words[k] = draw_alias(stream, keep, alias)
