"""How surprising each word of a text is, given all its other words: ``-log P(word | rest)``.

P is that of `context.py`, for all words of the text at once: factors in which the word has the same
position in its window share their products with the vocabulary, which is taken in stretches, so
that memory does not grow with K.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.models.cloze import logits_given
from wordrbm.processors import cores
from wordrbm.using.markov import TextModel, factors_around
from wordrbm.using.precise import BLANK, one_blas_thread

PART = 64  # words of a text at a time

Ids = Int[np.ndarray, " T"]


class Inputs(NamedTuple):
    """Factors that hold a word at one position of a window: whose, how often, and the rest."""

    word: Int[np.ndarray, " R"]  # among the words in question
    weight: Float64[np.ndarray, " R"]
    rest: Float64[np.ndarray, "R H"]  # the hidden input from the other words of the window


def word_surprisal(model: TextModel, ids: Ids) -> Float64[np.ndarray, " T"]:
    """``-log P(word | rest of the text)`` of every word of a text, in nats."""
    # Parts of a fixed size, so that the digits do not depend on the number of threads.
    parts = [range(first, min(first + PART, ids.size)) for first in range(0, ids.size, PART)]
    with one_blas_thread(), ThreadPoolExecutor(min(cores(), len(parts))) as pool:
        return np.concatenate(list(pool.map(partial(_of_places, model, ids), parts)))


def _of_places(model: TextModel, ids: Ids, places: range) -> Float64[np.ndarray, " P"]:
    inputs = [_inputs(model, ids, places, i) for i in range(model.n)]
    split_positions = [logits_given(model.rbm, one.rest, i) for i, one in enumerate(inputs)]
    asked = ids[places.start : places.stop]
    log_total, score = np.full(len(places), -np.inf), np.empty(len(places))
    for stretches in zip(*split_positions, strict=True):
        words = stretches[0][0]
        logits = np.zeros((len(places), words.stop - words.start))
        for one, (_, part) in zip(inputs, stretches, strict=True):
            np.add.at(logits, one.word, one.weight[:, None] * part)
        log_total = np.logaddexp(log_total, np.logaddexp.reduce(logits, axis=1))
        inside = np.flatnonzero((words.start <= asked) & (asked < words.stop))
        score[inside] = logits[inside, asked[inside] - words.start]
    return log_total - score


def _inputs(model: TextModel, ids: Ids, places: range, i: int) -> Inputs:
    """The factors that hold one of some words at position i of their window."""
    n, T = model.n, ids.size
    held = [
        (word, factor)
        for word, place in enumerate(places)
        for factor in factors_around([place], n, T)
        if place - factor.start == i
    ]
    v = np.array([factor.words(ids[None], n)[0] for _, factor in held]).reshape(-1, n)
    v[:, i] = BLANK
    few, row = model.known(v.astype(ids.dtype))
    weight = np.array([factor.weight for _, factor in held])
    return Inputs(np.array([word for word, _ in held], np.int64), weight, few.hidden_input(row))
