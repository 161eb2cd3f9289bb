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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64, Int32, Int64

from wordrbm.kernels.chain import add_rows, best, gather_rows, marginals
from wordrbm.shapes import Array
from wordrbm.tasks.tagging.descent import minimum


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

    def parts(self) -> tuple[Float64[np.ndarray, "_ L"], ...]:
        """All of them."""
        return self.W, self.V, self.A

    def scores(self, sentences: Sentences) -> Float64[np.ndarray, "T L"]:
        """Of every label at every token."""
        found = np.ascontiguousarray(
            sentences.dense @ self.V.astype(sentences.dense.dtype), np.float64
        )
        add_rows(sentences.attributes, sentences.first, self.W, found)
        return found

    def labels(self, sentences: Sentences) -> Int32[np.ndarray, " T"]:
        """The likeliest labels of every sentence."""
        found = np.zeros(len(sentences.first) - 1, np.int32)
        best(self.scores(sentences), self.A, sentences.ends, found)
        return found


def loss(
    field: ChainField, sentences: Sentences, label: Int32[np.ndarray, " T"], c2: float,
    gradient: ChainField,
) -> float:  # fmt: skip
    """What is minimised; its gradient is written over the last argument."""
    scores = field.scores(sentences)
    before, after = _neighbours(label, sentences.ends)
    right = scores[np.arange(len(label)), label].sum() + field.A[before, after].sum()
    pairs = np.zeros_like(field.A)
    log_Z = marginals(scores, field.A, sentences.ends, pairs)
    scores[np.arange(len(label)), label] -= 1.0  # now what is expected, less what is there
    np.add.at(pairs, (before, after), -1.0)
    squares = sum(float(np.vdot(x, x)) for x in (field.W, field.V, field.A))
    for own, weights in zip(gradient.parts(), field.parts(), strict=True):
        np.multiply(weights, 2.0 * c2, out=own)
    gather_rows(sentences.attributes, sentences.first, scores, gradient.W)
    gradient.V[:] += sentences.dense.T @ scores.astype(sentences.dense.dtype)
    gradient.A[:] += pairs
    return float(log_Z - right + c2 * squares)


def fit(
    sentences: Sentences,
    label: Int32[np.ndarray, " T"],
    sizes: tuple[int, int],
    c2: float,
    *,
    delta: float = 1e-5,
    most: int = 1000,
    tell: Callable[[int, float], None] = lambda step, value: None,
) -> ChainField:
    """Minimise the loss from zero; `sizes` are the attributes and labels there are."""
    R, L = sizes
    shapes = (R, L), (sentences.dense.shape[1], L), (L, L)

    def value(x: Float64[np.ndarray, " N"], g: Float64[np.ndarray, " N"]) -> float:
        return loss(_views(x, shapes), sentences, label, c2, _views(g, shapes))

    start = np.zeros(sum(rows * columns for rows, columns in shapes))
    return _views(minimum(value, start, delta=delta, most=most, tell=tell), shapes)


def _neighbours(label: Array, ends: Array) -> tuple[Array, Array]:
    """The labels of all pairs of tokens that follow each other in a sentence."""
    inside = np.ones(max(len(label) - 1, 0), bool)
    inside[ends[(ends > 0) & (ends < len(label))] - 1] = False
    return label[:-1][inside], label[1:][inside]


def _views(x: Float64[np.ndarray, " N"], shapes: Sequence[tuple[int, int]]) -> ChainField:
    """The weights that lie one after another in a vector."""
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    parts = np.split(x, ends[:-1])
    W, V, A = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    return ChainField(W, V, A)
