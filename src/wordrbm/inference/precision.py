"""Evaluate a model in double precision, block by block, for the words that occur only.

A matrix product rounds a row differently in different company: in single precision the hidden
means of a window differ in their last bit with the windows beside it. In double precision that
noise is a billion times smaller than single precision can show, so answers do not depend on how
sentences are grouped. Only the rows of `D` that occur are converted: a whole `D` may not fit twice.
Where all words matter, `D` is multiplied block by block with a `U` in double precision.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Float64

from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words
from wordrbm.threads import one_blas_thread

BLANK = -1  # the id of a blank: a word whose vector and bias are zero
MEAN_WORD = -2  # the id of the mean word: the mean of all vectors, and a bias of zero
WINDOWS_PER_BLOCK = 1024  # so that memory does not grow with the text

Method = Callable[[WordRepRBM, Words], Float64[np.ndarray, "N ..."]]


def evaluate_in_double(
    method: Method,
    rbm: WordRepRBM,
    v: Words,
    mean_vector: Float64[np.ndarray, " d"] | None = None,
) -> Float64[np.ndarray, "N ..."]:
    """Call a method of the model on windows v (N, n) in double precision, block by block."""
    starts = range(0, max(len(v), 1), WINDOWS_PER_BLOCK)
    blocks = [v[first : first + WINDOWS_PER_BLOCK] for first in starts]
    with one_blas_thread():
        return np.concatenate(
            [method(*restrict_to_words(rbm, block, mean_vector)) for block in blocks]
        )


def hidden_weights_in_double(rbm: WordRepRBM) -> WordRepRBM:
    """Return the model with U and c in double precision: then so are its products with any D."""
    return replace(rbm, U=rbm.U.astype(np.float64), c=rbm.c.astype(np.float64))


def restrict_to_words(
    rbm: WordRepRBM, v: Words, mean_vector: Float64[np.ndarray, " d"] | None = None
) -> tuple[WordRepRBM, Words]:
    """Return the model over the words in `v` only, in double precision, and `v` in its ids.

    `BLANK` becomes a word whose vector and bias are zero: it adds nothing to a window.
    `MEAN_WORD` becomes a word with the mean vector and a bias of zero.
    """
    words, row = np.unique(v, return_inverse=True)
    is_word = (words >= 0).astype(np.float64)
    restricted = replace(rbm, D=rbm.D[words] * is_word[:, None], b=rbm.b[words] * is_word)
    if mean_vector is not None:
        restricted.D[words == MEAN_WORD] = mean_vector
    return hidden_weights_in_double(restricted), row.reshape(v.shape)
