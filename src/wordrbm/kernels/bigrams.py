"""A bigram model of words, counted in windows, compiled: draws and log probabilities.

    P(w' | w) = max(c(w, w') - 3/4, 0) / c(w) + 3/4 T(w) / c(w) q(w')

c counts the pairs of neighbouring words, T(w) how many different words follow w; q are the word
frequencies, which a word without successors draws from too (absolute discounting). The first word
of a window is drawn from q. Pairs are sorted, so the successors of a word lie together; a hash
table with open addressing finds the first of them.

References
    H. Ney, U. Essen, R. Kneser. On structuring probabilistic dependences in stochastic language
    modelling. Computer Speech and Language 8(1), 1994: absolute discounting.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.rng import next_uniform, splitmix
from wordrbm.shapes import Array

EMPTY = -1
DISCOUNT = 0.75
LOWER_HALF = np.uint64(0xFFFFFFFF)


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


class BigramTable(NamedTuple):
    """Pairs of neighbouring words, in order: the first word is the upper half of a number."""

    pairs: Array  # P of them, as often as they were counted
    repeats: Array  # P: how often the pair is there
    slots: Array  # a power of two of them: the first pair of a word, or EMPTY
    tokens: Array  # P: how many pairs begin with the word, at its first pair
    types: Array  # P: how many of them are different, at its first pair


@njit(cache=True, nogil=True)
def word_slot(table, word):  # type: ignore[no-untyped-def]
    """The slot that holds the first pair of a word, or the empty one where it would go."""
    mask = np.uint64(table.slots.size - 1)
    slot = splitmix(np.uint64(word)) & mask
    while table.slots[slot] != EMPTY:
        if table.pairs[table.slots[slot]] >> np.uint64(32) == np.uint64(word):
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def count_pairs(table: BigramTable) -> None:
    """Count the sorted pairs, and the words that they begin with."""
    table.slots[:] = EMPTY
    pairs, first, start = table.pairs, 0, 0
    for k in range(1, pairs.size + 1):
        if k == pairs.size or pairs[k] != pairs[start]:
            table.repeats[start:k] = k - start
            table.types[first] = 1 if start == first else table.types[first] + 1
            start = k
        if k == pairs.size or pairs[k] >> np.uint64(32) != pairs[first] >> np.uint64(32):
            table.tokens[first] = k - first
            table.slots[word_slot(table, pairs[first] >> np.uint64(32))] = first
            first = k


@njit(cache=True, nogil=True)
def draw_word(stream, words, i):  # type: ignore[no-untyped-def]
    """A word of position i by frequency."""
    first, last = words.first[i], words.last[i]
    return first + draw_alias(stream, words.keep[first:last], words.alias[first:last])


@njit(cache=True, nogil=True)
def draw_bigrams(stream, table, words, out):  # type: ignore[no-untyped-def]
    """Fill the window `out` with a draw from the table."""
    out[0] = draw_word(stream, words, 0)
    for i in range(1, out.size):
        first = table.slots[word_slot(table, out[i - 1])]
        if first != EMPTY:
            k = first + int(next_uniform(stream) * table.tokens[first])
            if next_uniform(stream) * table.repeats[k] >= DISCOUNT:
                out[i] = table.pairs[k] & LOWER_HALF
                continue
        out[i] = draw_word(stream, words, i)


@njit(cache=True, nogil=True)
def log_bigrams(table, log_q, window):  # type: ignore[no-untyped-def]
    """The log probability of a window under the table."""
    total = log_q[window[0]]
    for i in range(1, window.size):
        q = np.exp(log_q[window[i]])
        first = table.slots[word_slot(table, window[i - 1])]
        if first != EMPTY:
            tokens = table.tokens[first]
            repeats = repeats_of(table, first, first + tokens, window[i - 1], window[i])
            q = (max(repeats - DISCOUNT, 0.0) + DISCOUNT * table.types[first] * q) / tokens
        total += np.log(q)
    return total


@njit(cache=True, nogil=True)
def repeats_of(table, first, last, word, successor):  # type: ignore[no-untyped-def]
    """How often `successor` follows `word`, whose pairs are those from `first` to `last`."""
    pair = (np.uint64(word) << np.uint64(32)) | np.uint64(successor)
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if table.pairs[middle] < pair:
            low = middle + 1
        else:
            high = middle
    return table.repeats[low] if low < last and table.pairs[low] == pair else 0
