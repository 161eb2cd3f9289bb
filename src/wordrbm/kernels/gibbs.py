"""Exact draws from a softmax over blocks of words, each known by its sum."""

import numpy as np
from numba import njit

from wordrbm.kernels.fastmath import exp
from wordrbm.kernels.metropolis import REORDER
from wordrbm.kernels.rng import next_uniform
from wordrbm.shapes import Array


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REORDER)
def sum_exponentials(scores: Array, largest: Array, total: Array) -> None:
    """``total[m] = sum_k exp(scores[m, k] - largest[m])``."""
    for m in range(scores.shape[0]):
        row_sum = scores.dtype.type(0)
        for k in range(scores.shape[1]):
            row_sum += exp(scores[m, k] - largest[m])
        total[m] = row_sum


@njit(cache=True, nogil=True)
def draw_categorical(stream, weight):  # type: ignore[no-untyped-def]
    """An index with probability in proportion to its weight."""
    left = next_uniform(stream) * weight.sum()
    for k in range(weight.size):
        left -= weight[k]
        if left < 0.0:
            return k
    return weight.size - 1  # rounding has left a little


@njit(cache=True, nogil=True)
def draw_blocked(stream, rows, bias, context, block, largest, total, words):  # type: ignore[no-untyped-def]
    """Draw a block by its sum, then a word of it by its score, for every row of `context`."""
    for m in range(len(context)):
        shift = largest[:, m].max()
        sums = total[:, m] * np.exp((largest[:, m] - shift).astype(np.float64))
        first = block * draw_categorical(stream, sums)
        scores = bias[first : first + block] + np.dot(rows[first : first + block], context[m])
        weight = np.exp((scores - scores.max()).astype(np.float64))
        words[m] = first + draw_categorical(stream, weight)
