"""Documents near each other by their topics: the cosine of centred topics at one length.

    z = P(h | N0 m) - P(h | N0 m_0),   m_k = n_k q_k^-1/2 / sum_k n_k q_k^-1/2

q are the word frequencies and m_0 is the m of a document with these frequencies, ``n = q``. In a
long document every topic is on or off; at N0 words, rare ones counting more, its topics say how
much it holds of each. Less those of the average document they say what is particular to it.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64
from scipy import sparse

from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array, Probability

LENGTH = 10.0  # N0: words to which every document is scaled
DOCUMENT_BLOCK = 1024  # documents compared with all others in one product


def document_vectors(
    model: ReplicatedSoftmaxRBM, frequency: Probability, counts: Any
) -> Float64[np.ndarray, "N H"]:
    """``z`` of every document; 0 of one without words. `frequency` is that of training."""
    average = sparse.csr_matrix(np.asarray(frequency, np.float64))
    known = np.asarray(counts.sum(axis=1)).reshape(-1, 1) > 0
    topics = model.hidden_mean(scale_counts(counts, frequency))
    return np.where(known, topics - model.hidden_mean(scale_counts(average, frequency)), 0.0)


def scale_counts(counts: Any, frequency: Probability) -> Any:
    """``N0 m`` of every document, as a csr matrix."""
    weighted = sparse.csr_matrix(counts.multiply(frequency**-0.5))
    total = np.asarray(weighted.sum(axis=1)).reshape(-1, 1)
    return sparse.csr_matrix(weighted.multiply(LENGTH / np.where(total > 0, total, 1.0)))


def nearest_documents(
    vectors: Float64[np.ndarray, "N H"], others: Float64[np.ndarray, "M H"], count: int
) -> tuple[Array, Array]:
    """The numbers of the `others` nearest to each document by cosine, and the cosines."""
    first, second = (
        x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (vectors, others)
    )
    nearest: list[Array] = []
    cosines: list[Array] = []
    for start in range(0, len(first), DOCUMENT_BLOCK):
        cosine = first[start : start + DOCUMENT_BLOCK] @ second.T
        order = np.argsort(-cosine, axis=1, kind="stable")[:, :count]
        nearest.append(order)
        cosines.append(np.take_along_axis(cosine, order, axis=1))
    empty = np.empty((0, min(count, len(second))))
    return np.concatenate([*nearest, empty.astype(np.int64)]), np.concatenate([*cosines, empty])
