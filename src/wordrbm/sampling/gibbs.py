"""Exact Gibbs sampling of the words: the yardstick, O(K) per word.

v_i ~ P(v_i = k | h) = exp(s_i(k)) / sum_k' exp(s_i(k'))            [Dahl 2012, eq. 10]
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from wordrbm.kernels.walk import draw_softmax
from wordrbm.models import AbstractRBM
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Stream, Words

MOST_SCORES = 2**24  # scores held at once: 64 MB in single precision, whatever B and K


@final
@dataclass(frozen=True)
class Gibbs:
    """Draw every word afresh from its softmax conditional."""

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v = np.empty_like(chains.v)
        block = max(1, MOST_SCORES // (model.word_bias.shape[1] * model.positions))
        for start in range(0, len(v), block):
            part = slice(start, start + block)
            scores = model.all_word_scores(chains.h[part])
            words = np.empty(v[part].size, v.dtype)
            draw_softmax(stream, scores.reshape(words.size, -1), words)
            v[part] = words.reshape(v[part].shape)
        return v, TransitionInfo(np.ones(v.shape, np.int32), 1)
