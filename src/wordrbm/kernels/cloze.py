"""How much each candidate word changes the free energy of the rest of its window.

With ``a_j`` the input of hidden unit j from the rest and ``x_kj`` what word k adds to it,

    sum_j softplus(a_j + x_kj) - softplus(a_j) = log prod_j (sigm(-a_j) + sigm(a_j) exp(x_kj))

so K H products replace K H logarithms. Both logistic values are taken by themselves: one minus
the other would lose the whole answer where a unit is nearly always on.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _product(off, on, growth):  # type: ignore[no-untyped-def]
    product = 1.0
    for j in range(off.size):
        product *= off[j] + on[j] * growth[j]
    return product


@njit(cache=True, nogil=True)
def _softplus(x):  # type: ignore[no-untyped-def]
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(cache=True, nogil=True)
def _log_slowly(rest, weight):  # type: ignore[no-untyped-def]
    """The same by its definition, for a product beyond the range of a double."""
    total = 0.0
    for j in range(rest.size):
        total += _softplus(rest[j] + weight[j]) - _softplus(rest[j])
    return total


@njit(cache=True, nogil=True)
def log_gain(rest: Array, off: Array, on: Array, weight: Array, growth: Array, out: Array) -> None:
    """``out[m, k] = sum_j softplus(rest + weight) - softplus(rest)``; growth is exp(weight)."""
    for m in range(rest.shape[0]):
        for k in range(weight.shape[0]):
            product = _product(off[m], on[m], growth[k])
            usual = 1e-300 < product < 1e300
            out[m, k] = np.log(product) if usual else _log_slowly(rest[m], weight[k])
