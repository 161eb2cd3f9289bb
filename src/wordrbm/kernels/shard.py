"""One shard's share of an update as one compiled call: nothing returns to Python in between.

The words of its chains move given h, by proposals from a pool (`pool.py`). Then the positive phase,
the windows read with weight +1, meets the negative phase, the windows of the chains with -B/M:

    g_i = U[i]^T h,   mean = logistic(c + sum_i U[i] D[v_i])
    dU[i] = sum_m weight_m mean_m D[v_i]^T,   dD[v_i] = weight_m U[i]^T mean_m,   db[v_i] = weight_m

Ranking (`ranking.py`) adds windows that differ from those read in one word; they are summed before
they meet U and D. The products go to BLAS. It is `training.gradient.shard_gradient` for the
word-representation RBM and this operator, draw for draw: the plain one is the referee.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg  # noqa: F401 - its BLAS is the one compiled code calls: loaded, it can be limited
from numba import njit

from wordrbm.kernels.alias import fill_alias
from wordrbm.kernels.bits import fill_bernoulli
from wordrbm.kernels.elementary import logistic
from wordrbm.kernels.jumps import ReservoirTable, draw_windows, jump_windows, pool_size
from wordrbm.kernels.pool import SHARING, offer_pool, stand, walk_pool
from wordrbm.kernels.ranking import Candidates, columns, rank_windows, ranked_windows
from wordrbm.kernels.stream import seed_words
from wordrbm.shapes import Array


class Weights(NamedTuple):
    """The parameters; `U` is H x nd, the positions side by side."""

    D: Array
    U: Array
    b: Array
    c: Array


class Proposals(NamedTuple):
    """An alias table and the logarithms of what it draws; `size` draws make a pool."""

    keep: Array
    alias: Array
    log_q: Array
    size: int
    steps: int


class Found(NamedTuple):
    """Where a shard writes its gradient, a sum over its windows, and what its walk did."""

    U: Array
    c: Array
    number: Array  # of the words named, position by position: windows read, then dreamt
    D: Array  # a row for each
    b: Array  # a number for each
    weight: Array  # the weights of the windows that name it, added up without their signs
    accepted: Array  # proposals taken, per word dreamt
    jumped: Array  # windows taken, per chain
    rows: Array  # one number: how many words are named


@njit(cache=True, nogil=True)
def compare_shard(
    seed: int, step: int, shard: int, weights: Weights, proposals: Proposals,
    reservoir: ReservoirTable, jumps: int, candidates: Candidates,
    read: Array, v: Array, h: Array, moved: Array, drawn: Array, found: Found,
) -> None:  # fmt: skip
    """Move the chains (v, h) to (moved, drawn), and compare them with the windows `read`."""
    stream = seed_words(seed, step, shard)
    moved[:], found.accepted[:] = v, 0
    move_words(stream, weights, proposals, h, moved, found.accepted)
    (M, n), B = v.shape, len(read)
    pool = pool_size(jumps, M) if jumps > 0 else 0
    windows = np.empty((B + M + pool, n), np.int32)
    windows[:B], windows[B : B + M] = read, moved
    draw_windows(stream, reservoir, windows[B + M :])
    gathered = gather(weights.D, windows.reshape(-1)).reshape(-1, n * weights.D.shape[1])
    inputs = np.dot(gathered, weights.U.T)
    weight = np.ones(M)
    if jumps > 0:
        weight = jump_windows(
            stream, reservoir, jumps, weights.b, weights.c, windows, inputs, gathered, B,
            found.jumped,
        )  # fmt: skip
        moved[:] = windows[B : B + M]
    ranked = rank_windows(
        stream, weights.D, weights.U, weights.b, weights.c, candidates, windows[:B], gathered[:B],
        inputs[:B],
    )  # fmt: skip
    logistic(inputs, weights.c)
    fill_bernoulli(stream, inputs[B : B + M], drawn)
    N = B + keep_weighted(weight, windows[B:], gathered[B:], inputs[B:])
    found.rows[0] = N * n + ranked.number.size
    found.number[: N * n] = windows[:N].reshape(-1)
    differ(weights, gathered[:N], inputs[:N], weight, ranked, B, M, found)
    add_candidates(weights, gathered[:B], ranked, N * n, found)


@njit(cache=True, nogil=True)
def keep_weighted(weight, windows, vectors, mean):  # type: ignore[no-untyped-def]
    """Move the rows with a weight to the front, in their order; how many there are."""
    kept = 0
    for m in range(weight.size):
        if weight[m] > 0.0:
            weight[kept], windows[kept] = weight[m], windows[m]
            vectors[kept], mean[kept] = vectors[m], mean[m]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def move_words(stream, weights, proposals, h, v, accepted):  # type: ignore[no-untyped-def]
    """Every word walks over its position's pool of proposals."""
    context = np.dot(h, weights.U)
    for first in range(0, len(v), SHARING):
        few = slice(first, min(len(v), first + SHARING))
        move_few(stream, weights, proposals, context[few], v[few], accepted[few])


@njit(cache=True, nogil=True)
def move_few(stream, weights, proposals, context, v, accepted):  # type: ignore[no-untyped-def]
    """The same for chains that share their pools."""
    (M, n), (K, d), dtype = v.shape, weights.D.shape, context.dtype
    pool = np.empty((n, proposals.size), np.int32)
    fill_alias(stream, proposals.keep, proposals.alias, pool.reshape(-1))
    rows, offset = np.empty((n, pool.shape[1], d), dtype), np.empty(pool.shape, dtype)
    table, bias, shelf = weights.D.reshape(1, K, d), weights.b.reshape(1, K), np.zeros(n, np.int64)
    offer_pool(table, bias, proposals.log_q, shelf, pool, rows, offset)
    apart = by_position(context, n)
    offered = np.empty((n, M, pool.shape[1]), dtype)
    for i in range(n):
        np.dot(apart[i], rows[i].T, offered[i])
    standing = np.empty((M, n), dtype)
    stand(table, bias, proposals.log_q, shelf, apart, v, standing)
    walk_pool(stream, proposals.steps, pool, offered, offset, standing, v, accepted)


@njit(cache=True, nogil=True)
def by_position(context, n):  # type: ignore[no-untyped-def]
    """The context of each position as a matrix of its own, from all of them side by side."""
    apart = np.empty((n, len(context), context.shape[1] // n), context.dtype)
    for m in range(len(context)):
        for i in range(n):
            for k in range(apart.shape[2]):
                apart[i, m, k] = context[m, i * apart.shape[2] + k]
    return apart


@njit(cache=True, nogil=True)
def gather(table, number):  # type: ignore[no-untyped-def]
    """The named rows, one under the other."""
    rows = np.empty((number.size, table.shape[1]), table.dtype)
    for r in range(number.size):
        row = table[number[r]]
        for k in range(row.size):
            rows[r, k] = row[k]
    return rows


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def differ(weights, vectors, mean, weight, ranked, B, M, found):  # type: ignore[no-untyped-def]
    """The gradient: what the windows read say, less what those dreamt say. `mean` is used up."""
    n = vectors.shape[1] // weights.D.shape[1]
    weigh_read(mean, ranked, n, B, found)
    for m in range(len(mean) - B):
        negative = mean.dtype.type(-B / M * weight[m])
        named = slice((B + m) * n, (B + m + 1) * n)
        found.b[named], found.weight[named] = negative, -negative
        for j in range(mean.shape[1]):
            mean[B + m, j] *= negative
    found.c[:] = 0
    for m in range(len(mean)):
        for j in range(mean.shape[1]):
            found.c[j] += mean[m, j]
    np.dot(mean.T, vectors, found.U)
    np.dot(mean, weights.U, found.D[: n * len(mean)].reshape(vectors.shape))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def weigh_read(mean, ranked, n, B, found):  # type: ignore[no-untyped-def]
    """Weigh the hidden means of the windows read, less those of their candidates."""
    one = mean.dtype.type(1)
    for m in range(B):
        read, candidate = one + ranked.read[m], ranked.weight[m]
        named = slice(m * n, (m + 1) * n)
        found.b[named], found.weight[named] = read - candidate, read + candidate
        if ranked.number.size > 0:
            for j in range(mean.shape[1]):
                mean[m, j] = read * mean[m, j] - ranked.negative[m, j]


@njit(cache=True, nogil=True)
def add_candidates(weights, vectors, ranked, first, found):  # type: ignore[no-untyped-def]
    """What ranking changes at the ranked positions: the words read, and their candidates."""
    B, d = len(vectors), weights.D.shape[1]
    n = vectors.shape[1] // d
    P = ranked.number.size // n
    for i in range(n if P > 0 else 0):
        here, U = ranked_windows(i, n, B), columns(weights.U, i, n)
        own, rows = slice(i * P, (i + 1) * P), slice(first + i * P, first + (i + 1) * P)
        number, negative = ranked.number[own], ranked.negative[here]
        found.number[rows], found.weight[rows] = number, ranked.total[own]
        found.b[rows] = -ranked.total[own]
        found.D[rows] = -np.dot(ranked.means[own], U)
        added = np.dot(negative.T, columns(vectors[here], i, n))
        added -= np.dot(ranked.means[own].T, gather(weights.D, number))
        found.U[:, i * d : (i + 1) * d] += added
        back = np.dot(negative, U)
        for m in range(here.start, here.stop):
            candidate = ranked.weight[m]
            found.b[m * n + i] += candidate
            found.weight[m * n + i] -= candidate
            found.D[m * n + i] += back[m - here.start]
