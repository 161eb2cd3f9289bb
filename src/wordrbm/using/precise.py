"""A model asked in double precision, about the words at hand only.

A matrix product rounds a row differently in different company: in single precision the hidden
means of a window differ in their last bit with the windows beside it. In double precision that
noise is a billion times smaller than single precision can show, so answers do not depend on how
sentences are grouped. Only the rows of the words in question are made double: a whole `D` may not
fit twice.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64

from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.shapes import Words

BLANK = -1  # the id of a word that is not known
BLOCK = 1024  # windows at a time, so that memory does not grow with the text

Question = Callable[[WordRepRBM, Words], Float64[np.ndarray, "N ..."]]


def asked(question: Question, rbm: WordRepRBM, v: Words) -> Float64[np.ndarray, "N ..."]:
    """What a model answers about one window or more, in double precision, block by block."""
    firsts = range(0, len(v), BLOCK)
    return np.concatenate([question(*known(rbm, v[first : first + BLOCK])) for first in firsts])


def known(rbm: WordRepRBM, v: Words) -> tuple[WordRepRBM, Words]:
    """The model of the words in `v` only, in double precision, and `v` in its ids.

    `BLANK` becomes a word whose vector and bias are zero: it adds nothing to a window.
    """
    words, row = np.unique(v, return_inverse=True)
    there = (words != BLANK).astype(np.float64)
    few = WordRepRBM(
        D=rbm.D[words] * there[:, None],
        U=position_inner(rbm.U.astype(np.float64)),
        b=rbm.b[words] * there,
        c=rbm.c.astype(np.float64),
    )
    return few, row.reshape(v.shape)
