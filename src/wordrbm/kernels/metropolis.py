"""Metropolis-Hastings steps on words given the hidden states, one by one or from pools.

Every model scores a word by one row, ``s_i(w) = bias[i, w] + context_i . table[i, w]`` (a table
shared by the positions has length one on its first axis). A step reads only the row it proposes,
so its cost is free of K. `run_metropolis` makes one proposal at a time. From pools of proposals
drawn ahead, gathering and scoring are shared by many chains, which move in lanes, 32 side by side,
as vector registers do; for each chain the steps are the same.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.rng import LANES, exponentials, next_uniform, random_bits
from wordrbm.shapes import Array

REORDER = {"reassoc", "contract", "nsz"}  # lets a dot product use vector registers, keeps nan


@njit(cache=True, nogil=True, fastmath=REORDER)
def word_score(table, bias, context, m, i, word):  # type: ignore[no-untyped-def]
    """``s_i(word)`` in chain m."""
    p = i if table.shape[0] > 1 else 0
    total = bias[p, word]
    for k in range(table.shape[2]):
        total += context[m, i, k] * table[p, word, k]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def is_accepted(stream, current, proposed):  # type: ignore[no-untyped-def]
    """True with probability ``min(1, exp(proposed - current))``."""
    u = next_uniform(stream)
    return proposed >= current or u < np.exp(proposed - current)


@njit(cache=True, nogil=True)
def run_metropolis(  # type: ignore[no-untyped-def]
    stream, steps, keep, alias, log_q, table, bias, context, v, accepted
):
    """Move every word by `steps` proposals from q; `v` changes in place, `accepted` counts."""
    for m in range(v.shape[0]):
        for i in range(v.shape[1]):
            word = v[m, i]
            current_weight = word_score(table, bias, context, m, i, word) - log_q[word]
            for _ in range(steps):
                proposed = draw_alias(stream, keep, alias)
                proposed_weight = word_score(table, bias, context, m, i, proposed) - log_q[proposed]
                if is_accepted(stream, current_weight, proposed_weight):
                    word, current_weight = proposed, proposed_weight
                    accepted[m, i] += 1
            v[m, i] = word


CHAINS_PER_POOL = LANES  # chains that share a pool, one in each lane: the fewer, the less coupled


class WordWeights(NamedTuple):
    """What the log weight ``s_i(w) - log q(w)`` of a word is computed from, beside the context."""

    table: Array  # P x K x r
    bias: Array  # P x K
    log_q: Array  # K
    table_index: Array  # n: which of the P tables each position uses


@njit(cache=True, nogil=True)
def gather_pool(words: WordWeights, pool: Array) -> Any:
    """The row of every proposal, and ``bias - log q``, which does not depend on h."""
    r, dtype = words.table.shape[2], words.table.dtype
    rows, offset = np.empty((pool.shape[0], pool.shape[1], r), dtype), np.empty(pool.shape, dtype)
    for i in range(pool.shape[0]):
        p = words.table_index[i]
        for k in range(pool.shape[1]):
            word = pool[i, k]
            offset[i, k] = words.bias[p, word] - words.log_q[word]
            for j in range(r):
                rows[i, k, j] = words.table[p, word, j]
    return rows, offset


@njit(cache=True, nogil=True, fastmath=REORDER)
def current_weights(words: WordWeights, context: Array, v: Array) -> Any:
    """``s_i(v[m, i]) - log q`` of the words in place, (M, n); the context is (n, M, r)."""
    weight = np.empty(v.shape, words.table.dtype)
    for m in range(v.shape[0]):
        for i in range(v.shape[1]):
            word, p = v[m, i], words.table_index[i]
            row, g = words.table[p, word], context[i, m]
            total = words.bias[p, word] - words.log_q[word]
            for k in range(row.size):
                total += g[k] * row[k]
            weight[m, i] = total
    return weight


@njit(cache=True, nogil=True)
def run_pooled(  # type: ignore[no-untyped-def]
    stream, steps, pool, proposal_scores, offset, current_weight, v, accepted
):
    """Move the words of up to `CHAINS_PER_POOL` chains by `steps` different entries of their pools.

    ``proposal_scores[i, m, k] + offset[i, k]`` is the log weight s - log q of proposal
    ``pool[i, k]`` to word i of chain m, and ``current_weight[m, i]`` that of its current word.
    """
    M, n = v.shape
    order = random_bits(stream, 2 * n * M).reshape(n, M, 2)
    neg_log_u = exponentials(stream, n * steps * LANES).reshape(n, steps, LANES)
    for i in range(n):
        move_lanes(
            order[i], neg_log_u[i], pool[i], proposal_scores[i], offset[i], current_weight[:, i],
            v[:, i], accepted[:, i],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def move_lanes(  # type: ignore[no-untyped-def]
    order, neg_log_u, pool, proposal_scores, offset, current_weight, v, accepted
):
    """Move one word of each chain, side by side."""
    steps = len(neg_log_u)
    dtype = proposal_scores.dtype
    proposal_weight = np.full((steps, LANES), -np.inf, dtype)  # a lane without a chain never moves
    weight, moved = np.zeros(LANES, dtype), np.full(LANES, -1, np.int32)
    taken = np.zeros(LANES, np.int32)
    for lane in range(len(v)):
        order_proposals(order[lane], proposal_scores[lane], offset, proposal_weight[:, lane])
        weight[lane] = current_weight[lane]
    accept_lanes(proposal_weight, neg_log_u, weight, moved, taken)
    for lane in range(len(v)):
        if moved[lane] >= 0:
            v[lane] = pool[pool_index(order[lane], moved[lane], pool.size)]
        accepted[lane] += taken[lane]


@njit(cache=True, nogil=True)
def pool_index(order, t, size):  # type: ignore[no-untyped-def]
    """The entry of the pool at step t: a random start, a random odd stride.

    The pool's size is a power of two, so the steps visit distinct entries, which are independent.
    """
    stride = np.uint64(order[1]) | np.uint64(1)
    return (np.uint64(order[0]) + np.uint64(t) * stride) & np.uint64(size - 1)


@njit(cache=True, nogil=True)
def order_proposals(order, proposal_scores, offset, proposal_weight):  # type: ignore[no-untyped-def]
    """The log weights of one chain's proposals, in the order in which it is offered them."""
    for t in range(proposal_weight.size):
        place = pool_index(order, t, offset.size)
        proposal_weight[t] = proposal_scores[place] + offset[place]


@njit(cache=True, nogil=True)
def accept_lanes(proposal_weight, neg_log_u, current_weight, moved, taken):  # type: ignore[no-untyped-def]
    """All steps, all lanes together: `moved` is the last step at which each was moved.

    ``u < exp(proposed - current)`` is tested as ``proposed + neg_log_u > current``: no
    exponential, nothing to overflow; and as a choice between values, not a jump in the program,
    which a processor would guess wrongly half of the time.
    """
    for t in range(len(proposal_weight)):
        proposed, slack = proposal_weight[t], neg_log_u[t]
        for lane in range(LANES):
            accept = proposed[lane] + slack[lane] > current_weight[lane]
            current_weight[lane] = proposed[lane] if accept else current_weight[lane]
            moved[lane] = np.int32(t) if accept else moved[lane]
            taken[lane] += np.int32(accept)


@njit(cache=True, nogil=True)
def gather(table, row_index):  # type: ignore[no-untyped-def]
    """The rows of a table with these numbers, as a new matrix."""
    rows = np.empty((row_index.size, table.shape[1]), table.dtype)
    for r in range(row_index.size):
        row = table[row_index[r]]
        for k in range(row.size):
            rows[r, k] = row[k]
    return rows


@njit(cache=True, nogil=True)
def split_positions(concatenated, n):  # type: ignore[no-untyped-def]
    """Rows of n blocks side by side as n contiguous matrices: (M, n d) to (n, M, d)."""
    M, d = len(concatenated), concatenated.shape[1] // n
    blocks = np.empty((n, M, d), concatenated.dtype)
    for m in range(M):
        for i in range(n):
            for k in range(d):
                blocks[i, m, k] = concatenated[m, i * d + k]
    return blocks
