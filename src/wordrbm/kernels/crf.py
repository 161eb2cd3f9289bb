"""Inference in a linear-chain CRF: forward-backward sums over all labelings, and Viterbi.

    log P(y | x) = sum_t s[t, y_t] + sum_t A[y_{t-1}, y_t] - log Z

Forward and backward sums are scaled at every token to one, so nothing overflows [Rabiner 1989]; the
scales give log Z. Sentences are concatenated: sentence k is s[ends[k-1] : ends[k]].

References
    L. Rabiner. A tutorial on hidden Markov models. Proc. IEEE 77(2), 1989.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True, error_model="numpy")
def forward_backward(scores: Array, A: Array, ends: Array, pairs: Array) -> float:
    """Overwrite ``scores`` (T, L) by the marginals ``P(y_t = l)``; return the sum of log Z.

    ``P(y_{t-1} = k, y_t = l)``, summed over tokens, is added to `pairs` (L, L).
    """
    top = A.max()
    exp_A = np.exp(A - top)
    exp_A_T = exp_A.T.copy()  # so that both directions read along rows
    forward, products = np.empty_like(scores), np.zeros_like(A)
    total, begin = 0.0, 0
    for end in ends:
        if end > begin:
            sentence = scores[begin:end], forward[begin:end]
            total += (end - begin - 1) * top + _sentence(sentence, exp_A, exp_A_T, products)
        begin = end
    pairs += products * exp_A
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _sentence(sentence, exp_A, exp_A_T, products):  # type: ignore[no-untyped-def]
    """Marginals of one sentence; returns log Z less the largest transition score of every step."""
    scores, forward = sentence
    T, L = scores.shape
    scale, log_Z = np.empty(T), 0.0
    for t in range(T):
        largest = scores[t].max()
        log_Z += largest
        for k in range(L):
            scores[t, k] = np.exp(scores[t, k] - largest)
    for t in range(T):
        _forward_step(scores, exp_A, forward, t)
        scale[t] = 1.0 / forward[t].sum()
        forward[t] *= scale[t]
        log_Z -= np.log(scale[t])
    beta, message = np.ones(L), np.empty(L)
    for t in range(T - 1, -1, -1):
        for j in range(L):
            message[j] = scores[t, j] * beta[j] * scale[t]
            scores[t, j] = forward[t, j] * beta[j]
        if t > 0:
            _backward_step(forward[t - 1], exp_A_T, message, beta, products)
    return log_Z


@njit(cache=True, nogil=True, error_model="numpy")
def _forward_step(exp_scores, exp_A, forward, t):  # type: ignore[no-untyped-def]
    """Unscaled forward sums at token t."""
    L = exp_A.shape[0]
    if t == 0:
        forward[0] = exp_scores[0]
        return
    forward[t] = 0.0
    for k in range(L):
        weight = forward[t - 1, k]
        for j in range(L):
            forward[t, j] += weight * exp_A[k, j]
    for j in range(L):
        forward[t, j] *= exp_scores[t, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _backward_step(forward, exp_A_T, message, beta, products):  # type: ignore[no-untyped-def]
    """Backward sums one token earlier; adds forward times message to `products`."""
    L = beta.size
    beta[:] = 0.0
    for j in range(L):
        for k in range(L):
            beta[k] += message[j] * exp_A_T[j, k]
    for k in range(L):
        for j in range(L):
            products[k, j] += forward[k] * message[j]


@njit(cache=True, nogil=True)
def viterbi(scores: Array, A: Array, ends: Array, labels: Array) -> None:
    """Write the most probable labels of every sentence; ties go to the lower label."""
    L = scores.shape[1]
    begin = 0
    for end in ends:
        backpointer = np.zeros((end - begin, L), np.int32)
        for t in range(begin + 1, end):
            for j in range(L):
                argmax, value = 0, scores[t - 1, 0] + A[0, j]
                for k in range(1, L):
                    if scores[t - 1, k] + A[k, j] > value:
                        argmax, value = k, scores[t - 1, k] + A[k, j]
                backpointer[t - begin, j] = argmax
            for j in range(L):
                k = backpointer[t - begin, j]
                scores[t, j] += scores[t - 1, k] + A[k, j]
        if end > begin:
            labels[end - 1] = np.argmax(scores[end - 1])
            for t in range(end - 1, begin, -1):
                labels[t - 1] = backpointer[t - begin, labels[t]]
        begin = end


@njit(cache=True, nogil=True)
def add_attribute_scores(attributes: Array, offsets: Array, W: Array, scores: Array) -> None:
    """Add the rows ``W[attributes[offsets[t] : offsets[t + 1]]]`` to the scores of token t."""
    for t in range(len(scores)):
        for p in range(offsets[t], offsets[t + 1]):
            row = W[attributes[p]]
            for j in range(row.size):
                scores[t, j] += row[j]


@njit(cache=True, nogil=True)
def attribute_gradient(
    attributes: Array, offsets: Array, residuals: Array, gradient: Array
) -> None:
    """Add the residuals of token t to the gradient rows of its attributes."""
    for t in range(len(residuals)):
        for p in range(offsets[t], offsets[t + 1]):
            row = gradient[attributes[p]]
            for j in range(row.size):
                row[j] += residuals[t, j]
