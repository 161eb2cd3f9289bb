"""Proposals of whole windows, compiled: counted windows, draws from them, and their weights.

The reservoir is a multiset of R windows. Its proposal distribution is a stored window, a draw from
a bigram model g of them (`bigrams.py`), or words by their frequencies q:

    r(v) = (1 - a - e) count(v) / R + a g(v) + e prod_i q(v_i)

A hash table with open addressing finds a count in O(1); windows are compared word by word, so the
count is exact whatever the hash does.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.bigrams import BigramTable, WordTables, draw_bigrams, draw_word, log_bigrams
from wordrbm.kernels.fastmath import softplus_row_sums
from wordrbm.kernels.metropolis import is_accepted
from wordrbm.kernels.rng import GOLDEN, next_uint64, next_uniform, splitmix
from wordrbm.shapes import Array

EMPTY = -1
NEGLIGIBLE = 1e-9  # importance weights below this fraction of the largest are dropped


class WindowMultiset(NamedTuple):
    """A multiset of windows, with a hash table of their counts."""

    rows: Array  # R x n: the windows
    slots: Array  # a power of two of them: the first place of a row, or EMPTY
    counts: Array  # R: how often the row is there, at its first place


class ReservoirTable(NamedTuple):
    """The windows of a reservoir, and the bigrams and word frequencies mixed in."""

    windows: WindowMultiset
    words: WordTables
    unigram_share: float  # e
    bigrams: BigramTable
    bigram_share: float  # a


@njit(cache=True, nogil=True)
def slot_of(multiset, v):  # type: ignore[no-untyped-def]
    """The slot that holds the window v, or the empty one where it would go."""
    key = GOLDEN
    for i in range(v.size):
        key = splitmix(key ^ (np.uint64(v[i]) + GOLDEN * np.uint64(i + 1)))
    mask = np.uint64(multiset.slots.size - 1)
    slot = key & mask
    while multiset.slots[slot] != EMPTY:
        known, same = multiset.rows[multiset.slots[slot]], True
        for i in range(v.size):
            same = same and known[i] == v[i]
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def count_windows(multiset: WindowMultiset) -> None:
    """Fill the hash table anew from the windows."""
    multiset.slots[:] = EMPTY
    multiset.counts[:] = 0
    for k in range(len(multiset.rows)):
        slot = slot_of(multiset, multiset.rows[k])
        if multiset.slots[slot] == EMPTY:
            multiset.slots[slot] = k
        multiset.counts[multiset.slots[slot]] += 1


@njit(cache=True, nogil=True)
def count_of(multiset, v):  # type: ignore[no-untyped-def]
    """How often the window v is there."""
    index = multiset.slots[slot_of(multiset, v)]
    return multiset.counts[index] if index != EMPTY else 0


@njit(cache=True, nogil=True)
def draw_windows(stream: Array, table: ReservoirTable, out: Array) -> None:
    """Fill `out` with independent draws from r."""
    by_count = 1.0 - table.unigram_share
    stored, R = by_count - table.bigram_share, len(table.windows.rows)
    for m in range(len(out)):
        u = next_uniform(stream)
        if u < stored:
            out[m] = table.windows.rows[int(u / stored * R)]
        elif u < by_count:
            draw_bigrams(stream, table.bigrams, table.words, out[m])
        else:
            for i in range(out.shape[1]):
                out[m, i] = draw_word(stream, table.words, i)


@njit(cache=True, nogil=True)
def log_reservoir(table: ReservoirTable, v: Array, out: Array, stored: Array) -> None:
    """``out[m] = log r(v[m])``, and whether the window is one of those stored."""
    e, a, R = table.unigram_share, table.bigram_share, len(table.windows.rows)
    by_count = 1.0 - e - a
    for m in range(len(v)):
        count, log_words = count_of(table.windows, v[m]), np.log(e)
        for i in range(v.shape[1]):
            log_words += table.words.log_q[v[m, i]]
        if a > 0.0:
            log_g = np.log(a) + log_bigrams(table.bigrams, table.words.log_q, v[m])
            log_words = np.logaddexp(log_words, log_g)
        out[m], stored[m] = log_words, count > 0
        if count > 0 and by_count > 0.0:  # without it `exp` could come to 0
            out[m] = np.log(by_count * count / R + np.exp(log_words))


@njit(cache=True, nogil=True)
def pool_size(jumps, chains):  # type: ignore[no-untyped-def]
    """Windows in a pool: a power of two, so that two chains at most visit one, on the average."""
    size = 1
    while size < max(jumps, jumps * chains // 2):
        size *= 2
    return size


@njit(cache=True, nogil=True, error_model="numpy")
def propose_windows(
    stream: Array, jumps: int, offered: Array, current: Array, chosen: Array, accepted: Array
) -> None:
    """Propose `jumps` different windows of the pool to each chain, in an order of its own.

    `offered` and `current` are log weights ``-F - log r``; ``chosen[m]`` is the place in the pool
    where chain m ends, or -1 where it stays.
    """
    last = np.uint64(offered.size - 1)
    for m in range(current.size):
        offset, stride = next_uint64(stream), next_uint64(stream) | np.uint64(1)
        weight, chosen[m], accepted[m] = current[m], -1, 0
        for _ in range(jumps):
            k = np.int64(offset & last)
            if is_accepted(stream, weight, offered[k]):
                weight, chosen[m] = offered[k], k
                accepted[m] += 1
            offset += stride


@njit(cache=True, nogil=True, error_model="numpy")
def stratify(stored: Array, log_weight: Array, M: int, weight: Array) -> None:
    """Weights of M chains and a pool of proposals in the negative phase; they sum to M.

    The weight of the chains on stored windows is distributed over the stored windows of the pool in
    proportion to ``exp(log_weight)``; all other chains keep theirs.
    """
    inside, total, top = 0, 0.0, -np.inf
    for k in range(M, stored.size):
        if stored[k]:
            top = max(top, log_weight[k])
    for k in range(stored.size):
        weight[k] = 1.0 if k < M else 0.0
        if stored[k] and top > -np.inf:
            inside += k < M
            weight[k] = 0.0 if k < M else np.exp(log_weight[k] - top)
            weight[k] = weight[k] if weight[k] > NEGLIGIBLE else 0.0
            total += weight[k]
    for k in range(M, stored.size):
        weight[k] *= inside / total if total > 0.0 else 0.0


@njit(cache=True, nogil=True)
def negative_free_energies(b, c, v, x, out):  # type: ignore[no-untyped-def]
    """``out[m] = sum_i b[v_i] + sum_j softplus(x_j + c_j)``, summed in double precision."""
    out[:] = 0.0
    for m in range(len(v)):
        for i in range(v.shape[1]):
            out[m] += b[v[m, i]]
    softplus_row_sums(x + c, out)


@njit(cache=True, nogil=True)
def jump_windows(stream, table, jumps, b, c, v, x, vectors, first, accepted):  # type: ignore[no-untyped-def]
    """Let each chain jump; its rows of v, x and vectors become those of the window it took.

    The chains are at rows ``first .. first + M - 1``, the pool of windows below them. Gives the
    weights of all of them in the negative phase.
    """
    M, N = accepted.size, len(v) - first
    log_weight, log_r, stored = np.empty(N), np.empty(N), np.empty(N, np.bool_)
    negative_free_energies(b, c, v[first:], x[first:], log_weight)
    log_reservoir(table, v[first:], log_r, stored)
    log_weight -= log_r
    chosen = np.empty(M, np.int64)
    propose_windows(stream, jumps, log_weight[M:], log_weight[:M], chosen, accepted)
    for m in range(M):
        if chosen[m] >= 0:
            chain, taken = first + m, first + M + chosen[m]
            v[chain], x[chain], vectors[chain] = v[taken], x[taken], vectors[taken]
            stored[m] = stored[M + chosen[m]]
    weight = np.empty(N)
    stratify(stored, log_weight, M, weight)
    return weight
