"""Free energies of windows: with another word, with units dropped out, over distinct words.

With ``a_j`` the input of hidden unit j from the rest of a window and ``x_kj`` what word k adds,

    sum_j softplus(a_j + x_kj) - softplus(a_j) = log prod_j (sigm(-a_j) + sigm(a_j) exp(x_kj))

so K H products replace K H logarithms. Both logistic values are taken by themselves: one minus
the other would lose the whole answer where a unit is nearly always on.

With m_j 0 for a unit dropped from a document, and 1 / (1 - dropout rate) for the others,

    F = -sum_i b[v_i] - sum_j m_j log(1 + exp x_j),     -dF/dx_j = m_j / (1 + exp(-x_j))

Windows of a batch share their words: with ``p[i, r] = U[i] D[word r]`` for each distinct word, the
input of a window is ``x = sum_i p[i, row_i]``, n additions of H numbers and no matrix product.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.fastmath import COMPILED, exp, log
from wordrbm.kernels.metropolis import REORDER
from wordrbm.shapes import Array


@njit(cache=True, nogil=True)
def log_gain(rest: Array, off: Array, on: Array, weight: Array, growth: Array, out: Array) -> None:
    """``out[m, k] = sum_j softplus(rest + weight) - softplus(rest)``; growth is exp(weight)."""
    for m in range(rest.shape[0]):
        for k in range(weight.shape[0]):
            product = _product(off[m], on[m], growth[k])
            is_normal = 1e-300 < product < 1e300
            out[m, k] = np.log(product) if is_normal else _log_slowly(rest[m], weight[k])


@njit(cache=True, nogil=True, fastmath=REORDER)
def _product(off, on, growth):  # type: ignore[no-untyped-def]
    product = 1.0
    for j in range(off.size):
        product *= off[j] + on[j] * growth[j]
    return product


@njit(cache=True, nogil=True)
def _log_slowly(rest, weight):  # type: ignore[no-untyped-def]
    """The sum by its definition, for a product beyond the range of a double."""
    total = 0.0
    for j in range(rest.size):
        total += _softplus(rest[j] + weight[j]) - _softplus(rest[j])
    return total


@njit(cache=True, nogil=True)
def _softplus(x):  # type: ignore[no-untyped-def]
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(cache=True, **COMPILED)
def dropout_softplus_sums(x: Array, c: Array, mask: Array, document: Array, total: Array) -> None:
    """``total[w] = sum_j m_j log(1 + exp x_j)``; over x + c is written ``m_j / (1 + exp -x_j)``."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    term = np.empty_like(c)
    for w in range(x.shape[0]):
        row, unit_mask = x[w], mask[document[w]]
        for j in range(c.size):
            x_j = row[j] + c[j]
            exp_minus = exp(-abs(x_j))
            term[j] = unit_mask[j] * (max(x_j, zero) + log(one + exp_minus))
            row[j] = unit_mask[j] * (one if x_j > zero else exp_minus) / (one + exp_minus)
        for j in range(c.size):
            total[w] += term[j]


@njit(cache=True, **COMPILED)
def gather_inputs(projection: Array, row: Array, x: Array) -> None:
    """``x[w] = sum_i projection[i, row[w, i]]``: the input of each window from its words."""
    for w in range(row.shape[0]):
        x_w = x[w]
        x_w[:] = projection[0, row[w, 0]]
        for i in range(1, row.shape[1]):
            word = projection[i, row[w, i]]
            for j in range(x_w.size):
                x_w[j] += word[j]


@njit(cache=True, **COMPILED)
def scatter_inputs(h: Array, row: Array, total: Array) -> None:
    """``total[i, row[w, i]] += h[w]``: gradients of windows added up by position and word."""
    for w in range(row.shape[0]):
        h_w = h[w]
        for i in range(row.shape[1]):
            word = total[i, row[w, i]]
            for j in range(h_w.size):
                word[j] += h_w[j]


@njit(cache=True, nogil=True)
def scatter_add(number: Array, values: Array, total: Array) -> None:
    """``total[number[r]] += values[r]``: gradients of windows added up by word."""
    for r in range(number.size):
        row = total[number[r]]
        for k in range(row.size):
            row[k] += values[r, k]
