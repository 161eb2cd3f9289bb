"""A step along the orthogonalised momentum of one matrix of weights (Muon), compiled.

The momentum ``M = P S Q^T`` is replaced by about ``P Q^T``: every direction of the matrix learns at
the same speed, however small its gradient is beside that of the strongest. The singular values are
brought to about 1 by five Newton-Schulz steps,

    X <- a X + b (X X^T) X + c (X X^T)^2 X,      X = M / |M| at first,

all of which commute with ``A = X^T X``, so they are taken on small square matrices:
``X_t = X R_t`` and ``R_t+1 = R_t (a + b A_t + c A_t^2)`` with ``A_t = A R_t^2``.

References
    K. Jordan et al. Muon: an optimizer for hidden layers in neural networks. 2024.
    G. Schulz. Iterative Berechnung der reziproken Matrix. ZAMM 13, 1933.
"""

from typing import Any

import numpy as np
from numba import njit

from wordrbm.shapes import Array

STEPS = 5
A, B, C = 3.4445, -4.7750, 2.0315  # singular values end between 0.68 and 1.14
RATE = 0.05  # root mean square of a step of an entry, over the learning rate


@njit(cache=True, nogil=True, error_model="numpy")
def orthogonalize(M: Array) -> Any:
    """About ``P Q^T`` for ``M = P S Q^T``; singular values below 1e-3 of the norm stay smaller."""
    if M.shape[0] < M.shape[1]:
        return np.ascontiguousarray(orthogonalize_tall(np.ascontiguousarray(M.T)).T)
    return orthogonalize_tall(M)


@njit(cache=True, nogil=True, error_model="numpy")
def orthogonalize_tall(M):  # type: ignore[no-untyped-def]
    """The same for a contiguous matrix that has at least as many rows as columns."""
    number = M.dtype.type
    gram = np.dot(M.T, M)
    norm = number(np.sqrt(np.trace(gram)))
    gram /= max(norm * norm, number(1e-30))
    factor = np.eye(len(gram)).astype(M.dtype)
    for _ in range(STEPS):
        square = np.dot(gram, np.dot(factor, factor))
        polynomial = number(B) * square + number(C) * np.dot(square, square)
        for k in range(len(polynomial)):
            polynomial[k, k] += number(A)
        factor = np.dot(factor, polynomial)
    return np.dot(M, factor) / max(norm, number(1e-15))


@njit(cache=True, nogil=True, error_model="numpy")
def muon_step(
    U: Array, velocity: Array, gradient: Array, mean: float, rate: float, momentum: float,
    shrink: float, bound: float,
) -> bool:  # fmt: skip
    """Step U (H x d) by the gradients of all shards; whether all entries are within `bound`.

    ``velocity = momentum velocity + g`` with ``g = mean sum_s gradient[s]``, and
    ``U += rate orthogonal(momentum velocity + g) - shrink U``, scaled so that an entry of U changes
    by `RATE` times the rate, in the root mean square.
    """
    H, d = U.shape
    momenta = np.empty((H, d), U.dtype)
    for j in range(H):
        for k in range(d):
            g = gradient[0, j, k]
            for s in range(1, len(gradient)):
                g += gradient[s, j, k]
            velocity[j, k] = momentum * velocity[j, k] + mean * g
            momenta[j, k] = momentum * velocity[j, k] + mean * g
    direction = orthogonalize(momenta)
    scale = U.dtype.type(rate * RATE * np.sqrt(max(H, d)))
    within = True
    for j in range(H):
        for k in range(d):
            U[j, k] += scale * direction[j, k] - shrink * U[j, k]
            within = within and abs(U[j, k]) < bound
    return within
