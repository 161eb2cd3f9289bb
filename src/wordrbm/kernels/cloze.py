"""How much each candidate word changes the free energy of the rest of its window.

With ``s_j`` the mean of hidden unit j given the rest and ``x_kj`` what word k adds to its input,

    sum_j softplus(a_j + x_kj) - softplus(a_j) = log prod_j (1 + s_j (exp(x_kj) - 1))

so K H products replace K H logarithms.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _product(mean, growth):  # type: ignore[no-untyped-def]
    product = 1.0
    for j in range(mean.size):
        product *= 1.0 + mean[j] * growth[j]
    return product


@njit(cache=True, nogil=True)
def _log_slowly(mean, growth):  # type: ignore[no-untyped-def]
    """The same, factor by factor, for a product beyond the range of a double."""
    total = 0.0
    for j in range(mean.size):
        total += np.log(1.0 + mean[j] * growth[j])
    return total


@njit(cache=True, nogil=True)
def log_gain(mean: Array, growth: Array, out: Array) -> None:
    """``out[m, k] = sum_j log(1 + mean[m, j] growth[k, j])``, all in double precision."""
    for m in range(mean.shape[0]):
        for k in range(growth.shape[0]):
            product = _product(mean[m], growth[k])
            usual = 1e-300 < product < 1e300
            out[m, k] = np.log(product) if usual else _log_slowly(mean[m], growth[k])
