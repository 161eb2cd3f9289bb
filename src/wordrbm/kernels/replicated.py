"""One shard's share of an update of the replicated softmax, compiled.

All N words of a document share one context ``g = U^T h``, so given h they are independent draws
from one softmax, and one pool of proposals serves them all: every word and step has an entry of
its own. The products with the pool go to BLAS. With ``s = sum_k n_k D_k`` and p the hidden means,

    p = logistic(N c + U s),   dU = sum_m weight_m p_m s_m^T,   dc = sum_m weight_m N_m p_m,
    dD[k] = weight_m n_k U^T p_m,   db[k] = weight_m n_k

Documents read have positive weights, those of the chains negative ones. Its cost is free of K.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.alias import fill_alias
from wordrbm.kernels.document_jumps import Documents, jump_documents, word_sums
from wordrbm.kernels.metropolis import REORDER, gather, is_accepted
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.rng import exponentials, fill_bernoulli, next_uint64, seed_state
from wordrbm.shapes import Array

CHAINS_PER_POOL = 32
EXCHANGES = 16  # rounds of exchanges of neighbours in an update


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def hidden_means(parameters, sums, lengths):  # type: ignore[no-untyped-def]
    """``logistic(N c + U s)`` of every document."""
    mean = np.dot(sums, parameters.U.T)
    one = mean.dtype.type(1)
    for m in range(len(mean)):
        for j in range(mean.shape[1]):
            x = mean[m, j] + lengths[m] * parameters.c[j]
            mean[m, j] = one / (one + np.exp(-x))
    return mean


@njit(cache=True, nogil=True)
def pool_size(words):  # type: ignore[no-untyped-def]
    """The smallest power of two that is no smaller."""
    size = 1
    while size < words:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def move_documents(stream, parameters, proposals, context, offsets, words, accepted):  # type: ignore[no-untyped-def]
    """Move every word of every chain by proposals from pools that some chains share."""
    for first in range(0, len(context), CHAINS_PER_POOL):
        last = min(len(context), first + CHAINS_PER_POOL)
        longest = 0
        for m in range(first, last):
            longest = max(longest, offsets[m + 1] - offsets[m])
        pool = np.empty(pool_size(longest * proposals.steps), np.int32)
        fill_alias(stream, proposals.keep, proposals.alias, pool)
        scores = np.dot(context[first:last], gather(parameters.D, pool).T)
        offset = np.empty(pool.size, context.dtype)
        for k in range(pool.size):
            offset[k] = parameters.b[pool[k]] - proposals.log_q[pool[k]]
        for m in range(first, last):
            document = words[offsets[m] : offsets[m + 1]]
            accepted[m] = move_words(
                stream, parameters, proposals, context[m], pool, scores[m - first], offset, document
            )


@njit(cache=True, nogil=True, fastmath=REORDER)
def move_words(stream, parameters, proposals, g, pool, scores, offset, v):  # type: ignore[no-untyped-def]
    """Move the words of one document by different entries of the pool; how often they moved.

    Distinct entries are independent: a random start, a random odd stride, a power of two of them.
    """
    slack = exponentials(stream, v.size * proposals.steps)
    place, stride = next_uint64(stream), next_uint64(stream) | np.uint64(1)
    last, taken, draw = np.uint64(pool.size - 1), 0, 0
    for i in range(v.size):
        row = parameters.D[v[i]]
        weight = parameters.b[v[i]] - proposals.log_q[v[i]]
        for k in range(row.size):
            weight += g[k] * row[k]
        for _ in range(proposals.steps):
            entry = np.int64(place & last)
            proposed = scores[entry] + offset[entry]
            if proposed + slack[draw] > weight:
                weight, v[i] = proposed, pool[entry]
                taken += 1
            place += stride
            draw += 1
    return taken


@njit(cache=True, nogil=True, error_model="numpy")
def exchange_neighbours(stream, parity, parameters, context, offsets, words, h):  # type: ignore[no-untyped-def]
    """Let chains of neighbouring lengths exchange their states (replica exchange).

    The longer document gives its last words to the shorter one; the two then exchange places:

        a = min(1, exp(sum_{w in x} (h_1 - h_2) . (c + U D[w])))

    Chains are in the order of their lengths. Topics travel from short documents, which change
    them easily, to long ones.
    """
    for m in range(parity, len(h) - 1, 2):
        start, middle, end = offsets[m], offsets[m + 1], offsets[m + 2]
        first, second = words[start:middle], words[middle:end]
        gain = 0.0
        for i in range(first.size, second.size):
            row = parameters.D[second[i]]
            for k in range(row.size):
                gain += (context[m, k] - context[m + 1, k]) * row[k]
        for j in range(parameters.c.size):
            gain += (second.size - first.size) * parameters.c[j] * (h[m, j] - h[m + 1, j])
        if is_accepted(stream, 0.0, gain):
            for i in range(first.size):
                first[i], second[i] = second[i], first[i]
            for j in range(parameters.c.size):
                h[m, j], h[m + 1, j] = h[m + 1, j], h[m, j]
            for k in range(context.shape[1]):
                context[m, k], context[m + 1, k] = context[m + 1, k], context[m, k]


@njit(cache=True, nogil=True)
def shard_gradient(
    seed: int, step: int, shard: int, parameters: Parameters, proposals: PooledProposals,
    read: Documents, read_weight: Array,
    offsets: Array, words: Array, h: Array, chain_weight: Array, gradient: ShardGradient,
) -> None:  # fmt: skip
    """Move the chains in place; the gradient of the documents read less that of the chains."""
    stream = seed_state(seed, step, shard)
    context = np.dot(h, parameters.U)
    move_documents(stream, parameters, proposals, context, offsets, words, gradient.accepted)
    for turn in range(EXCHANGES):
        exchange_neighbours(stream, turn % 2, parameters, context, offsets, words, h)
    sums, lengths = allocate_sums(parameters, h.shape[0])
    chains = Documents(offsets, words, np.ones(words.size, h.dtype))
    word_sums(chains, parameters.D, sums, lengths)
    gradient.jumped[:] = 0
    jump_documents(stream, parameters, proposals, offsets, words, sums, lengths, gradient.jumped)
    gradient.U[:], gradient.c[:], gradient.rows[0] = 0, 0, 0
    mean = add_phase(parameters, chains, sums, lengths, chain_weight, gradient)
    fill_bernoulli(stream, mean, h)
    sums, lengths = allocate_sums(parameters, read_weight.size)
    word_sums(read, parameters.D, sums, lengths)
    add_phase(parameters, read, sums, lengths, read_weight, gradient)


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
