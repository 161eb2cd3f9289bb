"""A model asked in double precision, about the words at hand only.

A matrix product rounds a row differently in different company: in single precision the hidden
means of a window differ in their last bit with the windows beside it. In double precision that
noise is a billion times smaller than single precision can show, so answers do not depend on how
sentences are grouped. Only the rows of the words in question are made double: a whole `D` may not
fit twice. Where all words are in question, `D` is made double stretch by stretch, by being
multiplied by a `U` that is.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache

import numpy as np
from jaxtyping import Float, Float64
from threadpoolctl import ThreadpoolController

from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.shapes import Words

BLANK = -1  # the id of a word that is not known
MEAN_WORD = -2  # the id of a word that has the mean of all vectors, where `known` is given it
BLOCK = 1024  # windows at a time, so that memory does not grow with the text
VOCAB_BLOCK = 4096  # words at a time, in double precision

Question = Callable[[WordRepRBM, Words], Float64[np.ndarray, "N ..."]]


def asked(
    question: Question,
    rbm: WordRepRBM,
    v: Words,
    mean_vector: Float64[np.ndarray, " d"] | None = None,
) -> Float64[np.ndarray, "N ..."]:
    """What a model answers about some windows, in double precision, block by block."""
    blocks = [v[first : first + BLOCK] for first in range(0, max(len(v), 1), BLOCK)]
    with one_blas_thread():
        return np.concatenate([question(*known(rbm, block, mean_vector)) for block in blocks])


def one_blas_thread() -> AbstractContextManager[object]:
    """For small products: on a busy machine, threads of the BLAS mostly wait for each other."""
    return _libraries().limit(limits=1, user_api="blas")


@cache  # finding the libraries takes a millisecond, as long as a whole sentence
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def dense_in_double(rbm: WordRepRBM) -> WordRepRBM:
    """The model with U and c in double precision: its products then are, whatever D is."""
    return replace(rbm, U=position_inner(rbm.U.astype(np.float64)), c=rbm.c.astype(np.float64))


def expected_row(
    D: Float[np.ndarray, "K d"], probability: Float64[np.ndarray, " K"]
) -> Float64[np.ndarray, " d"]:
    """``sum_k probability[k] D[k]`` in double precision."""
    expected = np.zeros(D.shape[1])
    for first in range(0, len(D), VOCAB_BLOCK):
        part = slice(first, first + VOCAB_BLOCK)
        expected += probability[part] @ D[part].astype(np.float64)
    return expected


def known(
    rbm: WordRepRBM, v: Words, mean_vector: Float64[np.ndarray, " d"] | None = None
) -> tuple[WordRepRBM, Words]:
    """The model of the words in `v` only, in double precision, and `v` in its ids.

    `BLANK` becomes a word whose vector and bias are zero: it adds nothing to a window.
    `MEAN_WORD` becomes a word with the mean vector and a bias of zero.
    """
    words, row = np.unique(v, return_inverse=True)
    there = (words >= 0).astype(np.float64)
    few = replace(rbm, D=rbm.D[words] * there[:, None], b=rbm.b[words] * there)
    if mean_vector is not None:
        few.D[words == MEAN_WORD] = mean_vector
    return dense_in_double(few), row.reshape(v.shape)
