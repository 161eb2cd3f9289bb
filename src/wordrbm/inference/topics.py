"""Topics of a replicated softmax: their words, and documents near each other by their topics."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Int64

from wordrbm.errors import InvalidInput
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array, Probability

# How the words of a topic are ordered. Weight: the topic multiplies the odds of a word by exp W,
# whatever other topics there are. Probability: P(w | topic j alone). Lift: that over the frequency,
# which favours rare words. Relevance: a mean of the logarithms of both (Sievert & Shirley 2014).
ORDERS = ("weight", "probability", "lift", "relevance")
RELEVANCE = 0.6  # weight of the probability in the mean, as published
DOCUMENT_BLOCK = 1024  # documents compared with all others in one product


def word_scores(
    model: ReplicatedSoftmaxRBM, frequency: Probability, by: str
) -> Float[np.ndarray, "H K"]:
    """The score by which the words of every topic are ordered; probabilities are not normalized."""
    if by not in ORDERS:
        raise InvalidInput(f"Words cannot be ordered by {by!r}; give one of {', '.join(ORDERS)}.")
    score = model.topic_weights()
    if by != "weight":
        score = score + model.b
    share = {"lift": 1.0, "relevance": 1 - RELEVANCE}.get(by, 0.0)
    return score - share * np.log(frequency)


def rank_words(
    model: ReplicatedSoftmaxRBM, frequency: Probability, count: int, by: str
) -> Int64[np.ndarray, "H _"]:
    """The columns of the first `count` words of every topic."""
    if count < 1:
        raise InvalidInput(f"{count} words of a topic were asked for; give 1 or more.")
    return np.argsort(-word_scores(model, frequency, by), axis=1, kind="stable")[:, :count]


def topic_distributions(model: ReplicatedSoftmaxRBM) -> Float[np.ndarray, "H K"]:
    """``P(w | topic j alone)``: every topic as a distribution over words."""
    score = (model.topic_weights() + model.b).astype(np.float64)
    return np.exp(score - np.logaddexp.reduce(score, axis=1)[:, None])


def nearest_documents(
    topics: Float64[np.ndarray, "N H"], others: Float64[np.ndarray, "M H"], count: int
) -> tuple[Array, Array]:
    """The numbers of the `others` nearest to each document by the cosine of topics, and cosines."""
    first, second = (
        x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (topics, others)
    )
    nearest: list[Array] = []
    cosines: list[Array] = []
    for start in range(0, len(first), DOCUMENT_BLOCK):
        cosine = first[start : start + DOCUMENT_BLOCK] @ second.T
        order = np.argsort(-cosine, axis=1, kind="stable")[:, :count]
        nearest.append(order)
        cosines.append(np.take_along_axis(cosine, order, axis=1))
    empty = np.empty((0, min(count, len(second))))
    return np.concatenate([*nearest, empty.astype(np.int64)]), np.concatenate([*cosines, empty])


def pyldavis_arguments(
    model: ReplicatedSoftmaxRBM, counts: Any, words: Sequence[str]
) -> dict[str, Any]:
    """The arguments of ``pyLDAvis.prepare``, which needs documents and words that occur.

    Topics become distributions over words, and the topics of a document shares of one.
    """
    lengths = np.asarray(counts.sum(axis=1), np.float64).reshape(-1)
    frequency = np.asarray(counts.sum(axis=0), np.float64).reshape(-1)
    rows, used = np.flatnonzero(lengths > 0), np.flatnonzero(frequency > 0)
    if not rows.size:
        raise InvalidInput("The documents hold no word of the model; give some that do.")
    mean = model.hidden_mean(counts[rows]) + 1e-12
    topics = topic_distributions(model)[:, used]
    return {
        "topic_term_dists": topics / topics.sum(axis=1, keepdims=True),
        "doc_topic_dists": mean / mean.sum(axis=1, keepdims=True),
        "doc_lengths": lengths[rows],
        "vocab": [words[k] for k in used.tolist()],
        "term_frequency": frequency[used],
    }
