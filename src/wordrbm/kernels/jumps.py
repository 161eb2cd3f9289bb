"""Proposals of whole windows, compiled: counted windows and word pairs, and draws from them.

The reservoir is a multiset of R windows. Its proposal distribution is a stored window, or a chain
of its word pairs that is smoothed by the word frequencies q:

    r(v)  = (1 - e) count(v) / R + e r2(v)
    r2(v) = q(v_1) prod_i ( (1 - s) count(v_i, v_i+1) / count(v_i, .) + s q(v_i+1) )

A hash table with open addressing finds a count in O(1); windows are compared word by word, so the
count is exact whatever the hash does.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.elementary import exp, log
from wordrbm.kernels.stream import GOLDEN, mix, next_uniform, next_word
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


class Counted(NamedTuple):
    """A multiset of rows of words, with a hash table of their counts."""

    rows: Array  # R x n
    slots: Array  # a power of two of them: the first place of a row, or EMPTY
    counts: Array  # R: how often the row is there, at its first place


class ReservoirTable(NamedTuple):
    """The windows of a reservoir, the pairs in them, and the word frequencies mixed in."""

    windows: Counted
    pairs: Counted  # R (n - 1) x 2, those with the same first word side by side
    heads: Counted  # the first words of the pairs, in the same order
    words: WordTables
    chain_share: float  # e
    unigram_share: float  # s


@njit(cache=True, nogil=True)
def slot_of(counted, v):  # type: ignore[no-untyped-def]
    """The slot that holds the row v, or the empty one where it would go."""
    key = GOLDEN
    for i in range(v.size):
        key = mix(key ^ (np.uint64(v[i]) + GOLDEN * np.uint64(i + 1)))
    mask = np.uint64(counted.slots.size - 1)
    slot = key & mask
    while counted.slots[slot] != EMPTY:
        known, same = counted.rows[counted.slots[slot]], True
        for i in range(v.size):
            same = same and known[i] == v[i]
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def count_rows(counted: Counted) -> None:
    """Fill the hash table anew from the rows."""
    counted.slots[:] = EMPTY
    counted.counts[:] = 0
    for k in range(len(counted.rows)):
        slot = slot_of(counted, counted.rows[k])
        if counted.slots[slot] == EMPTY:
            counted.slots[slot] = k
        counted.counts[counted.slots[slot]] += 1


@njit(cache=True, nogil=True)
def place_and_count(counted, v):  # type: ignore[no-untyped-def]
    """The first place of the row v and how often it is there; (EMPTY, 0) if it is not."""
    place = counted.slots[slot_of(counted, v)]
    return place, (counted.counts[place] if place != EMPTY else 0)


@njit(cache=True, nogil=True)
def draw_word(stream, words, i):  # type: ignore[no-untyped-def]
    """A word of position i by its frequency."""
    first, last = words.first[i], words.last[i]
    return first + draw_alias(stream, words.keep[first:last], words.alias[first:last])


@njit(cache=True, nogil=True)
def draw_windows(stream: Array, table: ReservoirTable, out: Array) -> None:
    """Fill `out` with independent draws from r."""
    stored, R = 1.0 - table.chain_share, len(table.windows.rows)
    for m in range(len(out)):
        u = next_uniform(stream)
        if u < stored:
            out[m] = table.windows.rows[int(u / stored * R)]
        else:
            draw_chain(stream, table, out[m])


@njit(cache=True, nogil=True)
def draw_chain(stream, table, v):  # type: ignore[no-untyped-def]
    """Fill v with a draw from r2: each word after the one before it."""
    v[0] = draw_word(stream, table.words, 0)
    paired = 1.0 - table.unigram_share
    for i in range(1, v.size):
        place, count = place_and_count(table.heads, v[i - 1 : i])
        u = next_uniform(stream)
        if count > 0 and u < paired:
            v[i] = table.pairs.rows[place + int(u / paired * count), 1]
        else:
            v[i] = draw_word(stream, table.words, i)


@njit(cache=True, nogil=True)
def log_chain(table, v):  # type: ignore[no-untyped-def]
    """``log r2(v)``."""
    log_q, s = table.words.log_q, table.unigram_share
    total = log_q[v[0]]
    for i in range(1, v.size):
        _, before = place_and_count(table.heads, v[i - 1 : i])
        if before == 0:
            total += log_q[v[i]]
        else:
            _, both = place_and_count(table.pairs, v[i - 1 : i + 1])
            total += np.log((1.0 - s) * both / before + s * np.exp(log_q[v[i]]))
    return total


@njit(cache=True, nogil=True)
def log_reservoir(table: ReservoirTable, v: Array, out: Array) -> None:
    """``out[m] = log r(v[m])``."""
    e, R = table.chain_share, len(table.windows.rows)
    for m in range(len(v)):
        _, count = place_and_count(table.windows, v[m])
        out[m] = np.log(e) + log_chain(table, v[m])
        if count > 0:
            out[m] = np.log((1.0 - e) * count / R + np.exp(out[m]))


@njit(cache=True, nogil=True)
def pool_size(jumps, chains):  # type: ignore[no-untyped-def]
    """Windows in a pool: a power of two, at least one for each chain and each jump."""
    size = 1
    while size < max(jumps, chains):
        size *= 2
    return size


@njit(cache=True, nogil=True, error_model="numpy")
def walk_windows(
    stream: Array, jumps: int, offered: Array, current: Array, chosen: Array, accepted: Array
) -> None:
    """Offer each chain `jumps` different windows of the pool, in an order of its own.

    `offered` and `current` are log weights ``-F - log r``; ``chosen[m]`` is the place in the pool
    where chain m ends, or -1 where it stays.
    """
    last = np.uint64(offered.size - 1)
    for m in range(current.size):
        place, stride = next_word(stream), next_word(stream) | np.uint64(1)
        weight, chosen[m], accepted[m] = current[m], -1, 0
        for _ in range(jumps):
            k = np.int64(place & last)
            u = next_uniform(stream)
            if offered[k] >= weight or u < np.exp(offered[k] - weight):
                weight, chosen[m] = offered[k], k
                accepted[m] += 1
            place += stride


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
def jump_windows(stream, table, jumps, b, c, v, x, vectors, first, accepted):  # type: ignore[no-untyped-def]
    """Let each chain jump; its rows of v, x and vectors become those of the window it took.

    The chains are at rows ``first .. first + M - 1``, the pool of windows below them.
    """
    chains, pool = slice(first, first + accepted.size), slice(first + accepted.size, len(v))
    weight, log_r = np.empty(len(v) - first), np.empty(len(v) - first)
    negative_free_energies(b, c, v[first:], x[first:], weight)
    log_reservoir(table, v[first:], log_r)
    weight -= log_r
    current, offered = weight[: accepted.size], weight[accepted.size :]
    chosen = np.empty(accepted.size, np.int64)
    walk_windows(stream, jumps, offered, current, chosen, accepted)
    for m in range(accepted.size):
        if chosen[m] >= 0:
            v[chains][m], x[chains][m] = v[pool][chosen[m]], x[pool][chosen[m]]
            vectors[chains][m] = vectors[pool][chosen[m]]
