"""What a text says about a blank: the product of the windows that hold it.

The score of a text with blanks filled is the sum of -F(v) over the windows that hold a blank, so

    P(x | text)  is proportional to  prod over those windows of exp(-F(window with x in place))

normalised exactly over the K words. When the text is one window, this is the exact conditional
of the model. A blank that is not filled yet counts as a word whose vector and bias are zero: it
adds nothing to any window.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import logits_given
from wordrbm.processors import cores
from wordrbm.using.precise import BLANK, dense_in_double, known, one_blas_thread

Texts = Int[np.ndarray, "B T"]


def log_weight(rbm: WordRepRBM, texts: Texts, blanks: list[int]) -> Float64[np.ndarray, " B"]:
    """The score of each text: minus the free energies of the windows that hold a blank."""
    n, T = rbm.positions, texts.shape[1]
    starts = sorted({start for blank in blanks for start in starts_around(blank, n, T)})
    weight = np.zeros(len(texts))
    for start in starts:
        few, row = known(rbm, texts[:, start : start + n])
        weight -= few.free_energy(row)
    return weight


def word_log_weights(rbm: WordRepRBM, texts: Texts, blank: int) -> Float64[np.ndarray, "B K"]:
    """The score of each text for every word in the place of a blank: only windows that hold it."""
    rbm, emptied = dense_in_double(rbm), texts.copy()
    emptied[:, blank] = BLANK
    around = starts_around(blank, rbm.positions, texts.shape[1])
    with one_blas_thread(), ThreadPoolExecutor(min(cores(), len(around))) as pool:
        windows = pool.map(partial(_of_window, rbm, emptied, blank), around)
        # Summed in the order of the windows, so that the digits do not depend on the threads.
        return reduce(np.add, windows)


def normalised(log_weights: Float64[np.ndarray, "... K"]) -> Float64[np.ndarray, "... K"]:
    """Probabilities over the words, from scores."""
    probability = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return probability / probability.sum(axis=-1, keepdims=True)


def starts_around(blank: int, n: int, T: int) -> range:
    """Where the windows start that hold a position of a text of T words."""
    return range(max(0, blank - n + 1), min(blank, T - n) + 1)


def _of_window(rbm: WordRepRBM, texts: Texts, blank: int, start: int) -> Float64[np.ndarray, "B K"]:
    v = texts[:, start : start + rbm.positions]
    few, row = known(rbm, v)
    scores = np.empty((len(v), rbm.b.size))
    for words, logits in logits_given(rbm, few.hidden_input(row), blank - start):
        scores[:, words] = logits
    return scores - few.free_energy(row)[:, None]
