"""Moving words given the hidden states: the Metropolis-Hastings walk and the exact draw.

Every model scores a word by one row, ``s_i(w) = bias[i, w] + context_i . table[i, w]`` (a table
shared by the positions has length one on its first axis). The walk reads only the rows it
proposes, so its cost is free of K; the exact draw is given all K scores.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.stream import next_uniform
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
