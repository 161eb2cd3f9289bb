"""Exact Gibbs sampling as fast as matrix products allow: the rival in `operators.py`.

The scores of a stretch of words for all chains and positions are one product, small enough to stay
in the cache. Of each stretch only its largest score and ``sum_k exp(s_k - largest)`` are kept. A
word is drawn by the sums of the stretches first and then inside the chosen one, whose scores
are computed again: K numbers a word are never written to memory.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int
from numba import njit

from wordrbm.kernels.elementary import exp
from wordrbm.kernels.stream import next_uniform
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains, TransitionInfo
from wordrbm.shapes import Array, Stream, Words

STRETCH = 512  # words; by 384 rows of chains and positions 0.8 MB


@final
@dataclass(frozen=True)
class BlasGibbs:
    """Draw every word afresh from its softmax conditional; a shared word table only."""

    stretch: int = STRETCH

    def __call__(
        self, stream: Stream, model: WordRepRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        rows = np.concatenate([model.D, model.b[:, None]], axis=1)  # the bias as one more number
        context = model.word_context(chains.h).reshape(-1, model.D.shape[1])
        context = np.concatenate([context, np.ones_like(context[:, :1])], axis=1)
        words = np.empty(len(context), chains.v.dtype)
        sums = stretch_sums(rows, context, self.stretch)
        draw(stream, rows, context, self.stretch, *sums, words)
        v = words.reshape(chains.v.shape)
        return v, TransitionInfo(np.ones(v.shape, np.int32), 1)


def stretch_sums(
    rows: Float[np.ndarray, "K r"], context: Float[np.ndarray, "R r"], stretch: int
) -> tuple[Float[np.ndarray, "S R"], Float[np.ndarray, "S R"]]:
    """The largest score of each stretch of words, and the sum of exp(score - largest)."""
    starts = range(0, len(rows), stretch)
    largest = np.empty((len(starts), len(context)), context.dtype)
    total = np.empty_like(largest)
    for s, first in enumerate(starts):
        scores = context @ rows[first : first + stretch].T
        scores.max(axis=1, out=largest[s])
        add_exponentials(scores, largest[s], total[s])
    return largest, total


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def add_exponentials(scores: Array, largest: Array, total: Array) -> None:
    """``total[m] = sum_k exp(scores[m, k] - largest[m])``."""
    for m in range(scores.shape[0]):
        here = scores.dtype.type(0)
        for k in range(scores.shape[1]):
            here += exp(scores[m, k] - largest[m])
        total[m] = here


@njit(cache=True, nogil=True)
def chosen(stream, weight):  # type: ignore[no-untyped-def]
    """An index with probability in proportion to its weight."""
    left = next_uniform(stream) * weight.sum()
    for k in range(weight.size):
        left -= weight[k]
        if left < 0.0:
            return k
    return weight.size - 1  # rounding has left a little


@njit(cache=True, nogil=True)
def draw(
    stream: Array,
    rows: Array,
    context: Array,
    stretch: int,
    largest: Array,
    total: Array,
    words: Int[np.ndarray, " R"],
) -> None:
    """A stretch by its sum, then a word of it by its score, for every row of `context`."""
    for m in range(len(context)):
        shift = largest[:, m].max()
        sums = total[:, m] * np.exp((largest[:, m] - shift).astype(np.float64))
        first = stretch * chosen(stream, sums)
        scores = rows[first : first + stretch] @ context[m]
        words[m] = first + chosen(stream, np.exp((scores - scores.max()).astype(np.float64)))
