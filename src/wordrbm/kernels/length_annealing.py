"""Annealing of hidden vectors along the length of documents, compiled.

    p_N(h) = exp(N A(h)) / Z_N,   A(h) = c . h + log sum_k exp(b_k + h . W_k)

N runs from 0, where h is uniform and Z is 2^H, to the longest document; what a particle has
gathered at N estimates Z_N. The words are summed out exactly: with ``e_k = exp(b_k + h . W_k)``,
switching unit j on multiplies e_k by ``exp W_jk``, so a Gibbs step is K products.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.metropolis import REORDER
from wordrbm.kernels.rng import next_uniform, seed_state
from wordrbm.shapes import Array


@njit(cache=True, nogil=True, fastmath=REORDER)
def log_ratio(mass, factor):  # type: ignore[no-untyped-def]
    """``log sum_k mass_k factor_k - log sum_k mass_k``."""
    total, changed = 0.0, 0.0
    for k in range(mass.size):
        total += mass[k]
        changed += mass[k] * factor[k]
    return np.log(changed / total)


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_hidden(stream, N, mass, grow, decrease, c, h):  # type: ignore[no-untyped-def]
    """Draw every hidden unit from ``p_N(h_j | the others)``; `mass` follows h."""
    for j in range(c.size):
        factor = decrease[j] if h[j] else grow[j]
        gain = c[j] + (-1.0 if h[j] else 1.0) * log_ratio(mass, factor)
        on = next_uniform(stream) * (1.0 + np.exp(-N * gain)) < 1.0
        if on != h[j]:
            mass *= factor
            h[j] = on


@njit(cache=True, nogil=True, error_model="numpy")
def anneal_lengths(
    seed: int, particle: int, W: Array, b: Array, c: Array, path: Array, log_weight: Array, h: Array
) -> None:
    """Run one particle along the lengths in `path`; its log weight at each is written."""
    stream, grow, decrease = seed_state(seed, particle, 0), np.exp(W), np.exp(-W)
    for j in range(c.size):
        h[j] = next_uniform(stream) < 0.5
    total = c.size * np.log(2.0)
    for t in range(path.size):
        mass, A = word_masses(W, b, c, h)
        if t > 0:
            total += (path[t] - path[t - 1]) * A
        log_weight[t] = total
        sweep_hidden(stream, path[t], mass, grow, decrease, c, h)


@njit(cache=True, nogil=True, error_model="numpy")
def word_masses(W, b, c, h):  # type: ignore[no-untyped-def]
    """``exp(b_k + h . W_k)`` of every word, over the largest of them; and A(h)."""
    scores, bias = b.copy(), 0.0
    for j in range(c.size):
        if h[j]:
            scores += W[j]
            bias += c[j]
    top = scores.max()
    mass = np.exp(scores - top)
    return mass, bias + top + np.log(mass.sum())


@njit(cache=True, nogil=True, error_model="numpy")
def anneal_back(
    seed: int, particle: int, W: Array, b: Array, c: Array, path: Array, h: Array
) -> float:
    """Run one particle from h, a draw at the last length of `path`, back to length 0.

    Returns the log weight that the way would have gathered forward. Every move leaves p_N
    unchanged, so the mean of the inverse weights is 1 / Z.
    """
    stream, grow, decrease = seed_state(seed, particle, 1), np.exp(W), np.exp(-W)
    total: float = c.size * np.log(2.0)
    for t in range(path.size - 1, 0, -1):
        mass, A = word_masses(W, b, c, h)
        if t < path.size - 1:
            sweep_hidden(stream, path[t], mass, grow, decrease, c, h)
            A = word_masses(W, b, c, h)[1]
        total += (path[t] - path[t - 1]) * A
    return total
