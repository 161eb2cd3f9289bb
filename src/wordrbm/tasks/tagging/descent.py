"""The minimum of a smooth convex function of many numbers, by L-BFGS.

A step goes along -H g, where H is the inverse curvature as the last m steps have shown it: s are
differences of points, y of slopes [Nocedal 1980]. Every pass over the numbers is done in place, for
they are millions. It ends as CRFsuite's does: when the value has fallen over the last ten steps by
less than a share `delta`, or the slope is short beside the point [Okazaki 2007].

References
    J. Nocedal. Updating quasi-Newton matrices with limited storage. Math. Comp. 35, 1980.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64
from scipy.linalg.blas import daxpy, ddot, dnrm2, dscal

MEMORY, PERIOD, SHORT = 6, 10, 1e-5
ENOUGH, HALVINGS = 1e-4, 60  # of the fall that the slope promises [Armijo]; of a step
LEAST = 1e-12  # cosine of a step and of how the slope changed

Vector = Float64[np.ndarray, " N"]
Value = Callable[[Vector, Vector], float]  # of a point; the slope there is written to the second


class Step(NamedTuple):
    """Where a step led from the last point, and how the slope changed."""

    s: Vector
    y: Vector
    inverse: float  # 1 / s.y


def minimum(
    value: Value, x: Vector, *, delta: float, most: int, tell: Callable[[int, float], None]
) -> Vector:
    """Where a function is least, from a start that is written over."""
    g = np.empty_like(x)
    steps, values = deque[Step](maxlen=MEMORY), [value(x, g)]
    for number in range(1, most + 1):
        if dnrm2(g) <= SHORT * delta / 1e-5 * max(1.0, dnrm2(x)):
            break
        found = _searched(value, x, g, steps, values[-1])
        if found is None:
            break
        values.append(found)
        tell(number, values[-1])
        if number >= PERIOD and values[-1 - PERIOD] - values[-1] <= delta * abs(values[-1]):
            break
    return x


def _searched(value: Value, x: Vector, g: Vector, steps: deque[Step], now: float) -> float | None:
    """Go along the best way known, or else straight down; nothing if neither makes it better."""
    found = _gone(value, x, g, steps, _way(g, steps), now) if steps else None
    if found is None:  # what is remembered leads nowhere: rounding, or too large a step
        steps.clear()
        found = _gone(value, x, g, steps, -g, now)
    return found


def _way(g: Vector, steps: deque[Step]) -> Vector:
    """-H g, by the two loops over the steps that are remembered."""
    way, alphas, last = -g, [], steps[-1]
    for step in reversed(steps):
        alphas.append(step.inverse * ddot(step.s, way))
        daxpy(step.y, way, a=-alphas[-1])
    dscal(1.0 / (last.inverse * ddot(last.y, last.y)), way)
    for step, alpha in zip(steps, reversed(alphas), strict=True):
        daxpy(step.s, way, a=alpha - step.inverse * ddot(step.y, way))
    return way


def _gone(
    value: Value, x: Vector, g: Vector, steps: deque[Step], way: Vector, now: float
) -> float | None:
    """Go as far as is good, x and g with it, and remember the step; else stay where it was."""
    slope, length = ddot(g, way), 1.0 if steps else 1.0 / dnrm2(way)
    before, old = x.copy(), g.copy()
    for _ in range(HALVINGS if slope < 0 else 0):
        np.copyto(x, before)
        daxpy(way, x, a=length)
        found = value(x, g)
        if found <= now + ENOUGH * length * slope and np.isfinite(found):
            _remember(steps, dscal(length, way), np.subtract(g, old, out=old))
            return found
        length /= 2.0
    np.copyto(x, before)
    np.copyto(g, old)
    return None


def _remember(steps: deque[Step], s: Vector, y: Vector) -> None:
    """Keep a step, unless rounding hides which way the slope changed."""
    product = ddot(s, y)
    if product > LEAST * dnrm2(s) * dnrm2(y):
        steps.append(Step(s, y, 1.0 / product))
