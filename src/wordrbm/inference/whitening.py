"""Word vectors whose cosines do not depend on how the weights are factorised.

The energy knows D only through ``U[i] D[w]``: for any invertible A, ``D A`` and ``U[i] A^-T`` are
the same model, so cosines of rows of D are arbitrary. Centred and whitened vectors,

    x[w] = (D[w] - m) C^(-1/2),  m = sum_w q[w] D[w],  C = sum_w q[w] (D[w] - m)^T (D[w] - m)

with q the frequencies of the words, only rotate under A. The cosine of x[w] and x[u] is that of
the Mahalanobis inner product ``(D[w] - m) C^-1 (D[u] - m)^T``.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Float64

VOCAB_BLOCK = 4096  # rows in double precision at a time: a whole D may not fit twice
MIN_VARIANCE = 1e-10  # relative to the largest: directions below it have no spread, and are dropped


@final
@dataclass(frozen=True, eq=False)
class Whitening:
    """The affine map ``x -> (x - mean) transform``; the transform is symmetric."""

    mean: Float64[np.ndarray, " d"]
    transform: Float64[np.ndarray, "d d"]

    def __call__(self, vectors: Float[np.ndarray, "... d"]) -> Float[np.ndarray, "... d"]:
        """Map a vector or rows of vectors; the result has the precision of the input."""
        whitened = np.empty_like(vectors).reshape(-1, vectors.shape[-1])
        rows = vectors.reshape(whitened.shape)
        for first in range(0, len(rows), VOCAB_BLOCK):
            block = slice(first, first + VOCAB_BLOCK)
            whitened[block] = (rows[block] - self.mean) @ self.transform
        return whitened.reshape(vectors.shape)


def fit_whitening(D: Float[np.ndarray, "K d"], q: Float64[np.ndarray, " K"]) -> Whitening:
    """Return the map under which rows of D have mean 0 and covariance 1 in the frequencies q."""
    d = D.shape[1]
    mean, covariance = expected_row(D, q), np.zeros((d, d))
    for first in range(0, len(D), VOCAB_BLOCK):
        centred = D[first : first + VOCAB_BLOCK] - mean
        covariance += (centred * q[first : first + VOCAB_BLOCK, None]).T @ centred
    variance, axes = np.linalg.eigh(covariance)
    has_spread = variance > MIN_VARIANCE * variance[-1]
    scale = np.zeros(d)
    scale[has_spread] = variance[has_spread] ** -0.5
    return Whitening(mean, (axes * scale) @ axes.T)


def expected_row(
    D: Float[np.ndarray, "K d"], probability: Float64[np.ndarray, " K"]
) -> Float64[np.ndarray, " d"]:
    """``sum_k probability[k] D[k]`` in double precision."""
    expected = np.zeros(D.shape[1])
    for first in range(0, len(D), VOCAB_BLOCK):
        block = slice(first, first + VOCAB_BLOCK)
        expected += probability[block] @ D[block].astype(np.float64)
    return expected
