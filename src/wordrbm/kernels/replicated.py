"""One shard's share of an update of the replicated softmax, compiled.

With ``s = sum_k n_k D_k`` and p the hidden means,

    p = logistic(N c + U s),   dU = sum_m weight_m p_m s_m^T,   dc = sum_m weight_m N_m p_m,
    dD[k] = weight_m n_k U^T p_m,   db[k] = weight_m n_k

Documents read have positive weights, those of the chains (`document_tempering.py`) negative ones.
The products go to BLAS. Its cost is free of K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import owner_thread
from wordrbm.kernels.document_tempering import (
    LengthWeights,
    TemperedChains,
    hidden_means,
    temper_round,
)
from wordrbm.kernels.metropolis import REORDER
from wordrbm.kernels.optimizer import clear_rows
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.rng import seed_state
from wordrbm.shapes import Array


class Documents(NamedTuple):
    """Documents as rows of a sparse matrix of counts."""

    offsets: Array  # N + 1: where the entries of each document begin and end
    words: Array
    counts: Array  # of the words, in the model's precision


@njit(cache=True, nogil=True, fastmath=REORDER)
def word_sums(documents, D, sums, lengths):  # type: ignore[no-untyped-def]
    """``sums[m] = sum_k n_k D[k]`` and ``lengths[m] = sum_k n_k`` of every document."""
    sums[:], lengths[:] = 0, 0
    for m in range(len(sums)):
        total = sums[m]
        for e in range(documents.offsets[m], documents.offsets[m + 1]):
            row, count = D[documents.words[e]], documents.counts[e]
            lengths[m] += count
            for k in range(row.size):
                total[k] += count * row[k]


@njit(cache=True, nogil=True)
def move_chains(
    seed: int, step: int, shard: int, parameters: Parameters, proposals: PooledProposals,
    chains: TemperedChains, lengths: LengthWeights,
) -> None:  # fmt: skip
    """Move the chains of a shard in place by some rounds."""
    stream = seed_state(seed, step, shard)
    sums, count = allocate_sums(parameters, chains.length.size)
    word_sums(packed(parameters, chains), parameters.D, sums, count)
    for _ in range(proposals.steps):
        temper_round(stream, parameters, proposals, chains, sums, lengths)


@njit(cache=True, nogil=True)
def shard_gradient(
    parameters: Parameters, read: Documents, read_weight: Array, chains: TemperedChains,
    chain_weight: Array, gradient: ShardGradient,
) -> None:  # fmt: skip
    """The gradient of the documents read less that of the chains; weights are positive."""
    gradient.U[:], gradient.c[:], gradient.rows[0] = 0, 0, 0
    for documents, weight in (
        (packed(parameters, chains), -chain_weight),
        (read, read_weight),
    ):
        sums, lengths = allocate_sums(parameters, weight.size)
        word_sums(documents, parameters.D, sums, lengths)
        add_phase(parameters, documents, sums, lengths, weight, gradient)


@njit(cache=True, nogil=True)
def packed(parameters, chains):  # type: ignore[no-untyped-def]
    """The words of all chains, one after the other."""
    offsets = np.zeros(chains.length.size + 1, np.int64)
    offsets[1:] = np.cumsum(chains.length)
    words = np.empty(offsets[-1], np.int32)
    for m in range(chains.length.size):
        words[offsets[m] : offsets[m + 1]] = chains.words[m, : chains.length[m]]
    return Documents(offsets, words, np.ones(words.size, parameters.D.dtype))


@njit(cache=True, nogil=True)
def allocate_sums(parameters, count):  # type: ignore[no-untyped-def]
    """Room for the sums of word vectors and the lengths of so many documents."""
    dtype = parameters.D.dtype
    return np.empty((count, parameters.D.shape[1]), dtype), np.empty(count, dtype)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def add_phase(parameters, documents, sums, lengths, weight, gradient):  # type: ignore[no-untyped-def]
    """Add the gradient of weighted documents; returns their hidden means."""
    mean = hidden_means(parameters, sums, lengths)
    weighted = mean.copy()
    for m in range(weight.size):
        for j in range(mean.shape[1]):
            weighted[m, j] *= weight[m]
            gradient.c[j] += lengths[m] * weighted[m, j]
    gradient.U[:] += np.dot(weighted.T, sums)
    vectors = np.dot(weighted, parameters.U)
    row = gradient.rows[0]
    for m in range(weight.size):
        for e in range(documents.offsets[m], documents.offsets[m + 1]):
            count = documents.counts[e]
            gradient.row_index[row] = documents.words[e]
            gradient.b[row], gradient.weight[row] = count * weight[m], count * abs(weight[m])
            for k in range(vectors.shape[1]):
                gradient.D[row, k] = count * vectors[m, k]
            row += 1
    gradient.rows[0] = row
    return mean


@njit(cache=True, nogil=True, fastmath=REORDER)
def positive_sum(weights):  # type: ignore[no-untyped-def]
    """``sum_j max(weights_j, 0)``; several sums side by side, else each waits for the last one."""
    zero, total = weights.dtype.type(0), weights.dtype.type(0)
    for j in range(weights.size):
        total += max(weights[j], zero)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def limit_rows(thread, threads, parameters, full, gradient, seen, limit):  # type: ignore[no-untyped-def]
    """Scale the rows of D in the gradient down to ``sum_j max(W_jw, 0) <= limit``.

    The largest factor by which topics can raise the score of a word is then exp(limit). U is the
    identity if `full`. Rows are shared out as in `optimizer.py`; `seen` is zero before and after.
    """
    for s in range(len(gradient.rows)):
        for w in gradient.row_index[s, : gradient.rows[s]]:
            if owner_thread(w, threads) == thread and seen[w] == 0:
                seen[w] = 1
                weights = parameters.D[w]
                if not full:
                    weights = np.dot(parameters.U, weights)
                total = positive_sum(weights)
                if total > limit:
                    parameters.D[w] *= parameters.D.dtype.type(limit / total)
    for s in range(len(gradient.rows)):
        clear_rows(thread, threads, gradient.row_index[s, : gradient.rows[s]], seen)
