"""A document's free energies unit by unit, so that each hidden unit can have a weight of its own.

    F(v) = e_0(v) + sum_j e_j(v),   e_0 = -sum_i b[v_i],   e_j = -log(1 + exp x_j(v))

where x is the hidden input [Dahl 2012, eq. 4 summed over h]. Class models that start from one
background keep its units, so unit j is the same detector in every class, and e_j differs between
classes as far as the classes do. The free energy weighs all units alike; a linear layer over the
means of e_j over a document's windows learns which of them tell classes apart.
"""

import numpy as np
from jaxtyping import Float64, Int32

from wordrbm.kernels.fastmath import softplus_row_sums
from wordrbm.models import WordRepRBM

BLOCK = 4096  # windows at a time: a document is scored by itself, whatever its company


def unit_energies(rbm: WordRepRBM, ids: Int32[np.ndarray, " t"]) -> Float64[np.ndarray, " H+1"]:
    """The means of e_0, e_1, .. e_H over the windows of one document."""
    v, total = windows_of(ids, rbm.positions), np.zeros(rbm.c.size + 1)
    for first in range(0, len(v), BLOCK):
        some = v[first : first + BLOCK]
        total[0] -= rbm.word_bias[rbm.table_index, some].sum(dtype=np.float64)
        sums = np.zeros(rbm.c.size)
        softplus_row_sums(np.ascontiguousarray(rbm.hidden_input(some).T), sums)
        total[1:] -= sums
    return total / len(v)


def window_unit_energies(
    rbm: WordRepRBM, ids: Int32[np.ndarray, " t"]
) -> Float64[np.ndarray, "W H+1"]:
    """The same of every window by itself."""
    v = windows_of(ids, rbm.positions)
    bias = rbm.word_bias[rbm.table_index, v].sum(axis=1, dtype=np.float64)
    return -np.column_stack([bias, np.logaddexp(0.0, rbm.hidden_input(v), dtype=np.float64)])


def windows_of(ids: Int32[np.ndarray, " t"], n: int) -> Int32[np.ndarray, "W n"]:
    """Every window of a document."""
    return np.lib.stride_tricks.sliding_window_view(ids, n)
