"""Exact Gibbs sampling of the words: the reference, O(K) per word.

    v_i ~ P(v_i = k | h) = exp(s_i(k)) / sum_k' exp(s_i(k'))            [Dahl 2012, eq. 10]

The scores of a block of words for many chains are one product, small enough to stay in the cache.
Of each block only its largest score and its sum of ``exp(s - largest)`` are kept: a word is
drawn by the sums of the blocks first, and then inside the chosen one, whose scores are
computed again. So K numbers a word are never written to memory.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.gibbs import draw_blocked, sum_exponentials
from wordrbm.models import AbstractRBM
from wordrbm.sampling.transition import Chains, TransitionInfo, TransitionResult
from wordrbm.shapes import Stream

VOCAB_BLOCK = 512  # words: by 384 rows of chains and positions 0.8 MB in single precision
MAX_SUMS = 2**20  # in memory at once, whatever the chains and K


@final
@dataclass(frozen=True)
class Gibbs:
    """Draw every word afresh from its softmax conditional."""

    block: int = VOCAB_BLOCK

    def __call__(self, stream: Stream, model: AbstractRBM, chains: Chains) -> TransitionResult:
        v = np.empty_like(chains.v)
        context, table_index = model.word_context(chains.h), model.table_index
        for p, (rows, bias) in enumerate(zip(model.word_table, model.word_bias, strict=True)):
            positions = np.flatnonzero(table_index == p)
            contexts = context[:, positions].reshape(-1, rows.shape[1])
            words = self._words(stream, np.ascontiguousarray(rows), bias, contexts)
            v[:, positions] = words.reshape(len(v), -1)
        return v, TransitionInfo(np.ones(v.shape, np.int32), 1)

    def _words(
        self,
        stream: Stream,
        rows: Float[np.ndarray, "K r"],
        bias: Float[np.ndarray, " K"],
        context: Float[np.ndarray, "R r"],
    ) -> Int[np.ndarray, " R"]:
        """A word for each context, some at a time."""
        words = np.empty(len(context), np.int32)
        rows_at_once = max(1, MAX_SUMS * self.block // len(rows))
        for first in range(0, len(context), rows_at_once):
            part = slice(first, first + rows_at_once)
            sums = block_log_sums(rows, bias, context[part], self.block)
            draw_blocked(stream, rows, bias, context[part], self.block, *sums, words[part])
        return words


def block_log_sums(
    rows: Float[np.ndarray, "K r"],
    bias: Float[np.ndarray, " K"],
    context: Float[np.ndarray, "R r"],
    block: int,
) -> tuple[Float[np.ndarray, "S R"], Float[np.ndarray, "S R"]]:
    """The largest score of each block of words, and the sum of exp(score - largest)."""
    starts = range(0, len(rows), block)
    largest = np.empty((len(starts), len(context)), context.dtype)
    total = np.empty_like(largest)
    for s, first in enumerate(starts):
        words = slice(first, first + block)
        scores = context @ rows[words].T
        scores += bias[words]
        scores.max(axis=1, out=largest[s])
        sum_exponentials(scores, largest[s], total[s])
    return largest, total
