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

from wordrbm.using.precise import expected_row

BLOCK = 4096  # rows in double precision at a time
SMALLEST = 1e-10  # of the largest variance: directions below it have no spread, and are left out


@final
@dataclass(frozen=True, eq=False)
class Whitening:
    """The affine map ``x -> (x - mean) transform``; the transform is symmetric."""

    mean: Float64[np.ndarray, " d"]
    transform: Float64[np.ndarray, "d d"]

    def __call__(self, rows: Float[np.ndarray, "... d"]) -> Float[np.ndarray, "... d"]:
        """Map a vector or rows of vectors; the result has the precision of what was given."""
        mapped = np.empty_like(rows).reshape(-1, rows.shape[-1])
        given = rows.reshape(mapped.shape)
        for first in range(0, len(given), BLOCK):
            block = slice(first, first + BLOCK)
            mapped[block] = (given[block] - self.mean) @ self.transform
        return mapped.reshape(rows.shape)


def fit_whitening(D: Float[np.ndarray, "K d"], q: Float64[np.ndarray, " K"]) -> Whitening:
    """Return the map under which rows of D have mean 0 and covariance 1 in the frequencies q."""
    d = D.shape[1]
    mean, covariance = expected_row(D, q), np.zeros((d, d))
    for first in range(0, len(D), BLOCK):
        centred = D[first : first + BLOCK] - mean
        covariance += (centred * q[first : first + BLOCK, None]).T @ centred
    variance, axes = np.linalg.eigh(covariance)
    spread = variance > SMALLEST * variance[-1]
    scale = np.zeros(d)
    scale[spread] = variance[spread] ** -0.5
    return Whitening(mean, (axes * scale) @ axes.T)
