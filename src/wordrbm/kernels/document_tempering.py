"""Chains of documents whose length changes too: simulated tempering along N, compiled.

The state of a chain is its length N, its words v and its hidden vector h:

    P(N, v, h) ~ exp(-E(v, h) + g_N),   0 <= N <= L

At length 0 all h are alike, so every visit there makes a chain forget what it was; a chain that
grows again is drawn anew. Each round makes, with h fixed,

1. a fixed number of Metropolis-Hastings proposals to replace a word, by words from q;
2. a fixed number of proposals to add or to remove a word. To add one, S words are drawn from q;
   their weights are ``w_s = exp(b + h . (c + W)) / q``; one is chosen by weight and added with
   probability
   ``min(1, mean(w) exp(g_{N+1} - g_N))``. To remove one, a word at random and S - 1 words from q
   have the weights, and it is removed with probability ``min(1, exp(g_N - g_{N+1}) / mean(w))``.
   Chains keep their direction until a proposal is refused (lifting);

3. in short documents, one proposal of a whole document (`document_jumps.py`);

and then draws h given v. Every step is exact for the distribution above. Its cost is free of K.

References
    E. Marinari, G. Parisi. Simulated tempering. Europhysics Letters 19, 1992.
    K. Turitsyn, M. Chertkov, M. Vucelja. Irreversible Monte Carlo algorithms. Physica D 240, 2011.
    J. Liu, F. Liang, W. Wong. The multiple-try method. JASA 95, 2000.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import fill_alias
from wordrbm.kernels.document_jumps import LONGEST_JUMP, jump_document
from wordrbm.kernels.fastmath import exp
from wordrbm.kernels.metropolis import REORDER, gather
from wordrbm.kernels.rng import fill_bernoulli, next_uint64, random_bits, uniform
from wordrbm.shapes import Array

TRIES = 8  # S
RESIZES = 16  # proposals to add or to remove a word in a round
REPLACEMENTS = 96  # proposals to replace one
POOL = 256  # proposals drawn for a round, which the chains of a shard share


class TemperedChains(NamedTuple):
    """Chains of documents with room for L words each."""

    words: Array  # M x L
    length: Array  # M
    h: Array  # M x H
    direction: Array  # M: 1 to add words, -1 to remove them


class LengthWeights(NamedTuple):
    """``g_{N+1} - g_N`` for N < L, the bin of every length, and what was proposed in each bin."""

    log_step: Array
    bin_of: Array
    added: Array  # number of proposals to add a word, summed probability of acceptance
    removed: Array


@njit(cache=True, nogil=True, fastmath=REORDER)
def word_weight(parameters, log_q, g, w):  # type: ignore[no-untyped-def]
    """``exp(b_w + g . D_w) / q(w)``."""
    row, total = parameters.D[w], parameters.b[w] - log_q[w]
    for k in range(row.size):
        total += g[k] * row[k]
    return exp(total)


@njit(cache=True, nogil=True)
def move_sum(total, D, w, sign):  # type: ignore[no-untyped-def]
    """``total += sign D[w]``."""
    row = D[w]
    for k in range(row.size):
        total[k] += sign * row[k]


@njit(cache=True, nogil=True, error_model="numpy")
def replace_words(parameters, log_q, g, pool, weights, bits, place, stride, v, N, total):  # type: ignore[no-untyped-def]
    """Propose to replace words at random places by entries of the pool; the next place in it."""
    last = np.uint64(pool.size - 1)
    one = parameters.b.dtype.type(1)
    for t in range(REPLACEMENTS):
        entry = np.int64(place & last)
        place += stride
        i = np.int64((np.uint64(bits[2 * t]) * np.uint64(N)) >> np.uint64(32))
        current = word_weight(parameters, log_q, g, v[i])
        if uniform(bits[2 * t + 1]) * current < weights[entry]:
            move_sum(total, parameters.D, v[i], -one)
            v[i] = pool[entry]
            move_sum(total, parameters.D, v[i], one)
    return place


@njit(cache=True, nogil=True, error_model="numpy")
def choose_entry(weights, place, stride, u):  # type: ignore[no-untyped-def]
    """The mean weight of S entries of the pool, and one of them, chosen by weight."""
    last = np.uint64(weights.size - 1)
    total = 0.0
    for s in range(TRIES):
        total += weights[np.int64((place + np.uint64(s) * stride) & last)]
    rest = u * total
    for s in range(TRIES):
        entry = np.int64((place + np.uint64(s) * stride) & last)
        rest -= weights[entry]
        if rest < 0:
            break
    return total / TRIES, entry


@njit(cache=True, nogil=True, error_model="numpy")
def mean_with(weights, place, stride, current):  # type: ignore[no-untyped-def]
    """The mean of the weight of a word in place and of S - 1 entries of the pool."""
    last = np.uint64(weights.size - 1)
    total = np.float64(current)
    for s in range(TRIES - 1):
        total += weights[np.int64((place + np.uint64(s) * stride) & last)]
    return total / TRIES


@njit(cache=True, nogil=True, error_model="numpy")
def resize_document(  # type: ignore[no-untyped-def]
    parameters, log_q, g, bias, pool, weights, bits, place, stride, v, N, direction, total, lengths
):
    """Propose to add and to remove words; the new length and direction. ``bias = c . h``."""
    one = parameters.b.dtype.type(1)
    for t in range(RESIZES):
        u, place_bits = uniform(bits[3 * t]), bits[3 * t + 1]
        if direction > 0 and v.size > N:
            weight, entry = choose_entry(weights, place, stride, uniform(bits[3 * t + 2]))
            chance = min(1.0, np.exp(np.log(weight) + bias + lengths.log_step[N]))
            lengths.added[lengths.bin_of[N], 0] += 1
            lengths.added[lengths.bin_of[N], 1] += chance
            if u < chance:
                v[N] = pool[entry]
                move_sum(total, parameters.D, v[N], one)
                N += 1
            else:
                direction = -1
        elif direction < 0 and N > 0:
            i = np.int64((np.uint64(place_bits) * np.uint64(N)) >> np.uint64(32))
            current = word_weight(parameters, log_q, g, v[i])
            weight = mean_with(weights, place, stride, current)
            chance = min(1.0, np.exp(-np.log(weight) - bias - lengths.log_step[N - 1]))
            lengths.removed[lengths.bin_of[N - 1], 0] += 1
            lengths.removed[lengths.bin_of[N - 1], 1] += chance
            if u < chance:
                move_sum(total, parameters.D, v[i], -one)
                N -= 1
                v[i] = v[N]
            else:
                direction = 1
        else:
            direction = -direction
        place += np.uint64(TRIES) * stride
    return N, direction


@njit(cache=True, nogil=True, error_model="numpy")
def temper_round(stream, parameters, proposals, chains, sums, lengths):  # type: ignore[no-untyped-def]
    """One round of all chains: words, lengths, and new hidden states. `sums` follows the words."""
    context = np.dot(chains.h, parameters.U)
    pool = np.empty(POOL, np.int32)
    fill_alias(stream, proposals.keep, proposals.alias, pool)
    weights = np.dot(context, gather(parameters.D, pool).T)
    for m in range(len(weights)):
        for k in range(pool.size):
            weights[m, k] = exp(weights[m, k] + parameters.b[pool[k]] - proposals.log_q[pool[k]])
    for m in range(len(weights)):
        bias = 0.0
        for j in range(parameters.c.size):
            bias += parameters.c[j] * chains.h[m, j]
        bits = random_bits(stream, 2 * REPLACEMENTS + 3 * RESIZES)
        place, stride = next_uint64(stream), next_uint64(stream) | np.uint64(1)
        N = chains.length[m]
        if N > 0:
            place = replace_words(
                parameters, proposals.log_q, context[m], pool, weights[m], bits, place, stride,
                chains.words[m], N, sums[m],
            )  # fmt: skip
        chains.length[m], chains.direction[m] = resize_document(
            parameters, proposals.log_q, context[m], bias, pool, weights[m],
            bits[2 * REPLACEMENTS :], place, stride, chains.words[m], N, chains.direction[m],
            sums[m], lengths,
        )  # fmt: skip
        N = chains.length[m]
        if 0 < N <= LONGEST_JUMP:
            jump_document(stream, parameters, proposals, chains.words[m, :N], sums[m])
    mean = hidden_means(parameters, sums, chains.length)
    fill_bernoulli(stream, mean, chains.h)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def hidden_means(parameters, sums, lengths):  # type: ignore[no-untyped-def]
    """``logistic(N c + U s)`` of every document."""
    mean = np.dot(sums, parameters.U.T)
    one = mean.dtype.type(1)
    for m in range(len(mean)):
        N = mean.dtype.type(lengths[m])
        for j in range(mean.shape[1]):
            mean[m, j] = one / (one + exp(-(mean[m, j] + N * parameters.c[j])))
    return mean
