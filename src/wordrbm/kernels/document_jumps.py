"""Documents as counts, and Metropolis-Hastings moves of whole documents, compiled.

A document of N words is proposed to a chain of that length, whatever its current one:

    r(v) = e sum_w (q(w) + 1/K) / 2 [v = w w .. w] + (1 - e) prod_i q(v_i)

and accepted with probability ``min(1, exp(F(v) - F(v')) r(v) / r(v'))``, with the hidden units
summed out. Its cost is free of K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias, fill_alias
from wordrbm.kernels.fastmath import softplus_row_sums
from wordrbm.kernels.metropolis import REORDER, is_accepted
from wordrbm.kernels.rng import next_uniform
from wordrbm.shapes import Array

REPEATED = 0.5  # e: share of proposed documents that are one word throughout


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


@njit(cache=True, nogil=True, error_model="numpy")
def log_masses(parameters, documents, sums, lengths, out):  # type: ignore[no-untyped-def]
    """``-F = sum_k n_k b_k + sum_j softplus(N c_j + (U s)_j)`` of every document, in double."""
    inputs = np.dot(sums, parameters.U.T)
    for m in range(out.size):
        out[m] = 0.0
        for e in range(documents.offsets[m], documents.offsets[m + 1]):
            out[m] += documents.counts[e] * parameters.b[documents.words[e]]
        for j in range(inputs.shape[1]):
            inputs[m, j] += lengths[m] * parameters.c[j]
    softplus_row_sums(inputs, out)


@njit(cache=True, nogil=True, error_model="numpy")
def log_document_proposal(log_q, v):  # type: ignore[no-untyped-def]
    """``log r(v)``: one word throughout, uniform or by frequency, or words by frequency."""
    total, constant = 0.0, True
    for i in range(v.size):
        total += log_q[v[i]]
        constant = constant and v[i] == v[0]
    if not constant:
        return np.log(1.0 - REPEATED) + total
    repeated = 0.5 * (np.exp(np.float64(log_q[v[0]])) + 1.0 / log_q.size)
    return np.log(REPEATED * repeated + (1.0 - REPEATED) * np.exp(total))


@njit(cache=True, nogil=True)
def propose_documents(stream, proposals, offsets, words):  # type: ignore[no-untyped-def]
    """Fill `words` with a document of each length: one word throughout, or words by frequency."""
    for m in range(offsets.size - 1):
        document = words[offsets[m] : offsets[m + 1]]
        if next_uniform(stream) < REPEATED:
            if next_uniform(stream) < 0.5:
                document[:] = draw_alias(stream, proposals.keep, proposals.alias)
            else:
                document[:] = int(next_uniform(stream) * proposals.keep.size)
        else:
            fill_alias(stream, proposals.keep, proposals.alias, document)


@njit(cache=True, nogil=True, error_model="numpy")
def jump_documents(stream, parameters, proposals, offsets, words, sums, lengths, jumped):  # type: ignore[no-untyped-def]
    """Metropolis-Hastings moves of whole documents, with the hidden units summed out.

    Words moved one at a time do not reach a document that is one word repeated, where a model
    whose weights grow too fast has its mass.
    """
    M, ones = offsets.size - 1, np.ones(words.size, sums.dtype)
    proposed, proposed_sums = np.empty_like(words), np.empty_like(sums)
    current_mass, proposed_mass = np.empty(M), np.empty(M)
    propose_documents(stream, proposals, offsets, proposed)
    log_masses(parameters, Documents(offsets, words, ones), sums, lengths, current_mass)
    documents = Documents(offsets, proposed, ones)
    word_sums(documents, parameters.D, proposed_sums, lengths)
    log_masses(parameters, documents, proposed_sums, lengths, proposed_mass)
    for m in range(M):
        old, new = words[offsets[m] : offsets[m + 1]], proposed[offsets[m] : offsets[m + 1]]
        if old.size > 0:
            current = current_mass[m] - log_document_proposal(proposals.log_q, old)
            offered = proposed_mass[m] - log_document_proposal(proposals.log_q, new)
            if is_accepted(stream, current, offered):
                old[:], sums[m] = new, proposed_sums[m]
                jumped[m] += 1
