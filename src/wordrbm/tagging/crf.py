"""A linear-chain conditional random field with sparse attributes and dense features.

    score of label l at token t:  s[t, l] = sum_{a in attributes(t)} W[a, l] + (X V)[t, l]
    minimised:                    -sum log P(y | x) + c2 (|W|^2 + |V|^2 + |A|^2)

This is CRFsuite's objective with all states and transitions possible, where every attribute has the
value one and every dense feature is an attribute of its own; but the dense part is one matrix
product [Lafferty et al. 2001, Okazaki 2007]. CRFsuite leaves out features whose values sum to less
than `feature.minfreq`, which is zero: with dense features that must be far below zero.

References
    J. Lafferty, A. McCallum, F. Pereira. Conditional random fields. ICML 2001.
    N. Okazaki. CRFsuite: a fast implementation of conditional random fields. 2007.
    A. Smith, T. Cohn, M. Osborne. Logarithmic opinion pools for conditional random fields.
    ACL 2005.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64, Int32, Int64

from wordrbm.kernels.crf import (
    add_attribute_scores,
    attribute_gradient,
    forward_backward,
    viterbi,
)
from wordrbm.shapes import Array
from wordrbm.tagging.lbfgs import minimize


class SentenceBatch(NamedTuple):
    """Concatenated sentences: attribute rows, dense features, and where sentences end."""

    attributes: Int32[np.ndarray, " P"]
    offsets: Int64[np.ndarray, " offsets"]  # of the first attribute of each token
    dense: Array  # T x F
    ends: Int64[np.ndarray, " S"]


@final
@dataclass(frozen=True, eq=False)
class LinearChainCRF:
    """Weights of attributes W (R, L), of dense features V (F, L), of transitions A (L, L)."""

    W: Float64[np.ndarray, "R L"]
    V: Float64[np.ndarray, "F L"]
    A: Float64[np.ndarray, "L L"]

    def arrays(self) -> tuple[Float64[np.ndarray, "_ L"], ...]:
        """The three weight arrays (W, V, A)."""
        return self.W, self.V, self.A

    def scores(self, batch: SentenceBatch) -> Float64[np.ndarray, "T L"]:
        """``s[t, l]``: the score of every label at every token."""
        scores = np.ascontiguousarray(batch.dense @ self.V.astype(batch.dense.dtype), np.float64)
        add_attribute_scores(batch.attributes, batch.offsets, self.W, scores)
        return scores

    def decode(self, batch: SentenceBatch) -> Int32[np.ndarray, " T"]:
        """The most probable labels of every sentence (Viterbi)."""
        labels = np.zeros(len(batch.offsets) - 1, np.int32)
        viterbi(self.scores(batch), self.A, batch.ends, labels)
        return labels


def crf_loss(
    crf: LinearChainCRF, batch: SentenceBatch, labels: Int32[np.ndarray, " T"], c2: float,
    gradient: LinearChainCRF,
) -> float:  # fmt: skip
    """``-sum log P(y | x) + c2 |weights|^2``; `gradient` is overwritten by its gradient."""
    scores = crf.scores(batch)
    previous, following = _transitions(labels, batch.ends)
    gold = scores[np.arange(len(labels)), labels].sum() + crf.A[previous, following].sum()
    pairs = np.zeros_like(crf.A)
    log_Z = forward_backward(scores, crf.A, batch.ends, pairs)
    scores[np.arange(len(labels)), labels] -= 1.0  # now residuals: expected minus observed
    np.add.at(pairs, (previous, following), -1.0)
    squared_norm = sum(float(np.vdot(x, x)) for x in crf.arrays())
    for slope, weights in zip(gradient.arrays(), crf.arrays(), strict=True):
        np.multiply(weights, 2.0 * c2, out=slope)
    attribute_gradient(batch.attributes, batch.offsets, scores, gradient.W)
    gradient.V[:] += batch.dense.T @ scores.astype(batch.dense.dtype)
    gradient.A[:] += pairs
    return float(log_Z - gold + c2 * squared_norm)


def fit_crf(
    batch: SentenceBatch,
    labels: Int32[np.ndarray, " T"],
    sizes: tuple[int, int],
    c2: float,
    *,
    delta: float = 1e-5,
    max_iterations: int = 1000,
    callback: Callable[[int, float], None] = lambda iteration, value: None,
) -> LinearChainCRF:
    """Minimise the loss by L-BFGS from zero; `sizes` are the numbers of attributes and labels."""
    R, L = sizes
    shapes = (R, L), (batch.dense.shape[1], L), (L, L)

    def objective(x: Float64[np.ndarray, " N"], g: Float64[np.ndarray, " N"]) -> float:
        return crf_loss(_unpack(x, shapes), batch, labels, c2, _unpack(g, shapes))

    start = np.zeros(sum(rows * columns for rows, columns in shapes))
    weights = minimize(
        objective, start, delta=delta, max_iterations=max_iterations, callback=callback
    )
    return _unpack(weights, shapes)


def average_crfs(crfs: Sequence[LinearChainCRF]) -> LinearChainCRF:
    """The CRF whose scores are the mean of others' over the same attributes [Smith et al. 2005].

    ``mean_k s_k[t, l] = sum_{a in attributes(t)} (mean_k W_k)[a, l] + sum_k x_k[t] V_k[:, l] / m``,
    so its dense features are those of all members, concatenated.
    """
    W, A = crfs[0].W.copy(), crfs[0].A.copy()
    for crf in crfs[1:]:  # in place: there are millions of weights
        W += crf.W
        A += crf.A
    m = len(crfs)
    return LinearChainCRF(W / m, np.concatenate([crf.V for crf in crfs]) / m, A / m)


def _transitions(labels: Array, ends: Array) -> tuple[Array, Array]:
    """The two labels of every pair of adjacent tokens within a sentence."""
    inside = np.ones(max(len(labels) - 1, 0), bool)
    inside[ends[(ends > 0) & (ends < len(labels))] - 1] = False
    return labels[:-1][inside], labels[1:][inside]


def _unpack(x: Float64[np.ndarray, " N"], shapes: Sequence[tuple[int, int]]) -> LinearChainCRF:
    """Views of one vector as the three weight arrays."""
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    arrays = np.split(x, ends[:-1])
    W, V, A = (array.reshape(shape) for array, shape in zip(arrays, shapes, strict=True))
    return LinearChainCRF(W, V, A)
