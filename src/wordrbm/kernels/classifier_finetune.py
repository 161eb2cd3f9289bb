"""Free energies of windows with hidden units dropped out, and sums of gradients by row.

    F = -sum_i b[v_i] - sum_j m_j log(1 + exp x_j),     -dF/dx_j = m_j / (1 + exp(-x_j))

m_j is 0 for a unit dropped from a document, and 1 / (1 - dropout rate) for the others.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.fastmath import COMPILED, exp, log
from wordrbm.shapes import Array


@njit(cache=True, **COMPILED)
def masked_units(x: Array, c: Array, mask: Array, document: Array, total: Array) -> None:
    """``total[w] = sum_j m_j log(1 + exp x_j)``; over x + c is written ``m_j / (1 + exp -x_j)``."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    term = np.empty_like(c)
    for w in range(x.shape[0]):
        row, unit_mask = x[w], mask[document[w]]
        for j in range(c.size):
            fit = row[j] + c[j]
            small = exp(-abs(fit))
            term[j] = unit_mask[j] * (max(fit, zero) + log(one + small))
            row[j] = unit_mask[j] * (one if fit > zero else small) / (one + small)
        for j in range(c.size):
            total[w] += term[j]


@njit(cache=True, nogil=True)
def sum_rows(number: Array, values: Array, total: Array) -> None:
    """``total[number[r]] += values[r]``."""
    for r in range(number.size):
        row = total[number[r]]
        for k in range(row.size):
            row[k] += values[r, k]
