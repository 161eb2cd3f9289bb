"""One shard's share of an update as one compiled call: nothing returns to Python in between.

The words of its chains move given h, by proposals from a pool (`metropolis.py`). Then the positive
phase, windows read with weight +1, less the negative phase, those of the chains with weight B/M:

    g_i = U[i]^T h,   mean = logistic(c + sum_i U[i] D[v_i])
    dU[i] = sum_m weight_m mean_m D[v_i]^T,   dD[v_i] = weight_m U[i]^T mean_m,   db[v_i] = weight_m

Ranking (`ranking.py`) adds windows that differ from those read in one word; they are summed before
they are multiplied with U and D. The products go to BLAS. It is
`training.pcd_gradient.shard_gradient` for the word-representation RBM and this operator, draw for
draw; tests hold the two equal.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg  # noqa: F401 - its BLAS is the one compiled code calls: loaded, it can be limited
from numba import njit

from wordrbm.kernels.alias import fill_alias
from wordrbm.kernels.fastmath import sigmoid_inplace
from wordrbm.kernels.jumps import ReservoirTable, draw_windows, jump_windows, pool_size
from wordrbm.kernels.metropolis import (
    CHAINS_PER_POOL,
    WordWeights,
    current_weights,
    gather,
    gather_pool,
    run_pooled,
    split_positions,
)
from wordrbm.kernels.ranking import Candidates, rank_windows, ranked_windows
from wordrbm.kernels.rng import fill_bernoulli, seed_state
from wordrbm.shapes import Array


class Parameters(NamedTuple):
    """The parameters; `U` is H x nd, the positions side by side."""

    D: Array
    U: Array
    b: Array
    c: Array


class PooledProposals(NamedTuple):
    """An alias table and the logarithms of what it draws; `size` draws make a pool."""

    keep: Array
    alias: Array
    log_q: Array
    size: int
    steps: int


class ShardGradient(NamedTuple):
    """Where a shard writes its gradient, a sum over its windows, and what its chains did."""

    U: Array
    c: Array
    row_index: Array  # the words of positive, then negative windows, position by position
    D: Array  # a row for each
    b: Array  # a number for each
    weight: Array  # the summed absolute weights of the windows that contain it
    accepted: Array  # proposals accepted, per word of a chain
    jumped: Array  # windows taken, per chain
    rows: Array  # one number: how many rows are used


@njit(cache=True, nogil=True, inline="always")
def shard_gradient(
    seed: int, step: int, shard: int, parameters: Parameters, proposals: PooledProposals,
    reservoir: ReservoirTable, jumps: int, candidates: Candidates,
    read: Array, v: Array, h: Array, new_v: Array, new_h: Array, gradient: ShardGradient,
) -> None:  # fmt: skip
    """Move the chains (v, h) to (new_v, new_h); the gradient of the windows `read` less theirs."""
    stream = seed_state(seed, step, shard)
    new_v[:], gradient.accepted[:] = v, 0
    move_words(stream, parameters, proposals, h, new_v, gradient.accepted)
    (M, n), B = v.shape, len(read)
    pool = pool_size(jumps, M) if jumps > 0 else 0
    windows = np.empty((B + M + pool, n), np.int32)
    windows[:B], windows[B : B + M] = read, new_v
    draw_windows(stream, reservoir, windows[B + M :])
    gathered = gather(parameters.D, windows.reshape(-1)).reshape(-1, n * parameters.D.shape[1])
    inputs = np.dot(gathered, parameters.U.T)
    weight = np.ones(M)
    if jumps > 0:
        weight = jump_windows(
            stream, reservoir, jumps, parameters.b, parameters.c, windows, inputs, gathered, B,
            gradient.jumped,
        )  # fmt: skip
        new_v[:] = windows[B : B + M]
    ranked = rank_windows(
        stream, parameters.D, parameters.U, parameters.b, parameters.c, candidates, windows[:B],
        gathered[:B], inputs[:B],
    )  # fmt: skip
    sigmoid_inplace(inputs, parameters.c)
    fill_bernoulli(stream, inputs[B : B + M], new_h)
    N = B + compact_weighted(weight, windows[B:], gathered[B:], inputs[B:])
    gradient.rows[0] = N * n + ranked.number.size
    gradient.row_index[: N * n] = windows[:N].reshape(-1)
    accumulate(parameters, gathered[:N], inputs[:N], weight, ranked, B, M, gradient)
    add_candidates(parameters.D, ranked, N * n, gradient)


@njit(cache=True, nogil=True)
def compact_weighted(weight, windows, vectors, mean):  # type: ignore[no-untyped-def]
    """Move the rows with a weight to the front, in their order; how many there are."""
    count = 0
    for m in range(weight.size):
        if weight[m] > 0.0:
            weight[count], windows[count] = weight[m], windows[m]
            vectors[count], mean[count] = vectors[m], mean[m]
            count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def move_words(stream, parameters, proposals, h, v, accepted):  # type: ignore[no-untyped-def]
    """Move every word by Metropolis-Hastings proposals from its position's pool."""
    context = np.dot(h, parameters.U)
    for first in range(0, len(v), CHAINS_PER_POOL):
        block = slice(first, min(len(v), first + CHAINS_PER_POOL))
        move_block(stream, parameters, proposals, context[block], v[block], accepted[block])


@njit(cache=True, nogil=True)
def move_block(stream, parameters, proposals, context, v, accepted):  # type: ignore[no-untyped-def]
    """Move the words of chains that share their pools."""
    (M, n), (K, d) = v.shape, parameters.D.shape
    pool = np.empty((n, proposals.size), np.int32)
    fill_alias(stream, proposals.keep, proposals.alias, pool.reshape(-1))
    table, bias = parameters.D.reshape(1, K, d), parameters.b.reshape(1, K)
    words = WordWeights(table, bias, proposals.log_q, np.zeros(n, np.int64))
    rows, offset = gather_pool(words, pool)
    contexts = split_positions(context, n)
    proposal_scores = np.empty((n, M, proposals.size), context.dtype)
    for i in range(n):
        np.dot(contexts[i], rows[i].T, proposal_scores[i])
    current_weight = current_weights(words, contexts, v)
    run_pooled(stream, proposals.steps, pool, proposal_scores, offset, current_weight, v, accepted)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def accumulate(parameters, vectors, mean, weight, ranked, B, M, gradient):  # type: ignore[no-untyped-def]
    """The gradient: positive phase less negative phase. `mean` is overwritten."""
    n = vectors.shape[1] // parameters.D.shape[1]
    weigh_positive(mean, ranked, n, B, gradient)
    for m in range(len(mean) - B):
        negative = mean.dtype.type(-B / M * weight[m])
        rows = slice((B + m) * n, (B + m + 1) * n)
        gradient.b[rows], gradient.weight[rows] = negative, -negative
        for j in range(mean.shape[1]):
            mean[B + m, j] *= negative
    gradient.c[:] = 0
    for m in range(len(mean)):
        for j in range(mean.shape[1]):
            gradient.c[j] += mean[m, j]
    np.dot(mean.T, vectors, gradient.U)
    np.dot(mean, parameters.U, gradient.D[: n * len(mean)].reshape(vectors.shape))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def weigh_positive(mean, ranked, n, B, gradient):  # type: ignore[no-untyped-def]
    """Weigh the hidden means of the windows read, less those of their candidates."""
    one = mean.dtype.type(1)
    for m in range(B):
        read, candidate = one + ranked.read[m], ranked.weight[m]
        rows = slice(m * n, (m + 1) * n)
        gradient.b[rows], gradient.weight[rows] = read - candidate, read + candidate
        if ranked.number.size > 0:
            for j in range(mean.shape[1]):
                mean[m, j] = read * mean[m, j] - ranked.negative[m, j]


@njit(cache=True, nogil=True)
def add_candidates(D, ranked, first_row, gradient):  # type: ignore[no-untyped-def]
    """Add what ranking changes at the ranked positions: the words read, and their candidates."""
    (n, B, d), P = ranked.vectors.shape, ranked.number.size // max(1, len(ranked.vectors))
    for i in range(n):
        start, stop = ranked_windows(i, n, B, ranked.rotation)
        drawn, rows = slice(i * P, (i + 1) * P), slice(first_row + i * P, first_row + (i + 1) * P)
        row_index, negative = ranked.number[drawn], ranked.negative[start:stop]
        gradient.row_index[rows], gradient.weight[rows] = row_index, ranked.total[drawn]
        gradient.b[rows] = -ranked.total[drawn]
        gradient.D[rows] = -np.dot(ranked.means[drawn], ranked.U[i])
        dU = np.dot(negative.T, ranked.vectors[i, start:stop])
        dU -= np.dot(ranked.means[drawn].T, gather(D, row_index))
        gradient.U[:, i * d : (i + 1) * d] += dU
        dD = np.dot(negative, ranked.U[i])
        for m in range(start, stop):
            gradient.b[m * n + i] += ranked.weight[m]
            gradient.weight[m * n + i] -= ranked.weight[m]
            gradient.D[m * n + i] += dD[m - start]
