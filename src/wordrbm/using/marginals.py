"""Several blanks at once, exactly: every joint filling of the blanks is weighed.

    P(x_p = k | text) = sum over fillings of the other blanks of P(all blanks | text)

The last blank is taken for all K words at a time; the fillings of those before it are counted
through in blocks, so memory is bounded. Costs K^m H for m blanks: `can_be_summed` says whether
that is a matter of seconds.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.using.context import log_weight, word_log_weights
from wordrbm.using.markov import TextModel, Texts, factors_around

MOST_FILLINGS = 4_000_000
MOST_NUMBERS = 2**20  # in one array: 8 MB


class Found(NamedTuple):
    """What is known of a group of blanks: a probability per word for each, and the best filling."""

    probability: Float64[np.ndarray, "m K"]
    reading: Int[np.ndarray, " m"]


def can_be_summed(K: int, blanks: int) -> bool:
    """Whether all joint fillings of so many blanks can be weighed."""
    return blanks == 1 or K**blanks <= MOST_FILLINGS


def marginals(model: TextModel, text: Int[np.ndarray, " T"], blanks: list[int]) -> Found:
    """The probability of every word at each blank, all other blanks summed out."""
    K, m = model.rbm.b.size, len(blanks)
    log_sums = np.full((m, K), -np.inf)
    best, reading = -np.inf, np.zeros(m, np.int64)
    block = max(1, MOST_NUMBERS // max(K, model.rbm.c.size))
    for first in range(0, K ** (m - 1), block):
        before = _fillings(first, min(first + block, K ** (m - 1)), K, m - 1)
        weights = _joint(model, text, blanks, before)
        _add(log_sums, before, weights)
        top = np.unravel_index(weights.argmax(), weights.shape)
        if weights[top] > best:
            best, reading = weights[top], np.append(before[top[0]], top[1])
    log_total = np.logaddexp.reduce(log_sums, axis=1, keepdims=True)
    return Found(np.exp(log_sums - log_total), reading)


def _fillings(first: int, stop: int, K: int, places: int) -> Int[np.ndarray, "B m"]:
    """Joint fillings by their numbers: the digits of a number to the base K."""
    number = np.arange(first, stop)[:, None]
    return number // K ** np.arange(places - 1, -1, -1) % K


def _joint(
    model: TextModel,
    text: Int[np.ndarray, " T"],
    blanks: list[int],
    before: Int[np.ndarray, "B m"],
) -> Float64[np.ndarray, "B K"]:
    """The score of each filling of the blanks but the last, for every word at the last."""
    texts: Texts = np.tile(text, (len(before), 1))
    texts[:, blanks[:-1]] = before
    factors = factors_around(blanks, model.n, text.size)
    before_last = [factor for factor in factors if not factor.holds(blanks[-1], model.n)]
    elsewhere = log_weight(model, texts, before_last)
    return word_log_weights(model, texts, blanks[-1]) + elsewhere[:, None]


def _add(
    log_sums: Float64[np.ndarray, "m K"],
    before: Int[np.ndarray, "B m"],
    weights: Float64[np.ndarray, "B K"],
) -> None:
    log_sums[-1] = np.logaddexp(log_sums[-1], np.logaddexp.reduce(weights, axis=0))
    rows = np.logaddexp.reduce(weights, axis=1)
    for place, column in enumerate(before.T):
        np.logaddexp.at(log_sums[place], column, rows)
