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

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from wordrbm.kernels.bigrams import WordTables
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


def candidates_of(settings: TrainingSettings, words: WordTables) -> Candidates:
    """What the words read are ranked among by these settings; of size 0 without ranking."""
    size = settings.candidates if settings.objective == "hybrid" else 0
    return Candidates(words, size, settings.ranking_weight, THINNING)


def rank_words(
    stream: Stream, model: AbstractRBM, candidates: Candidates, v: Words
) -> RankedWindows:
    """Rank one word of each window v that a shard has read, for any model."""
    (B, n), P = v.shape, candidates.size
    read, windows, weights = np.zeros(B), [v[:0]], [np.zeros(0)]
    rotation = draw_rotation(stream, n, B)
    for i in range(n):
        first, last = ranked_windows(i, n, B, rotation)
        if first == last:
            continue
        number = np.empty(P, np.int32)
        draw_candidates(stream, candidates.words, i, number)
        candidate_windows, r = _rank_position(model, candidates, v[first:last], i, number)
        thinned = np.empty((len(r), P))
        for m, probability in enumerate(r):
            thin(next_uniform(stream), probability[1:], candidates.thinning, thinned[m])
        read[first:last] = candidates.weight * (1.0 - r[:, 0])
        windows.append(candidate_windows[thinned > 0.0])
        weights.append(-candidates.weight * thinned[thinned > 0.0])
    return RankedWindows(read, np.concatenate(windows), np.concatenate(weights))


def _rank_position(
    model: AbstractRBM, candidates: Candidates, v: Words, i: int, number: Array
) -> tuple[Array, Array]:
    """Each window v with every candidate at position i, and r of each, the word read first."""
    tried = np.repeat(v[:, None], 1 + number.size, axis=1)
    tried[:, 1:, i] = number
    energy = model.free_energy(tried.reshape(-1, v.shape[1])).reshape(tried.shape[:2])
    score = -energy - candidates.words.log_q[tried[:, :, i]]
    r = np.exp(score - score.max(axis=1, keepdims=True))
    return tried[:, 1:], r / r.sum(axis=1, keepdims=True)
