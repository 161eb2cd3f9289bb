"""A linear-chain conditional random field with sparse attributes and dense features.

    score of label l at token t:  s[t, l] = sum_{a in attributes(t)} W[a, l] + (X V)[t, l]
    minimised:                    -sum log P(y | x) + c2 (|W|^2 + |V|^2 + |A|^2)

This is CRFsuite's objective with all states and transitions possible, where every attribute has the
value one and every dense feature is an attribute of its own; but the dense part is one matrix
product [Lafferty et al. 2001, Okazaki 2007]. CRFsuite leaves out features whose values sum to less
than `feature.minfreq`, which is zero: with dense features that must be far below zero.

The minimum is found by L-BFGS, whose operations over the millions of weights are in place: a fit
takes 0.6 to 0.7 of the time of SciPy's L-BFGS-B (docs/decisions.md, 19). A step goes along -H g,
where H is the inverse Hessian approximated from the last steps [Nocedal 1980].

References
    J. Lafferty, A. McCallum, F. Pereira. Conditional random fields. ICML 2001.
    J. Nocedal. Updating quasi-Newton matrices with limited storage. Math. Comp. 35, 1980.
    N. Okazaki. CRFsuite: a fast implementation of conditional random fields. 2007.
    A. Smith, T. Cohn, M. Osborne. Logarithmic opinion pools for conditional random fields.
    ACL 2005.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64, Int32, Int64
from scipy.linalg.blas import daxpy, ddot, dnrm2, dscal

from wordrbm.kernels.crf import (
    add_attribute_scores,
    attribute_gradient,
    forward_backward,
    viterbi,
)
from wordrbm.shapes import Array

MEMORY, PERIOD, GRADIENT_TOLERANCE = 6, 10, 1e-5
SUFFICIENT_DECREASE, MAX_HALVINGS = 1e-4, 60  # Armijo's constant; of a step
MIN_CURVATURE = 1e-12  # cosine between a step and the change of the gradient

LabelIds = Int32[np.ndarray, " T"]
Vector = Float64[np.ndarray, " N"]
Objective = Callable[[Vector, Vector], float]  # value at a point; writes the gradient to the second
Callback = Callable[[int, float], None]  # number of the step, value of the objective


def no_callback(step: int, value: float) -> None:
    """Report nothing."""


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

    def decode(self, batch: SentenceBatch) -> LabelIds:
        """The most probable labels of every sentence (Viterbi)."""
        labels = np.zeros(len(batch.offsets) - 1, np.int32)
        viterbi(self.scores(batch), self.A, batch.ends, labels)
        return labels

    def marginals(self, batch: SentenceBatch) -> Float64[np.ndarray, "T L"]:
        """``P(y_t = l | sentence)`` of every label at every token."""
        marginals = self.scores(batch)
        forward_backward(marginals, self.A, batch.ends, np.zeros_like(self.A))
        return marginals


def crf_loss(
    crf: LinearChainCRF, batch: SentenceBatch, labels: LabelIds, c2: float, gradient: LinearChainCRF
) -> float:
    """``-sum log P(y | x) + c2 |weights|^2``; `gradient` is overwritten by its gradient."""
    scores, tokens = crf.scores(batch), np.arange(len(labels))
    inside = np.ones(max(len(labels) - 1, 0), bool)  # pairs of adjacent tokens of one sentence
    inside[batch.ends[(batch.ends > 0) & (batch.ends < len(labels))] - 1] = False
    previous, following = labels[:-1][inside], labels[1:][inside]
    gold = scores[tokens, labels].sum() + crf.A[previous, following].sum()
    pairs = np.zeros_like(crf.A)
    log_Z = forward_backward(scores, crf.A, batch.ends, pairs)
    scores[tokens, labels] -= 1.0  # now residuals: expected minus observed
    np.add.at(pairs, (previous, following), -1.0)
    squared_norm = sum(float(np.vdot(x, x)) for x in crf.arrays())
    for slope, weights in zip(gradient.arrays(), crf.arrays(), strict=True):
        np.multiply(weights, 2.0 * c2, out=slope)
    attribute_gradient(batch.attributes, batch.offsets, scores, gradient.W)
    gradient.V[:] += batch.dense.T @ scores.astype(batch.dense.dtype)
    gradient.A[:] += pairs
    return float(log_Z - gold + c2 * squared_norm)


def fit_crf(
    batch: SentenceBatch, labels: LabelIds, sizes: tuple[int, int], c2: float,
    *, delta: float = 1e-5, callback: Callback = no_callback,
) -> LinearChainCRF:  # fmt: skip
    """Minimise the loss by L-BFGS from zero; `sizes` are the numbers of attributes and labels."""
    R, L = sizes
    shapes = (R, L), (batch.dense.shape[1], L), (L, L)
    ends = np.cumsum([rows * columns for rows, columns in shapes])

    def unpack(x: Vector) -> LinearChainCRF:
        """Views of one vector as the three weight arrays."""
        arrays = zip(np.split(x, ends[:-1]), shapes, strict=True)
        return LinearChainCRF(*(array.reshape(shape) for array, shape in arrays))

    def objective(x: Vector, g: Vector) -> float:
        return crf_loss(unpack(x), batch, labels, c2, unpack(g))

    return unpack(minimize(objective, np.zeros(ends[-1]), delta=delta, callback=callback))


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


class Correction(NamedTuple):
    """A step of L-BFGS, and the change of the gradient along it."""

    s: Vector
    y: Vector
    rho: float  # 1 / s.y


def minimize(
    objective: Objective, x: Vector,
    *, delta: float, max_iterations: int = 1000, callback: Callback = no_callback,
) -> Vector:  # fmt: skip
    """Minimise a smooth convex function by L-BFGS from a start `x`, which is overwritten.

    Stops by CRFsuite's rule: the value has fallen over the last ten iterations by less than a
    fraction `delta`, or the gradient is short relative to the point [Okazaki 2007].
    """
    g = np.empty_like(x)
    history, values = deque[Correction](maxlen=MEMORY), [objective(x, g)]
    for iteration in range(1, max_iterations + 1):
        if dnrm2(g) <= GRADIENT_TOLERANCE * delta / 1e-5 * max(1.0, dnrm2(x)):
            break
        direction = _direction(g, history)
        value = _line_search(objective, x, g, history, direction, values[-1])
        if value is None and history:  # of no use: rounding, or too large a step
            history.clear()
            value = _line_search(objective, x, g, history, -g, values[-1])
        if value is None:
            break
        values.append(value)
        callback(iteration, value)
        if iteration >= PERIOD and values[-1 - PERIOD] - value <= delta * abs(value):
            break
    return x


def _direction(g: Vector, history: deque[Correction]) -> Vector:
    """-H g by the two-loop recursion; -g without a history."""
    direction, alphas = -g, []
    for correction in reversed(history):
        alphas.append(correction.rho * ddot(correction.s, direction))
        daxpy(correction.y, direction, a=-alphas[-1])
    if history:
        dscal(1.0 / (history[-1].rho * ddot(history[-1].y, history[-1].y)), direction)
    for correction, alpha in zip(history, reversed(alphas), strict=True):
        daxpy(correction.s, direction, a=alpha - correction.rho * ddot(correction.y, direction))
    return direction


def _line_search(
    objective: Objective, x: Vector, g: Vector, history: deque[Correction], direction: Vector,
    value: float,
) -> float | None:  # fmt: skip
    """Backtrack until the value decreases enough; x and g move along, or stay where they were.

    The correction joins the history, unless rounding hides the curvature along it.
    """
    slope, length = ddot(g, direction), 1.0 if history else 1.0 / dnrm2(direction)
    old_x, old_g = x.copy(), g.copy()
    for _ in range(MAX_HALVINGS if slope < 0 else 0):
        np.copyto(x, old_x)
        daxpy(direction, x, a=length)
        new_value = objective(x, g)
        sufficient = value + SUFFICIENT_DECREASE * length * slope
        if new_value <= sufficient and np.isfinite(new_value):
            s, y = dscal(length, direction), np.subtract(g, old_g, out=old_g)
            if (product := ddot(s, y)) > MIN_CURVATURE * dnrm2(s) * dnrm2(y):
                history.append(Correction(s, y, 1.0 / product))
            return new_value
        length /= 2.0
    np.copyto(x, old_x)
    np.copyto(g, old_g)
    return None
