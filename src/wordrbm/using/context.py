"""What a text says about a blank: the words around it that share a window with it.

    P(x | text)  is proportional to  P(text with x in place)

with P(text) of `markov.py`, normalised exactly over the K words; only windows and overlaps that
hold the blank matter. When the text is one window, this is the exact conditional of the model. A
blank that is not filled yet counts as a word whose vector and bias are zero.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce

import numpy as np
from jaxtyping import Float64

from wordrbm.models.cloze import logits_given
from wordrbm.processors import cores
from wordrbm.using.markov import Factor, TextModel, Texts, factors_around
from wordrbm.using.precise import BLANK, one_blas_thread


def log_weight(model: TextModel, texts: Texts, factors: list[Factor]) -> Float64[np.ndarray, " B"]:
    """``log P(text)`` of each text up to a constant, by some of its factors."""
    weight = np.zeros(len(texts))
    for factor in factors:
        few, row = model.known(factor.words(texts, model.n))
        weight -= factor.weight * few.free_energy(row)
    return weight


def word_log_weights(model: TextModel, texts: Texts, blank: int) -> Float64[np.ndarray, "B K"]:
    """The same for every word in the place of a blank, by the factors that hold it."""
    factors = factors_around([blank], model.n, texts.shape[1])
    with one_blas_thread(), ThreadPoolExecutor(min(cores(), len(factors))) as pool:
        # Summed in the order of the factors, so that the digits do not depend on the threads.
        return reduce(np.add, pool.map(partial(log_of_factor, model, texts, blank), factors))


def log_of_factor(
    model: TextModel, texts: Texts, blank: int, factor: Factor
) -> Float64[np.ndarray, "B K"]:
    """The weighted -F of one factor for every word at a blank."""
    v = factor.words(texts, model.n)
    v[:, blank - factor.start] = BLANK
    few, row = model.known(v)
    scores = np.empty((len(texts), model.rbm.b.size))
    for words, logits in logits_given(model.rbm, few.hidden_input(row), blank - factor.start):
        scores[:, words] = logits
    return factor.weight * (scores - few.free_energy(row)[:, None])


def normalised(log_weights: Float64[np.ndarray, "... K"]) -> Float64[np.ndarray, "... K"]:
    """Probabilities over the words, from scores."""
    probability = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return probability / probability.sum(axis=-1, keepdims=True)
