"""The ranking objective: the word read against noise words drawn by their frequency.

One word of each window is ranked among P candidates k ~ q, with the hidden units summed out:

    s_k = -F(v with k at position i) - log q(k),    r = softmax(s_0, s_1 .. s_P),   maximise log r_0

where 0 is the word read. It is noise-contrastive estimation of the conditionals P(v_i | rest):
consistent for any number of candidates, with no chain in it, so its gradient has little noise. But
conditionals do not compare windows that differ in more than one word: it is added to the
likelihood, never used alone. Its gradient is a sum over windows, as that of the likelihood is:

    (1 - r_0) d(-F(v)) - sum_k r_k d(-F(v with k))

The positions take turns: the first B / n windows of a shard are ranked by their first word, and so
on; where a shard has fewer windows than words in a window, the first position is drawn. All windows
of a position share their candidates. Its cost has no K.

References
    Z. Ma, M. Collins. Noise contrastive estimation and negative sampling for conditional models.
    EMNLP 2018.
"""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from wordrbm.kernels.jumps import WordTables
from wordrbm.kernels.ranking import (
    Candidates,
    draw_candidates,
    draw_rotation,
    ranked_windows,
    thin,
)
from wordrbm.kernels.rng import next_uniform
from wordrbm.models import AbstractRBM
from wordrbm.shapes import Array, Stream, Words
from wordrbm.training.settings import TrainingSettings

THINNING = 0.1  # less probable candidates are sampled, with unbiased weights


class RankedWindows(NamedTuple):
    """Windows that ranking adds to a gradient, and the weights it gives those read."""

    read: Float[np.ndarray, " B"]
    windows: Words
    weight: Float[np.ndarray, " N"]  # below zero: these windows are to become less probable


@final
@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranks one word of each window, for any model."""

    words: WordTables
    size: int  # candidates for each position: P
    weight: float  # of this objective beside the log-likelihood
    thinning: float = THINNING

    def candidates(self) -> Candidates:
        """The same as compiled code reads it."""
        return Candidates(self.words, self.size, self.weight, self.thinning)

    def __call__(self, stream: Stream, model: AbstractRBM, v: Words) -> RankedWindows:
        """Rank the windows v that a shard has read."""
        B, n = v.shape
        read, windows, weights = np.zeros(B), [v[:0]], [np.zeros(0)]
        rotation = draw_rotation(stream, n, B)
        for i in range(n):
            first, last = ranked_windows(i, n, B, rotation)
            if first == last:
                continue
            number = np.empty(self.size, np.int32)
            draw_candidates(stream, self.words, i, number)
            others, r = self._rank(model, v[first:last], i, number)
            thinned = np.empty((len(r), self.size))
            for m, probability in enumerate(r):
                thin(next_uniform(stream), probability[1:], self.thinning, thinned[m])
            read[first:last] = self.weight * (1.0 - r[:, 0])
            windows.append(others[thinned > 0.0])
            weights.append(-self.weight * thinned[thinned > 0.0])
        return RankedWindows(read, np.concatenate(windows), np.concatenate(weights))

    def _rank(self, model: AbstractRBM, v: Words, i: int, number: Array) -> tuple[Array, Array]:
        """Each window v with every candidate at position i, and r of each, the word read first."""
        tried = np.repeat(v[:, None], 1 + self.size, axis=1)
        tried[:, 1:, i] = number
        energy = model.free_energy(tried.reshape(-1, v.shape[1])).reshape(tried.shape[:2])
        score = -energy - self.words.log_q[tried[:, :, i]]
        r = np.exp(score - score.max(axis=1, keepdims=True))
        return tried[:, 1:], r / r.sum(axis=1, keepdims=True)


def ranking_of(settings: TrainingSettings, words: WordTables) -> Ranking | None:
    """The ranking of these settings; None without one."""
    if settings.objective == "sml":
        return None
    return Ranking(words, settings.candidates, settings.ranking_weight)
