"""The exact cloze score: the log-probability of each word given the rest of its window.

    log P(v_i = k | rest) = b_k + sum_j softplus(a_j + W(i)[j, k]) - log sum_k' (the same)

where a is the hidden input from the rest. The sum over K is exact, taken in blocks of the
vocabulary so that memory does not grow with K. Costs O(K H) a word: for scores, never in an update.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from jaxtyping import Float

from wordrbm.errors import Stopped
from wordrbm.kernels.free_energy import log_gain
from wordrbm.models.base import AbstractRBM
from wordrbm.shapes import Hidden, Scores, Words
from wordrbm.threads import StopCheck, never_stop, one_blas_thread

PART = 64  # windows at a time
STOPPED = "Stopped; the score was not finished."
VOCAB_BLOCK = 256  # words at a time: 256 x 250 doubles stay in the processor's cache


def cloze_log_probability(
    model: AbstractRBM, v: Words, *, threads: int = 1, stop: StopCheck = never_stop
) -> Scores:
    """``log P(v_i | the other words of the window)`` for every word of every window.

    `stop` is called many times a second; once it returns true, `Stopped` is raised.
    """
    # Parts of a fixed size, so that the digits do not depend on the number of threads.
    parts = [v[first : first + PART] for first in range(0, len(v), PART)]
    # A product of a block is too small for the threads of BLAS.
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(lambda part: _scores(model, part, stop), parts)))


def word_logits(
    model: AbstractRBM, v: Words, i: int
) -> Iterator[tuple[slice, Float[np.ndarray, "B k"]]]:
    """``log P*(v_i = k | rest)`` up to a constant per window, by blocks of the vocabulary."""
    removed = np.stack([model.word_weights(i, slice(w, w + 1))[0] for w in v[:, i].tolist()])
    return logits_from_input(model, model.hidden_input(v).astype(np.float64) - removed, i)


def logits_from_input(
    model: AbstractRBM, rest: Hidden, i: int, among: slice | None = None
) -> Iterator[tuple[slice, Float[np.ndarray, "B k"]]]:
    """``log P*(v_i = k | rest)`` as `word_logits` has it, from the hidden input of the rest.

    `among` limits it to some words; it begins at a multiple of `VOCAB_BLOCK`.
    """
    off, on = np.exp(-np.logaddexp(0.0, rest)), np.exp(-np.logaddexp(0.0, -rest))
    bias = model.word_bias[i % len(model.word_bias)]
    first, last, _ = (among or slice(None)).indices(bias.size)
    for start in range(first, last, VOCAB_BLOCK):
        words = slice(start, min(start + VOCAB_BLOCK, last))
        weight = model.word_weights(i, words).astype(np.float64, copy=False)
        with np.errstate(over="ignore"):  # infinity selects the slow path of the kernel
            growth = np.exp(weight)
        logits = np.empty((len(rest), len(weight)))
        log_gain(rest, off, on, weight, growth, logits)
        yield words, logits + bias[words].astype(np.float64)


@np.errstate(over="ignore", invalid="ignore")  # divergence is reported in one sentence
def _scores(model: AbstractRBM, v: Words, stop: StopCheck) -> Scores:
    scores = np.empty(v.shape)
    for i in range(model.positions):
        log_total = np.full(len(v), -np.inf)
        for words, logits in word_logits(model, v, i):
            if stop():
                raise Stopped(STOPPED)
            top = logits.max(axis=1)
            log_sum = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
            log_total = np.logaddexp(log_total, log_sum)
            m = np.flatnonzero((words.start <= v[:, i]) & (v[:, i] < words.stop))
            scores[m, i] = logits[m, v[m, i] - words.start]
        scores[:, i] -= log_total
    return scores
