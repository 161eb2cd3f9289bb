"""Moving words given the hidden states: the Metropolis-Hastings walk and the exact draw.

Every model scores a word by one row, ``s_i(w) = bias[i, w] + context_i . table[i, w]`` (a table
shared by the positions has length one on its first axis). The walk reads only the rows it
proposes, so its cost is free of K; the exact draw is given all K scores.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.stream import next_uniform, next_word
from wordrbm.shapes import Array

REORDER = {"reassoc", "contract", "nsz"}  # lets a dot product use vector registers, keeps nan


@njit(cache=True, nogil=True, fastmath=REORDER)
def score(table, bias, context, m, i, word):  # type: ignore[no-untyped-def]
    """``s_i(word)`` in chain m."""
    p = i if table.shape[0] > 1 else 0
    total = bias[p, word]
    for k in range(table.shape[2]):
        total += context[m, i, k] * table[p, word, k]
    return total


@njit(cache=True, nogil=True)
def walk(
    stream: Array,
    steps: int,
    keep: Array,
    alias: Array,
    log_q: Array,
    table: Array,
    bias: Array,
    context: Array,
    v: Array,
    accepted: Array,
) -> None:
    """Move every word by `steps` proposals from q; `v` changes in place, `accepted` counts."""
    for m in range(v.shape[0]):
        for i in range(v.shape[1]):
            word = v[m, i]
            log_weight = score(table, bias, context, m, i, word) - log_q[word]
            for _ in range(steps):
                proposed = draw_alias(stream, keep, alias)
                uniform = next_uniform(stream)
                offered = score(table, bias, context, m, i, proposed) - log_q[proposed]
                if offered >= log_weight or uniform < np.exp(offered - log_weight):
                    word, log_weight = proposed, offered
                    accepted[m, i] += 1
            v[m, i] = word


@njit(cache=True, nogil=True)
def walk_pool(
    stream: Array, steps: int, pool: Array, offered: Array, weight: Array, v: Array, accepted: Array
) -> None:
    """Move every word by `steps` different entries of its position's pool of proposals.

    ``offered[i, m, k]`` is the weight exp(s)/q of proposal ``pool[i, k]`` to word i of chain m, and
    ``weight[m, i]`` of the word in place, on one scale per word. A random start and a random odd
    stride visit distinct entries (the pool's size is a power of two), which are independent.
    """
    last = np.uint64(pool.shape[1] - 1)
    for m in range(v.shape[0]):
        for i in range(v.shape[1]):
            bits = next_word(stream)
            place, stride = bits & last, (bits >> np.uint64(32)) | np.uint64(1)
            standing = weight[m, i]
            for _ in range(steps):
                place = (place + stride) & last
                if next_uniform(stream) * standing < offered[i, m, place]:
                    standing = offered[i, m, place]
                    v[m, i] = pool[i, place]
                    accepted[m, i] += 1


@njit(cache=True, nogil=True)
def draw_softmax(stream: Array, scores: Array, words: Array) -> None:
    """``words[m] ~ softmax(scores[m])`` by inverting the cumulative sum, in double precision."""
    cumulative = np.empty(scores.shape[1])
    for m in range(scores.shape[0]):
        top = scores[m].max()
        total = 0.0
        for k in range(scores.shape[1]):
            total += np.exp(np.float64(scores[m, k] - top))
            cumulative[k] = total
        words[m] = np.searchsorted(cumulative, next_uniform(stream) * total, side="right")
