"""The rest of a document whose length N is known: P(w | the n words seen, N), by Gibbs sampling.

    P(h | v) ~ exp(sum_k n_k h . W_k + N c . h) (sum_k exp(b_k + h . W_k))^(N - n)
    P(w | v) = sum_h P(h | v) softmax(b + h W)_w

The replicated softmax is another distribution for every length: in a longer document more words
share h, and h is more certain. `document_completion.py` gives the next word, where N is n + 1. Here
the N - n words that are not seen are summed out by sampling them given h, and h given all words;
P(w | v) is the average of the softmax. A step costs O(K) for each document and topic.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float, Int64

from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array

BLOCK = 64  # documents that are sampled at once
SWEEPS, BURN_IN = 200, 20  # that are averaged, and before them


def rest_probabilities(
    model: ReplicatedSoftmaxRBM,
    counts: Any,
    unseen: Int64[np.ndarray, " N"],
    *,
    sweeps: int = SWEEPS,
    seed: int = 1,
) -> Iterator[Float[np.ndarray, "B K"]]:
    """``P(w | v)`` of all words, by blocks of documents; `unseen` is N - n of each of them."""
    W = model.topic_weights()
    for first in range(0, counts.shape[0], BLOCK):
        rows = slice(first, first + BLOCK)
        rng = np.random.default_rng((seed, first))
        yield _sample_block(model, W, counts[rows], unseen[rows], sweeps, rng)


def _sample_block(
    model: ReplicatedSoftmaxRBM, W: Array, counts: Any, unseen: Array, sweeps: int,
    rng: np.random.Generator,
) -> Array:  # fmt: skip
    inputs = model.hidden_input(counts)
    h = _draw(rng, inputs)
    inputs += unseen[:, None] * model.c
    total = np.zeros((len(h), W.shape[1]))
    for sweep in range(BURN_IN + sweeps):
        scores = h.astype(W.dtype) @ W + model.b
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        cumulated = np.cumsum(p, axis=1, dtype=np.float64)
        if sweep >= BURN_IN:
            total += p / cumulated[:, -1:]
        h = _draw(rng, inputs + _sum_unseen(rng, W, cumulated, unseen))
    return total / sweeps


def _draw(rng: np.random.Generator, inputs: Array) -> Array:
    """h given its inputs."""
    return rng.random(inputs.shape) < np.exp(-np.logaddexp(0.0, -inputs))


def _sum_unseen(rng: np.random.Generator, W: Array, cumulated: Array, unseen: Array) -> Array:
    """``W n`` of as many words as are not seen, drawn by cumulated probabilities."""
    sums = np.zeros((len(unseen), len(W)))
    for row, count in enumerate(unseen.tolist()):
        words = np.searchsorted(cumulated[row], rng.random(count) * cumulated[row, -1], "right")
        sums[row] = W[:, np.minimum(words, W.shape[1] - 1)].sum(axis=1)
    return sums
