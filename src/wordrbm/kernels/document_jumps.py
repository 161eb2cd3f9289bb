"""Metropolis-Hastings moves of whole short documents, compiled.

A document of N words is proposed to a chain of that length, whatever its current one:

    r(v) = e sum_w (q(w) + 1/K) / 2 [v = w w .. w] + (1 - e) prod_i q(v_i)

and accepted with probability ``min(1, exp(F(v) - F(v')) r(v) / r(v'))``, with the hidden units
summed out. Words moved one at a time do not reach a document that is one rare word repeated, where
a model whose weights grow too fast has its mass. Only short documents jump: there a typical
document is hardly likelier than under q, so nothing keeps a chain from a better one; what it finds
there grows with the chain (`document_tempering.py`). Its cost is free of K.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.alias import draw_alias, fill_alias
from wordrbm.kernels.metropolis import REORDER, is_accepted
from wordrbm.kernels.rng import next_uniform
from wordrbm.shapes import Array

REPEATED = 0.5  # e: share of proposed documents that are one word throughout
LONGEST_JUMP = 16  # words of a document that jumps


@njit(cache=True, nogil=True, fastmath=REORDER)
def sum_words(D: Array, v: Array, total: Array) -> None:
    """``total = sum_i D[v_i]``."""
    total[:] = 0
    for i in range(v.size):
        row = D[v[i]]
        for k in range(row.size):
            total[k] += row[k]


@njit(cache=True, nogil=True, error_model="numpy")
def log_mass(parameters, v, total):  # type: ignore[no-untyped-def]
    """``-F = sum_i b_{v_i} + sum_j softplus(N c_j + U_j . s)``, in double."""
    mass = 0.0
    for i in range(v.size):
        mass += parameters.b[v[i]]
    inputs = np.dot(parameters.U, total)
    for j in range(inputs.size):
        x = np.float64(inputs[j]) + v.size * np.float64(parameters.c[j])
        mass += max(x, 0.0) + np.log1p(np.exp(-abs(x)))
    return mass


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
def propose_document(stream, proposals, document):  # type: ignore[no-untyped-def]
    """Fill `document` with one word throughout, or with words by frequency."""
    if next_uniform(stream) < REPEATED:
        if next_uniform(stream) < 0.5:
            document[:] = draw_alias(stream, proposals.keep, proposals.alias)
        else:
            document[:] = int(next_uniform(stream) * proposals.keep.size)
    else:
        fill_alias(stream, proposals.keep, proposals.alias, document)


@njit(cache=True, nogil=True, error_model="numpy")
def jump_document(stream, parameters, proposals, v, total):  # type: ignore[no-untyped-def]
    """One proposal of a whole document of as many words; `total`, their summed vectors, follows.

    The hidden states must be drawn anew before they are used.
    """
    proposed, proposed_total = np.empty_like(v), np.empty_like(total)
    propose_document(stream, proposals, proposed)
    sum_words(parameters.D, proposed, proposed_total)
    current = log_mass(parameters, v, total) - log_document_proposal(proposals.log_q, v)
    offered = log_mass(parameters, proposed, proposed_total)
    offered -= log_document_proposal(proposals.log_q, proposed)
    if is_accepted(stream, current, offered):
        v[:], total[:] = proposed, proposed_total
