"""Annealed importance sampling over windows, compiled: weights and transitions of some particles.

With the hidden units summed out, the path from word frequencies q to the model is

    log f_b(v) = sum_i ((1 - b) log q(v_i) + b bias(v_i)) + sum_j softplus(b (c_j + x_j(v)))

for inverse temperatures b from 0 to 1. A transition draws ``h ~ p_b(h | v)``, moves every word by
Metropolis-Hastings given h, then proposes whole windows from a reservoir (`jumps.py`). Each of the
two halves is reversible on v, so the reverse of a transition is the same halves in the other order.
No step costs anything that grows with K. Particles share nothing: they are independent. The
references are in `likelihood/annealing.py`.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg  # noqa: F401 - its BLAS is the one compiled code calls: loaded, it can be limited
from numba import njit

from wordrbm.kernels.alias import draw_alias
from wordrbm.kernels.jumps import draw_windows, log_reservoir
from wordrbm.kernels.metropolis import REORDER, gather, is_accepted
from wordrbm.kernels.rng import next_uniform
from wordrbm.shapes import Array

FACTORS = 512  # of at most 2 each, multiplied before a logarithm is taken: below the largest double


class WordProposal(NamedTuple):
    """The alias table of the word frequencies q, and ``log q``."""

    keep: Array
    alias: Array
    log_q: Array


class Moves(NamedTuple):
    """How often a transition proposes: to each word, and whole windows to each particle."""

    word_steps: int
    jumps: int


@njit(cache=True, nogil=True)
def anneal_forward(stream, model, words, table, moves, inverse_temperatures, v, log_weight):  # type: ignore[no-untyped-def]
    """Move particles up the path; ``log_weight += log f_t(v) - log f_t-1(v)`` before each move."""
    x = hidden_input(model, v)
    for t in range(1, inverse_temperatures.size):
        lower, upper = inverse_temperatures[t - 1], inverse_temperatures[t]
        add_log_ratio(model, words.log_q, lower, upper, v, x, log_weight)
        x = move_words(stream, model, words, upper, moves.word_steps, v, x)
        jump(stream, model, words.log_q, table, upper, moves.jumps, v, x)


@njit(cache=True, nogil=True)
def anneal_reverse(stream, model, words, table, moves, inverse_temperatures, v, log_weight):  # type: ignore[no-untyped-def]
    """Move particles down the path; ``log_weight += log f_t(v) - log f_t-1(v)`` after each move."""
    x = hidden_input(model, v)
    for t in range(inverse_temperatures.size - 1, 0, -1):
        lower, upper = inverse_temperatures[t - 1], inverse_temperatures[t]
        jump(stream, model, words.log_q, table, upper, moves.jumps, v, x)
        x = move_words(stream, model, words, upper, moves.word_steps, v, x)
        add_log_ratio(model, words.log_q, lower, upper, v, x, log_weight)


@njit(cache=True, nogil=True)
def hidden_input(model, v):  # type: ignore[no-untyped-def]
    """``c_j + x_j(v)`` of every particle."""
    rows = gather(model.D, np.ascontiguousarray(v).reshape(-1))
    return np.dot(rows.reshape(len(v), v.shape[1] * model.D.shape[1]), model.U.T) + model.c


@njit(cache=True, nogil=True)
def add_log_ratio(model, log_q, lower, upper, v, x, log_weight):  # type: ignore[no-untyped-def]
    """``log_weight[m] += log f_upper(v_m) - log f_lower(v_m)``, in double precision."""
    for m in range(len(v)):
        log_weight[m] += log_annealed(model.b, log_q, upper, v[m], x[m])
        log_weight[m] -= log_annealed(model.b, log_q, lower, v[m], x[m])


@njit(cache=True, nogil=True, error_model="numpy")
def log_annealed(bias, log_q, inverse_temperature, window, x):  # type: ignore[no-untyped-def]
    """``log f_b(v)`` of one window, in double precision; `x` is its hidden input."""
    total, product = 0.0, 1.0
    for word in window:
        total += (1.0 - inverse_temperature) * log_q[word] + inverse_temperature * bias[word]
    for j in range(x.size):
        y = inverse_temperature * np.float64(x[j])
        total += max(y, 0.0)
        product *= 1.0 + np.exp(-abs(y))
        if j % FACTORS == FACTORS - 1:
            total += np.log(product)
            product = 1.0
    return total + np.log(product)


@njit(cache=True, nogil=True)
def move_words(stream, model, words, inverse_temperature, steps, v, x):  # type: ignore[no-untyped-def]
    """Draw ``h ~ p_b(h | v)``, then move every word given h; the new hidden input."""
    d = model.D.shape[1]
    context = np.dot(draw_hidden(stream, inverse_temperature, x), model.U)
    for m in range(len(v)):
        for i in range(v.shape[1]):
            g = context[m, i * d : (i + 1) * d]
            v[m, i] = move_word(stream, model, words, inverse_temperature, steps, g, v[m, i])
    return hidden_input(model, v)


@njit(cache=True, nogil=True, error_model="numpy")
def draw_hidden(stream, inverse_temperature, x):  # type: ignore[no-untyped-def]
    """``h_j = 1`` with probability ``1 / (1 + exp(-b x_j))``."""
    h = np.empty_like(x)
    for m in range(x.shape[0]):
        for j in range(x.shape[1]):
            odds = np.exp(-inverse_temperature * np.float64(x[m, j]))
            h[m, j] = 1.0 if next_uniform(stream) * (1.0 + odds) < 1.0 else 0.0
    return h


@njit(cache=True, nogil=True)
def move_word(stream, model, words, inverse_temperature, steps, context, word):  # type: ignore[no-untyped-def]
    """Metropolis-Hastings with proposals from q: the log weight is ``b (bias - log q + g . D)``."""
    current_weight = inverse_temperature * word_weight(model, words.log_q, context, word)
    for _ in range(steps):
        proposed = draw_alias(stream, words.keep, words.alias)
        proposed_weight = inverse_temperature * word_weight(model, words.log_q, context, proposed)
        if is_accepted(stream, current_weight, proposed_weight):
            word, current_weight = proposed, proposed_weight
    return word


@njit(cache=True, nogil=True, fastmath=REORDER)
def word_weight(model, log_q, context, word):  # type: ignore[no-untyped-def]
    """``bias - log q + context . D[word]``."""
    row = model.D[word]
    total = model.D.dtype.type(0)
    for k in range(row.size):
        total += context[k] * row[k]
    return model.b[word] - log_q[word] + total


@njit(cache=True, nogil=True)
def jump(stream, model, log_q, table, inverse_temperature, jumps, v, x):  # type: ignore[no-untyped-def]
    """Propose whole windows from the reservoir to every particle; v and x change in place."""
    proposed = np.empty_like(v)
    for _ in range(jumps):
        draw_windows(stream, table, proposed)
        proposed_x = hidden_input(model, proposed)
        current_weight = jump_weights(model, log_q, table, inverse_temperature, v, x)
        weight = jump_weights(model, log_q, table, inverse_temperature, proposed, proposed_x)
        for m in range(len(v)):
            if is_accepted(stream, current_weight[m], weight[m]):
                v[m], x[m] = proposed[m], proposed_x[m]


@njit(cache=True, nogil=True)
def jump_weights(model, log_q, table, inverse_temperature, v, x):  # type: ignore[no-untyped-def]
    """``log f_b(v) - log r(v)`` of every window."""
    out = np.empty(len(v))
    log_reservoir(table, v, out, np.empty(len(v), np.bool_))
    for m in range(len(v)):
        out[m] = log_annealed(model.b, log_q, inverse_temperature, v[m], x[m]) - out[m]
    return out
