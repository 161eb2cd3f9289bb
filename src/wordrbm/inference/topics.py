"""Topics of a replicated softmax: their words, as a list or as a distribution."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Int64

from wordrbm.errors import InvalidInput
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Probability

# How the words of a topic are ordered. Weight: the topic multiplies the odds of a word by exp W,
# whatever other topics there are. Probability: P(w | topic j alone). Lift: that over the frequency,
# which favours rare words. Relevance: a mean of the logarithms of both (Sievert & Shirley 2014).
ORDERS = ("weight", "probability", "lift", "relevance")
RELEVANCE = 0.6  # weight of the probability in the mean, as published
# One more order looks at documents: relevance in those in which the topic is on above others.
BY_DOCUMENTS = "documents"
DOCUMENT_RELEVANCE = 0.3
SMOOTHING = 20.0  # words by frequency that are added to those of a topic's documents


def word_scores(
    model: ReplicatedSoftmaxRBM, frequency: Probability, by: str, counts: Any = None
) -> Float[np.ndarray, "H K"]:
    """The score by which the words of every topic are ordered; probabilities are not normalized.

    The order by documents needs their `counts`, the others do not look at them.
    """
    if by == BY_DOCUMENTS:
        if counts is None:
            raise InvalidInput("To order words by documents, give documents.")
        log_p = np.log(document_distributions(model, frequency, counts))
        return np.asarray(log_p - (1 - DOCUMENT_RELEVANCE) * np.log(frequency))
    if by not in ORDERS:
        known = ", ".join((*ORDERS, BY_DOCUMENTS))
        raise InvalidInput(f"Words cannot be ordered by {by!r}; give one of {known}.")
    score = model.topic_weights()
    if by != "weight":
        score = score + model.b
    share = {"lift": 1.0, "relevance": 1 - RELEVANCE}.get(by, 0.0)
    return score - share * np.log(frequency)


def rank_words(
    model: ReplicatedSoftmaxRBM, frequency: Probability, count: int, by: str, counts: Any = None
) -> Int64[np.ndarray, "H _"]:
    """The columns of the first `count` words of every topic."""
    if count < 1:
        raise InvalidInput(f"{count} words of a topic were asked for; give 1 or more.")
    return first_words(word_scores(model, frequency, by, counts), count)


def first_words(scores: Float[np.ndarray, "H K"], count: int) -> Int64[np.ndarray, "H _"]:
    """The columns of the `count` highest scores of every topic, equal ones in their order."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :count]


def document_shares(model: ReplicatedSoftmaxRBM, counts: Any) -> Float64[np.ndarray, "N H"]:
    """``r_j = exp z_j / sum_i exp z_i``, z_j the input of unit j per word, standardized.

    Units compete for a document, so one that is on in nearly all of them does not win by that.
    """
    length = np.asarray(counts.sum(axis=1), np.float64).reshape(-1, 1)
    inputs = model.hidden_input(counts) / np.maximum(length, 1.0)
    z = (inputs - inputs.mean(axis=0)) / np.maximum(inputs.std(axis=0), 1e-12)
    return np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None])


def document_distributions(
    model: ReplicatedSoftmaxRBM, frequency: Probability, counts: Any
) -> Float64[np.ndarray, "H K"]:
    """``P(w | topic j) ~ sum_d r_dj n_dw + 20 q_w``: words of the documents of a topic."""
    words = np.asarray(counts.T @ document_shares(model, counts)).T + SMOOTHING * frequency
    return np.asarray(words / words.sum(axis=1, keepdims=True))


def topic_distributions(model: ReplicatedSoftmaxRBM) -> Float[np.ndarray, "H K"]:
    """``P(w | topic j alone)``: every topic as a distribution over words."""
    score = (model.topic_weights() + model.b).astype(np.float64)
    return np.exp(score - np.logaddexp.reduce(score, axis=1)[:, None])


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
