"""The windows of a batch of documents: free energies with units dropped out, and their gradient.

Windows overlap and documents repeat their words, so a batch has far fewer distinct words than words
of windows. Each distinct word is multiplied by U once for each position; the input of a window is a
sum of n of these projections. The gradient goes the same way back: hidden means are added up by
position and distinct word, then multiplied by U and D once.

    x_w = sum_i U[i] D[v_wi],    G[i, r] = sum of weight_w h_w over the w with word r at position i
    dU[i] = sum_r G[i, r] D[r]^T,    dD[r] = sum_i U[i]^T G[i, r]
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int32, Int64

from wordrbm.classification.documents import Counts, DocumentIds, DocumentNumbers
from wordrbm.kernels.free_energy import dropout_softplus_sums, gather_inputs, scatter_inputs
from wordrbm.models import Gradient, Rows, WordRepRBM


class BatchWindows(NamedTuple):
    """The windows of a batch of documents, as rows of their distinct words."""

    words: Int32[np.ndarray, " R"]
    row: Int64[np.ndarray, "W n"]  # window w holds words[row[w]]
    document: DocumentNumbers  # of each window
    per_document: Counts  # windows of each document

    @property
    def v(self) -> Int32[np.ndarray, "W n"]:
        """The words of each window."""
        return self.words[self.row]


def document_windows(documents: DocumentIds, n: int) -> BatchWindows:
    """Every window of documents none of which is empty."""
    words, row = np.unique(documents.ids, return_inverse=True)
    count = documents.lengths - n + 1
    document = np.repeat(np.arange(len(documents)), count)
    first = np.arange(len(document)) + (n - 1) * document  # a document ends n - 1 words later
    return BatchWindows(words, row[first[:, None] + np.arange(n)], document, count)


def masked_free_energies(
    rbm: WordRepRBM, windows: BatchWindows, mask: Float[np.ndarray, "B H"]
) -> tuple[Float64[np.ndarray, " W"], Float[np.ndarray, "W H"]]:
    """F of every window with units dropped out, and the hidden means of its gradient."""
    words, row, document, _ = windows
    projection = np.matmul(rbm.D[words], rbm.U.transpose(0, 2, 1))
    x, total = np.empty((len(row), rbm.c.size), projection.dtype), np.zeros(len(row))
    gather_inputs(projection, row, x)
    dropout_softplus_sums(x, rbm.c, mask, document, total)
    return -rbm.b[words][row].sum(axis=1) - total, x


def window_gradient(
    rbm: WordRepRBM, windows: BatchWindows, h: Float[np.ndarray, "W H"],
    weight: Float[np.ndarray, " W"],
) -> Gradient:  # fmt: skip
    """``sum_w weight_w d(-F_w)``, by distinct words: what `WordRepRBM.gradient` is by window."""
    words, row, _, _ = windows
    n, H, d = rbm.U.shape
    projected = np.zeros((n, len(words), H), h.dtype)
    scatter_inputs(weight[:, None] * h, row, projected)
    D = rbm.D[words]
    U = np.matmul(projected.transpose(0, 2, 1), D)
    b = np.bincount(row.ravel(), np.repeat(weight, n), len(words)).astype(h.dtype)
    return Gradient(
        dense={"U": U.transpose(1, 0, 2).reshape(H, n * d), "c": weight @ h},
        rows={
            "D": Rows(words, np.matmul(projected, rbm.U).sum(axis=0)),
            "b": Rows(words, b[:, None]),
        },
    )
