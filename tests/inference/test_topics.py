"""Words of topics in every order, and the arguments of pyLDAvis."""

import numpy as np
import pytest
from scipy import sparse

from wordrbm.errors import WordRBMError
from wordrbm.inference import topics
from wordrbm.models import ReplicatedSoftmaxRBM

# The second word is frequent, the fourth rare, the first heavy in the topic.
W = np.array([[2.0, 0.0, 0.5, 1.5]])
Q = np.array([0.3, 0.6, 0.08, 0.02])


@pytest.fixture
def rbm():
    return ReplicatedSoftmaxRBM(W.T, np.eye(1), np.log(Q), np.zeros(1))


@pytest.mark.parametrize(
    ("by", "order"),
    [("weight", [0, 3, 2, 1]), ("lift", [0, 3, 2, 1]), ("probability", [0, 1, 2, 3]),
     ("relevance", [0, 1, 3, 2])],
)  # fmt: skip
def test_orders_of_words(rbm, by, order):
    assert topics.rank_words(rbm, Q, 4, by)[0].tolist() == order
    score = topics.word_scores(rbm, Q, by)[0]
    share = {"lift": 1.0, "relevance": 0.4}.get(by, 0.0)
    base = W[0] if by == "weight" else W[0] + np.log(Q)
    np.testing.assert_allclose(score, base - share * np.log(Q))


def test_topics_are_distributions(rbm):
    p = topics.topic_distributions(rbm)
    np.testing.assert_allclose(p, [Q * np.exp(W[0]) / (Q * np.exp(W[0])).sum()])
    with pytest.raises(WordRBMError, match="give 1 or more"):
        topics.rank_words(rbm, Q, 0, "lift")


def test_words_of_the_documents_in_which_a_topic_stands_out():
    rng = np.random.default_rng(1)
    model = ReplicatedSoftmaxRBM(rng.normal(0, 1, (4, 2)), np.eye(2), np.log(Q), np.zeros(2))
    counts = rng.poisson(2.0, (30, 4)) + 1
    inputs = np.array([model.c + row @ model.D / row.sum() for row in counts])
    z = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    expected = np.tile(topics.SMOOTHING * Q, (2, 1))
    for row, scores in zip(counts, z, strict=True):
        for j in range(2):
            expected[j] += row * np.exp(scores[j]) / np.exp(scores).sum()
    log_p = np.log(expected / expected.sum(axis=1, keepdims=True))
    found = topics.word_scores(model, Q, "documents", sparse.csr_matrix(counts))
    np.testing.assert_allclose(found, 0.3 * log_p + 0.7 * (log_p - np.log(Q)))
    with pytest.raises(WordRBMError, match="give documents"):
        topics.rank_words(model, Q, 3, "documents")


def test_arguments_of_pyldavis_leave_out_what_never_occurs(rbm):
    counts = sparse.csr_matrix([[1, 0, 2, 0], [0, 0, 0, 0], [3, 0, 0, 0]])
    found = topics.pyldavis_arguments(rbm, counts, ["a", "b", "c", "d"])
    assert found["vocab"] == ["a", "c"]
    assert found["doc_lengths"].tolist() == [3, 3]
    assert found["term_frequency"].tolist() == [4, 2]
    np.testing.assert_allclose(found["topic_term_dists"].sum(axis=1), 1)
    assert found["doc_topic_dists"].shape == (2, 1)
    with pytest.raises(WordRBMError, match="no word of the model"):
        topics.pyldavis_arguments(rbm, counts[1:2], ["a", "b", "c", "d"])
