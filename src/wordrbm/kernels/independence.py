"""The distribution of an independence sampler after t steps, in one pass over the words.

The formulas are those of `analysis/independence.py`.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Array

SERIES_RANGE = 1e-3  # logarithms of ratios below this have a series of four terms


@njit(cache=True, nogil=True)
def density_ratios(
    t: int, log_stay: Array, log_drop: Array, nu: Array, tails: Array, ratio: Array
) -> None:
    """``p_j / pi_j`` after t >= 1 steps from a start that is ``nu_j / pi_j`` away."""
    above, reached = 1.0, 0.0
    for j in range(ratio.size):
        stay = np.exp(t * log_stay[j])
        reached += power_difference(above, stay, t * log_drop[j]) * tails[j]
        ratio[j] = stay * nu[j] + reached
        above = stay


@njit(cache=True, nogil=True)
def power_difference(above, stay, x):  # type: ignore[no-untyped-def]
    """``lambda_{k-1}^t - lambda_k^t``: the difference, or its series where the two are close."""
    if x > -SERIES_RANGE:
        return -above * (x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0)))))
    return above - stay


@njit(cache=True, nogil=True)
def total_variation(pi: Array, ratio: Array) -> float:
    """Total variation, ``1/2 sum |p - pi|``."""
    total = 0.0
    for j in range(pi.size):
        total += pi[j] * abs(ratio[j] - 1.0)
    return 0.5 * total


@njit(cache=True, nogil=True)
def symmetric_kl(pi: Array, ratio: Array) -> float:
    """Symmetric Kullback-Leibler divergence, ``sum (p - pi) log (p / pi)``."""
    total = 0.0
    for j in range(pi.size):
        total += pi[j] * (ratio[j] - 1.0) * np.log(ratio[j])
    return total
