"""Proposals of whole windows, compiled: a hash table of counted windows and its draws.

The reservoir is a multiset of R windows. Its proposal distribution is

    r(v) = (1 - e) count(v) / R + e prod_i q_i(v_i)

A hash table with open addressing finds ``count(v)`` in O(1); windows are compared word by word, so
the count is exact whatever the hash does.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.elementary import exp, log
from wordrbm.kernels.stream import GOLDEN, mix, next_uniform
from wordrbm.shapes import Array

EMPTY = -1


class WordTables(NamedTuple):
    """The alias tables of all positions, end to end.

    Position i draws its words from ``first[i]`` to ``last[i]``: the whole vocabulary at every
    position where the words are shared, the values of one column where they are not.
    """

    keep: Array
    alias: Array
    log_q: Array
    first: Array
    last: Array


class ReservoirTable(NamedTuple):
    """The windows of a reservoir, their counts, and the word frequencies mixed in."""

    windows: Array  # R x n
    slots: Array  # a power of two of them: the first place of a window, or EMPTY
    counts: Array  # R: how often the window is there, at its first place
    words: WordTables
    unigram_share: float  # e


@njit(cache=True, nogil=True)
def slot_of(windows, slots, v):  # type: ignore[no-untyped-def]
    """The slot that holds the window v, or the empty one where it would go."""
    key = GOLDEN
    for i in range(v.size):
        key = mix(key ^ (np.uint64(v[i]) + GOLDEN * np.uint64(i + 1)))
    mask = np.uint64(slots.size - 1)
    slot = key & mask
    while slots[slot] != EMPTY:
        known, same = windows[slots[slot]], True
        for i in range(v.size):
            same = same and known[i] == v[i]
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def count_windows(windows: Array, slots: Array, counts: Array) -> None:
    """Fill the hash table anew from the windows."""
    slots[:] = EMPTY
    counts[:] = 0
    for k in range(len(windows)):
        slot = slot_of(windows, slots, windows[k])
        if slots[slot] == EMPTY:
            slots[slot] = k
        counts[slots[slot]] += 1


@njit(cache=True, nogil=True)
def draw_windows(stream: Array, table: ReservoirTable, out: Array) -> None:
    """Fill `out` with independent draws from r."""
    stored = 1.0 - table.unigram_share
    for m in range(len(out)):
        u = next_uniform(stream)
        if u < stored:
            out[m] = table.windows[int(u / stored * len(table.windows))]
        else:
            for i in range(out.shape[1]):
                first, last = table.words.first[i], table.words.last[i]
                keep, alias = table.words.keep[first:last], table.words.alias[first:last]
                out[m, i] = first + draw_alias(stream, keep, alias)


@njit(cache=True, nogil=True)
def log_reservoir(table: ReservoirTable, v: Array, out: Array) -> None:
    """``out[m] = log r(v[m])``."""
    for m in range(len(v)):
        place = table.slots[slot_of(table.windows, table.slots, v[m])]
        log_words = 0.0
        for i in range(v.shape[1]):
            log_words += table.words.log_q[v[m, i]]
        out[m] = np.log(table.unigram_share) + log_words
        if place != EMPTY:
            stored = (1.0 - table.unigram_share) * table.counts[place] / len(table.windows)
            out[m] = np.log(stored + np.exp(out[m]))


@njit(cache=True, nogil=True, error_model="numpy")
def accept_jumps(stream: Array, current: Array, proposed: Array, taken: Array) -> None:
    """``taken[m]`` with probability ``min(1, exp(proposed[m] - current[m]))``."""
    for m in range(current.size):
        u = next_uniform(stream)
        taken[m] = proposed[m] >= current[m] or u < np.exp(proposed[m] - current[m])


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def negative_free_energies(b, c, v, x, out):  # type: ignore[no-untyped-def]
    """``out[m] = sum_i b[v_i] + sum_j softplus(x_j + c_j)``, summed in double precision."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    term = np.empty_like(c)
    for m in range(len(v)):
        for j in range(c.size):
            total = x[m, j] + c[j]
            term[j] = max(total, zero) + log(one + exp(-abs(total)))
        out[m] = 0.0
        for i in range(v.shape[1]):
            out[m] += b[v[m, i]]
        for j in range(c.size):
            out[m] += term[j]


@njit(cache=True, nogil=True)
def jump_windows(stream, table, b, c, v, x, vectors, first, jumped):  # type: ignore[no-untyped-def]
    """Offer each chain the windows proposed to it, in turn; what is taken replaces its rows.

    The chains are at rows ``first .. first + M - 1`` of v, x and vectors, their proposals in
    blocks of M below. ``jumped[m]`` counts those taken.
    """
    M = jumped.size
    current, proposed, log_r = np.empty(M), np.empty(M), np.empty(M)
    taken = np.empty(M, np.bool_)
    negative_free_energies(b, c, v[first : first + M], x[first : first + M], current)
    log_reservoir(table, v[first : first + M], log_r)
    current -= log_r
    jumped[:] = 0
    for block in range(first + M, len(v), M):
        rows = slice(block, block + M)
        negative_free_energies(b, c, v[rows], x[rows], proposed)
        log_reservoir(table, v[rows], log_r)
        proposed -= log_r
        accept_jumps(stream, current, proposed, taken)
        for m in range(M):
            if taken[m]:
                v[first + m], x[first + m] = v[block + m], x[block + m]
                vectors[first + m] = vectors[block + m]
                current[m] = proposed[m]
                jumped[m] += 1
