"""Moving words given the hidden states: the Metropolis-Hastings walk.

Every model scores a word by one row, ``s_i(w) = bias[i, w] + context_i . table[i, w]`` (a table
shared by the positions has length one on its first axis). The walk reads only the rows it
proposes, so its cost is free of K.
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
