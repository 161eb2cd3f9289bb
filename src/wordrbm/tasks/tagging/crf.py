"""A conditional random field over a chain of labels, with sparse and with dense features.

    score of label l at token t:  s[t, l] = sum_{a in attributes(t)} W[a, l] + (X V)[t, l]
    minimised:                    -sum log P(y | x) + c2 (|W|^2 + |V|^2 + |A|^2)

It is CRFsuite's objective with all states and transitions possible, where every attribute has the
value one and every dense feature is an attribute of its own; but the dense part is one matrix
product [Lafferty et al. 2001, Okazaki 2007]. CRFsuite leaves out features whose values sum to less
than `feature.minfreq`, which is zero: with dense features that must be far below zero.

References
    J. Lafferty, A. McCallum, F. Pereira. Conditional random fields. ICML 2001.
    N. Okazaki. CRFsuite: a fast implementation of conditional random fields. 2007.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64, Int32, Int64
from scipy.optimize import minimize

from wordrbm.kernels.chain import add_rows, best, gather_rows, marginals
from wordrbm.shapes import Array

MEMORY = 6  # as CRFsuite has it


class Sentences(NamedTuple):
    """Tokens of sentences, one after another: attributes, dense features, where sentences end."""

    attributes: Int32[np.ndarray, " P"]
    first: Int64[np.ndarray, " T+1"]
    dense: Array  # T x F
    ends: Int64[np.ndarray, " S"]


@final
@dataclass(frozen=True, eq=False)
class ChainField:
    """The weights: of attributes (R x L), of dense features (F x L), of transitions (L x L)."""

    W: Float64[np.ndarray, "R L"]
    V: Float64[np.ndarray, "F L"]
    A: Float64[np.ndarray, "L L"]

    def scores(self, sentences: Sentences) -> Float64[np.ndarray, "T L"]:
        """Of every label at every token."""
        found = np.ascontiguousarray(sentences.dense @ self.V, np.float64)
        add_rows(sentences.attributes, sentences.first, self.W, found)
        return found

    def labels(self, sentences: Sentences) -> Int32[np.ndarray, " T"]:
        """The likeliest labels of every sentence."""
        found = np.zeros(len(sentences.first) - 1, np.int32)
        best(self.scores(sentences), self.A, sentences.ends, found)
        return found


def loss(
    field: ChainField, sentences: Sentences, label: Int32[np.ndarray, " T"], c2: float
) -> tuple[float, ChainField]:
    """What is minimised, and its gradient."""
    scores = field.scores(sentences)
    before, after = _neighbours(label, sentences.ends)
    right = scores[np.arange(len(label)), label].sum() + field.A[before, after].sum()
    pairs = np.zeros_like(field.A)
    log_Z = marginals(scores, field.A, sentences.ends, pairs)
    scores[np.arange(len(label)), label] -= 1.0  # now what is expected, less what is there
    np.add.at(pairs, (before, after), -1.0)
    W = 2.0 * c2 * field.W
    gather_rows(sentences.attributes, sentences.first, scores, W)
    gradient = ChainField(
        W, sentences.dense.T @ scores + 2.0 * c2 * field.V, pairs + 2.0 * c2 * field.A
    )
    squares = sum(float(np.vdot(x, x)) for x in (field.W, field.V, field.A))
    return float(log_Z - right + c2 * squares), gradient


def fit(
    sentences: Sentences,
    label: Int32[np.ndarray, " T"],
    sizes: tuple[int, int],
    c2: float,
    *,
    most: int = 1000,
    tell: Callable[[int], None] = lambda step: None,
) -> ChainField:
    """Minimise the loss from zero, by L-BFGS; `sizes` are the attributes and labels there are."""
    R, L = sizes
    shape = ChainField(np.zeros((R, L)), np.zeros((sentences.dense.shape[1], L)), np.zeros((L, L)))
    steps = iter(range(1, most + 2))

    def value(x: Float64[np.ndarray, " N"]) -> tuple[float, Float64[np.ndarray, " N"]]:
        found, gradient = loss(_split(x, shape), sentences, label, c2)
        return found, _flat(gradient)

    found = minimize(
        value, _flat(shape), jac=True, method="L-BFGS-B",
        callback=lambda _: tell(next(steps)),
        options={"maxcor": MEMORY, "maxiter": most, "maxfun": 2 * most, "ftol": 1e-7, "gtol": 1e-4},
    )  # fmt: skip
    return _split(found.x, shape)


def _neighbours(label: Array, ends: Array) -> tuple[Array, Array]:
    """The labels of all pairs of tokens that follow each other in a sentence."""
    inside = np.ones(max(len(label) - 1, 0), bool)
    inside[ends[(ends > 0) & (ends < len(label))] - 1] = False
    return label[:-1][inside], label[1:][inside]


def _flat(field: ChainField) -> Float64[np.ndarray, " N"]:
    return np.concatenate([field.W.ravel(), field.V.ravel(), field.A.ravel()])


def _split(x: Float64[np.ndarray, " N"], like: ChainField) -> ChainField:
    W, V, A = np.split(x, [like.W.size, like.W.size + like.V.size])
    return ChainField(W.reshape(like.W.shape), V.reshape(like.V.shape), A.reshape(like.A.shape))
