"""A keyed shuffle without a table, and the gather of windows it is used with.

The shuffle of 0 .. N - 1 is a balanced Feistel network on the least even number of bits that
holds N: (left, right) -> (right, left xor F(key, round, right)) is a bijection whatever F is.
A value that falls outside is sent round again (cycle walking): at most 4 times on average.

References:
    M. Luby and C. Rackoff. SIAM J. Computing 17(2), 1988.
    J. Black and P. Rogaway. Ciphers with arbitrary finite domains. CT-RSA 2002 (cycle walking).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.rng import GOLDEN, splitmix
from wordrbm.shapes import Array

ROUNDS = 8


class ShufflePlan(NamedTuple):
    """A shuffled visit of all windows of a text: see `text/windows.py`."""

    ids: Array
    starts: Array
    before: Array
    seed: Any


@njit(cache=True, nogil=True)
def key(seed: Any, epoch: Any) -> Any:
    """One shuffle's key: mix(mix(seed + golden) + golden * (epoch + 1))."""
    start = splitmix(np.uint64(seed) + GOLDEN)
    return splitmix(start + GOLDEN * (np.uint64(epoch) + np.uint64(1)))


@njit(cache=True, nogil=True)
def half_bits(size: Any) -> Any:
    """The least h >= 1 with 2^(2h) >= size: bits in each half of the network."""
    half = np.uint64(1)
    while half < np.uint64(31) and (np.uint64(1) << (half + half)) < np.uint64(size):
        half += np.uint64(1)
    return half


@njit(cache=True, nogil=True)
def permute(key: Any, index: Any, size: Any) -> Any:
    """Where the shuffle of 0 .. size - 1 with this key sends an index. O(1)."""
    half = half_bits(size)
    mask = (np.uint64(1) << half) - np.uint64(1)
    value = np.uint64(index)
    while True:
        left, right = value >> half, value & mask
        for number in range(ROUNDS):
            mixed = splitmix(right + np.uint64(key) + GOLDEN * np.uint64(number + 1))
            left, right = right, left ^ (mixed & mask)
        value = (left << half) | right
        if value < np.uint64(size):
            return np.int64(value)


@njit(cache=True, nogil=True)
def shuffled_indices(seed: Any, first: int, size: int, out: Array) -> None:
    """out[i] = permute(key(seed, g // size), g % size, size) for g = first + i."""
    for i in range(out.size):
        visit = first + i
        out[i] = permute(key(seed, visit // size), visit % size, size)


@njit(cache=True, nogil=True)
def span_of(before: Array, window: int) -> int:
    """The run r with before[r] <= window < before[r + 1], by halving."""
    low, high = 0, before.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if before[middle] <= window:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def gather_windows(ids: Array, starts: Array, before: Array, index: Array, out: Array) -> None:
    """out[i] = ids[s : s + n] with s = starts[r] + index[i] - before[r], r the window's run."""
    for i in range(index.size):
        run = span_of(before, index[i])
        start = starts[run] + index[i] - before[run]
        for j in range(out.shape[1]):
            out[i, j] = ids[start + j]


@njit(cache=True, nogil=True)
def fill_batch(plan: ShufflePlan, first: int, out: Array) -> int:
    """Fill `out` with the windows of visits first, first + 1, ..; gives the largest unsigned."""
    index = np.empty(len(out), np.int64)
    shuffled_indices(plan.seed, first, plan.before[-1], index)
    gather_windows(plan.ids, plan.starts, plan.before, index, out)
    largest = np.uint32(0)
    for word in out.reshape(-1):
        largest = max(largest, np.uint32(word))
    return int(largest)
