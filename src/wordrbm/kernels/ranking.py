"""The ranking gradient of one shard, compiled: see `training/ranking.py` for what it is.

With ``a`` the input of the hidden units from the rest of a window and ``x_k`` what candidate k adds
to it at the ranked position, a candidate's score needs no logarithm:

    exp(-F(v with k) + F(rest)) = exp(b_k) prod_j (sigm(-a_j) + sigm(a_j) exp(x_kj))

All windows of a position share their candidates, so ``exp(x_kj)`` is taken once for all of them,
and gradients of a candidate's row are summed over the windows before the product with `U`.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import fill_alias
from wordrbm.kernels.bigrams import WordTables
from wordrbm.kernels.fastmath import all_within, exp, fill_exp
from wordrbm.kernels.metropolis import gather, split_positions
from wordrbm.kernels.rng import next_uint64, next_uniform
from wordrbm.shapes import Array

MAX_INPUT = 80.0  # beyond it scores are computed from logarithms: exp may overflow
MIN_PRODUCT, MAX_PRODUCT = 1e-30, 1e30  # over a block of units, else logarithms are used
BLOCK = 16  # units whose product is taken in the model's precision, before it multiplies a double


class Candidates(NamedTuple):
    """What the words read are ranked among; a `size` of 0 is no ranking."""

    words: WordTables  # that the candidates are drawn from
    size: int  # P: candidates for each position of a shard
    weight: float  # of the ranking objective
    thinning: float  # candidates less probable than this are sampled


class Ranked(NamedTuple):
    """What ranking adds to the gradient of a shard."""

    read: Array  # B: the weight of each window read
    weight: Array  # B: the summed weights of its candidates
    negative: Array  # B x H: their hidden means, so weighted
    rotation: Any  # which position the first windows are ranked by
    number: Array  # nP: the candidates
    total: Array  # nP: the weight of each, over all windows
    means: Array  # nP x H: their hidden means, so weighted
    U: Array  # n x H x d: the weights of each position; none without ranking
    vectors: Array  # n x B x d: the vectors of the words read


@njit(cache=True, nogil=True)
def draw_rotation(stream, n, B):  # type: ignore[no-untyped-def]
    """The position that the first of B windows are ranked by: random where B < n, else 0."""
    return np.int64(next_uint64(stream) % np.uint64(n)) if n > B else np.int64(0)


@njit(cache=True, nogil=True)
def ranked_windows(i, n, B, rotation):  # type: ignore[no-untyped-def]
    """The windows of B in which position i of n is ranked: first, last."""
    turn = (i - rotation) % n
    return turn * B // n, (turn + 1) * B // n


@njit(cache=True, nogil=True)
def rank_windows(stream, D, U, b, c, candidates, v, vectors, x):  # type: ignore[no-untyped-def]
    """Rank one word of each window v; `vectors` are its words' and x the inputs they give."""
    (B, n), H, d, P, dtype = v.shape, c.size, D.shape[1], candidates.size, c.dtype
    U_of, vectors_of, rotation = np.empty((0, H, d), dtype), np.empty((0, B, d), dtype), np.int64(0)
    if P > 0:
        U_of, vectors_of = split_positions(U, n), split_positions(vectors, n)
        rotation = draw_rotation(stream, n, B)
    ranked = Ranked(
        np.zeros(B, dtype), np.zeros(B, dtype), np.zeros((B if P > 0 else 0, H), dtype), rotation,
        np.zeros(n * P, np.int32), np.zeros(n * P, dtype), np.zeros((n * P, H), dtype), U_of,
        vectors_of,
    )  # fmt: skip
    for i in range(len(U_of)):
        first, last = ranked_windows(i, n, B, rotation)
        if first == last:
            continue
        windows, drawn = slice(first, last), slice(i * P, (i + 1) * P)
        part = Ranked(
            ranked.read[windows], ranked.weight[windows], ranked.negative[windows], rotation,
            ranked.number[drawn], ranked.total[drawn], ranked.means[drawn], U_of[i],
            vectors_of[i][windows],
        )  # fmt: skip
        draw_candidates(stream, candidates.words, i, part.number)
        rank_position(stream, D, b, c, candidates, i, v[windows], x[windows], part)
    return ranked


@njit(cache=True, nogil=True)
def draw_candidates(stream, words, i, out):  # type: ignore[no-untyped-def]
    """Fill `out` with words of position i, by their frequency."""
    first, last = words.first[i], words.last[i]
    fill_alias(stream, words.keep[first:last], words.alias[first:last], out)
    out += first


@njit(cache=True, nogil=True, error_model="numpy")
def rank_position(stream, D, b, c, candidates, i, v, x, ranked):  # type: ignore[no-untyped-def]
    """Rank the words at position i of the windows v; `ranked` holds the position's arrays."""
    H, P, dtype, log_q = c.size, candidates.size, c.dtype, candidates.words.log_q
    rows = gather(D, ranked.number)
    added, read_added = np.dot(rows, ranked.U.T), np.dot(ranked.vectors, ranked.U.T)
    growth = np.empty_like(added)
    fill_exp(added, growth)
    by_unit = np.ascontiguousarray(growth.T)
    off, on, factors = np.empty(H, dtype), np.empty(H, dtype), np.empty(H, dtype)
    product, score, weight = np.empty(P, dtype), np.empty(P + 1), np.empty(P)
    bias, factor = np.empty(P + 1), np.empty(P + 1)
    for k in range(P):
        bias[k] = b[ranked.number[k]] - log_q[ranked.number[k]]
        factor[k] = np.exp(bias[k])
    is_large = not all_within(added.reshape(-1), MAX_INPUT)
    for m in range(len(v)):
        bias[P] = b[v[m, i]] - log_q[v[m, i]]
        factor[P] = np.exp(bias[P])
        fill_unit_probabilities(x[m], read_added[m], c, off, on, factors)
        multiply_units(off, on, by_unit, factors, product, score)
        slow = is_large or not all_within(read_added[m], MAX_INPUT)
        slow = rank_scores(slow, score, factor, bias, x[m], read_added[m], added, c)
        thin(next_uniform(stream), score[:P], candidates.thinning, weight)
        ranked.read[m] = candidates.weight * (1.0 - score[P])
        for k in range(P):
            if weight[k] > 0.0:
                w = dtype.type(candidates.weight * weight[k])
                ranked.weight[m] += w
                ranked.total[k] += w
                sums = ranked.negative[m], ranked.means[k]
                if slow:
                    add_means_slowly(x[m], read_added[m], added[k], c, w, *sums)
                else:
                    add_means(off, on, growth[k], w, *sums)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def fill_unit_probabilities(x, read_added, c, off, on, factors):  # type: ignore[no-untyped-def]
    """Each unit's probabilities given the rest of the window, and its factor of the word read."""
    one = x.dtype.type(1)
    for j in range(c.size):
        odds = exp(read_added[j] - x[j] - c[j])
        on[j] = one / (one + odds)
        off[j] = odds * on[j]
        factors[j] = off[j] + on[j] * exp(read_added[j])


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def multiply_units(off, on, by_unit, factors, product, score):  # type: ignore[no-untyped-def]
    """``score[k] = prod_j (off_j + on_j growth_jk)``, and last the product of `factors`."""
    P, H, one, beyond = product.size, off.size, product.dtype.type(1), 0
    score[:] = 1.0
    for first in range(0, H, BLOCK):
        last, read = min(H, first + BLOCK), one
        product[:] = one
        for j in range(first, last):
            read *= factors[j]
        for j in range(first, last - 3, 4):
            g0, g1, g2, g3 = by_unit[j], by_unit[j + 1], by_unit[j + 2], by_unit[j + 3]
            # Read before the loop: inside, they might alias what it writes and block vectors.
            off0, off1, off2, off3 = off[j], off[j + 1], off[j + 2], off[j + 3]
            on0, on1, on2, on3 = on[j], on[j + 1], on[j + 2], on[j + 3]
            for k in range(P):
                product[k] *= ((off0 + on0 * g0[k]) * (off1 + on1 * g1[k])) * (
                    (off2 + on2 * g2[k]) * (off3 + on3 * g3[k])
                )
        for j in range(last - (last - first) % 4, last):
            row, off0, on0 = by_unit[j], off[j], on[j]
            for k in range(P):
                product[k] *= off0 + on0 * row[k]
        for k in range(P):
            beyond += not (MIN_PRODUCT < product[k] < MAX_PRODUCT)
            score[k] *= product[k]
        score[P] *= read
        beyond += not (MIN_PRODUCT < read < MAX_PRODUCT)
    if beyond > 0:
        score[P] = np.nan


@njit(cache=True, nogil=True, error_model="numpy")
def rank_scores(slow, score, factor, bias, x, read_added, added, c):  # type: ignore[no-untyped-def]
    """Turn products of units into the probabilities of the candidates and, last, the word read.

    Returns whether it was done by logarithms.
    """
    total = 0.0
    for k in range(score.size):
        score[k] *= factor[k]
        total += score[k]
    slow = slow or not 1e-300 < total < 1e300
    if slow:
        total = rank_slowly(score, bias, x, read_added, added, c)
    for k in range(score.size):
        score[k] /= total
    return slow


@njit(cache=True, nogil=True, error_model="numpy")
def rank_slowly(score, bias, x, read_added, added, c):  # type: ignore[no-untyped-def]
    """Score by logarithms, where products overflow or underflow; returns the sum of scores."""
    P = score.size - 1
    for k in range(P + 1):
        score[k] = bias[k]
        for j in range(c.size):
            rest = np.float64(x[j]) + c[j] - read_added[j]
            total_input = rest + (added[k, j] if k < P else read_added[j])
            score[k] += max(total_input, 0.0) + np.log1p(np.exp(-abs(total_input)))
    top, total = score.max(), 0.0
    for k in range(P + 1):
        score[k] = np.exp(score[k] - top)
        total += score[k]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def thin(u: float, probability: Array, thinning: float, weight: Array) -> None:
    """Keep the probable candidates; of the others few, at random, with unbiased weights.

    A candidate below `thinning` is kept with probability ``p / thinning`` and weight `thinning`:
    systematic sampling, from the one uniform number u.
    """
    for k in range(probability.size):
        weight[k] = probability[k]
        if probability[k] < thinning:
            u += probability[k] / thinning
            weight[k] = thinning if u >= 1.0 else 0.0
            u -= u >= 1.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_means(off, on, growth, weight, window, candidate):  # type: ignore[no-untyped-def]
    """Add the weighted hidden means of a window with this candidate to both sums."""
    for j in range(off.size):
        odds = on[j] * growth[j]
        mean = weight * odds / (off[j] + odds)
        window[j] += mean
        candidate[j] += mean


@njit(cache=True, nogil=True, error_model="numpy")
def add_means_slowly(x, read_added, added, c, weight, window, candidate):  # type: ignore[no-untyped-def]
    """Add weighted hidden means from the inputs themselves, where exponentials overflow."""
    for j in range(c.size):
        total = np.float64(x[j]) + c[j] - read_added[j] + added[j]
        mean = weight / (1.0 + np.exp(-max(min(total, 700.0), -700.0)))
        window[j] += mean
        candidate[j] += mean
