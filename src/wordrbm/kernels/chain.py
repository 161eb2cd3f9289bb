"""A linear chain of labels: sums over all labelings of a sentence, and the best one.

    log P(y | x) = sum_t s[t, y_t] + sum_t A[y_{t-1}, y_t] - log Z

Forward and backward sums are scaled at every step to one, so nothing overflows [Rabiner 1989]; the
scales give log Z. Sentences lie one after another: sentence k is s[ends[k-1] : ends[k]].

References
    L. Rabiner. A tutorial on hidden Markov models. Proc. IEEE 77(2), 1989.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True, error_model="numpy")
def marginals(scores: Array, A: Array, ends: Array, pairs: Array) -> float:
    """``P(y_t = l)`` of every token, written over its scores; gives the sum of log Z.

    ``P(y_{t-1} = k, y_t = l)``, summed over tokens, is added to `pairs`.
    """
    top = A.max()
    raised = np.exp(A - top)
    back = raised.T.copy()  # so that both ways go along rows
    forward, products = np.empty_like(scores), np.zeros_like(A)
    total, begin = 0.0, 0
    for end in ends:
        if end > begin:
            own = scores[begin:end], forward[begin:end]
            total += (end - begin - 1) * top + _sentence(own, raised, back, products)
        begin = end
    pairs += products * raised
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _sentence(own, raised, back, products):  # type: ignore[no-untyped-def]
    """Of one sentence; log Z is given without the largest transition of every step."""
    scores, forward = own
    T, L = scores.shape
    scale, log_Z = np.empty(T), 0.0
    for t in range(T):
        largest = scores[t].max()
        log_Z += largest
        for k in range(L):
            scores[t, k] = np.exp(scores[t, k] - largest)
    for t in range(T):
        _step(scores, raised, forward, t)
        scale[t] = 1.0 / forward[t].sum()
        forward[t] *= scale[t]
        log_Z -= np.log(scale[t])
    behind, ahead = np.ones(L), np.empty(L)
    for t in range(T - 1, -1, -1):
        for j in range(L):
            ahead[j] = scores[t, j] * behind[j] * scale[t]
            scores[t, j] = forward[t, j] * behind[j]
        if t > 0:
            _back(forward[t - 1], back, ahead, behind, products)
    return log_Z


@njit(cache=True, nogil=True, error_model="numpy")
def _step(raised_scores, raised, forward, t):  # type: ignore[no-untyped-def]
    """The forward sums at t, not yet scaled."""
    L = raised.shape[0]
    if t == 0:
        forward[0] = raised_scores[0]
        return
    forward[t] = 0.0
    for k in range(L):
        weight = forward[t - 1, k]
        for j in range(L):
            forward[t, j] += weight * raised[k, j]
    for j in range(L):
        forward[t, j] *= raised_scores[t, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _back(forward, back, ahead, behind, products):  # type: ignore[no-untyped-def]
    """The backward sums a token earlier; what meets in between is added to `products`."""
    L = behind.size
    behind[:] = 0.0
    for j in range(L):
        for k in range(L):
            behind[k] += ahead[j] * back[j, k]
    for k in range(L):
        for j in range(L):
            products[k, j] += forward[k] * ahead[j]


@njit(cache=True, nogil=True)
def best(scores: Array, A: Array, ends: Array, labels: Array) -> None:
    """The likeliest labels of every sentence [Viterbi]; of equal ones the lower label."""
    L = scores.shape[1]
    begin = 0
    for end in ends:
        came = np.zeros((end - begin, L), np.int32)
        for t in range(begin + 1, end):
            for j in range(L):
                reached, value = 0, scores[t - 1, 0] + A[0, j]
                for k in range(1, L):
                    if scores[t - 1, k] + A[k, j] > value:
                        reached, value = k, scores[t - 1, k] + A[k, j]
                came[t - begin, j] = reached
            for j in range(L):
                k = came[t - begin, j]
                scores[t, j] += scores[t - 1, k] + A[k, j]
        if end > begin:
            labels[end - 1] = np.argmax(scores[end - 1])
            for t in range(end - 1, begin, -1):
                labels[t - 1] = came[t - begin, labels[t]]
        begin = end


@njit(cache=True, nogil=True)
def add_rows(attributes: Array, first: Array, weights: Array, scores: Array) -> None:
    """To the scores of token t the rows of its `attributes[first[t] : first[t + 1]]`."""
    for t in range(len(scores)):
        for place in range(first[t], first[t + 1]):
            row = weights[attributes[place]]
            for j in range(row.size):
                scores[t, j] += row[j]


@njit(cache=True, nogil=True)
def gather_rows(attributes: Array, first: Array, errors: Array, gradient: Array) -> None:
    """The other way: to the row of every attribute the errors of the tokens that have it."""
    for t in range(len(errors)):
        for place in range(first[t], first[t + 1]):
            row = gradient[attributes[place]]
            for j in range(row.size):
                row[j] += errors[t, j]
