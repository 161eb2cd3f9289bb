"""NPMI of top words, against loops over documents and against gensim."""

import math

import numpy as np
import pytest
from scipy import sparse

from wordrbm.analysis.coherence import topic_coherence, topic_diversity
from wordrbm.errors import WordRBMError


def random_counts(documents=60, K=12, seed=0):
    """Words that come in two groups, each word in some documents."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=documents)
    rate = np.where(group[:, None] == (np.arange(K) % 2), 0.9, 0.15)
    counts = rng.poisson(rate)
    counts[0] = 1  # every word occurs
    return counts


def slow_coherence(words, counts):
    """By the definition, a pair and a document at a time."""
    documents, scores = [set(np.flatnonzero(row)) for row in counts], []
    for i, a in enumerate(words):
        for b in words[i + 1 :]:
            p_a, p_b = (sum(w in x for x in documents) / len(documents) for w in (a, b))
            both = sum(a in x and b in x for x in documents) / len(documents) + 1e-12
            scores.append(math.log(both / (p_a * p_b)) / -math.log(both))
    return sum(scores) / len(scores)


TOPICS = np.array([[0, 2, 4, 6], [1, 3, 5, 7], [0, 1, 2, 3], [11, 10, 9, 8]])


def test_it_is_the_mean_over_pairs():
    counts = random_counts()
    found = topic_coherence(TOPICS, sparse.csr_matrix(counts))
    np.testing.assert_allclose(found, [slow_coherence(x.tolist(), counts) for x in TOPICS])
    assert found[0] > 0.1 > found[2]


def test_it_is_c_npmi_of_gensim_with_windows_as_wide_as_documents():
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    counts = random_counts(seed=3)
    texts = [[f"w{k}" for k in np.repeat(np.arange(12), row)] for row in counts]
    found = models.CoherenceModel(
        topics=[[f"w{k}" for k in topic] for topic in TOPICS], texts=texts,
        dictionary=corpora.Dictionary(texts), coherence="c_npmi", window_size=1000, processes=1,
    ).get_coherence_per_topic()  # fmt: skip
    np.testing.assert_allclose(topic_coherence(TOPICS, sparse.csr_matrix(counts)), found)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 1], [1, 1], [0, 0]], 1.0),  # always together
        ([[1, 1], [1, 1]], 1.0),  # in every document
        ([[1, 0], [0, 1], [1, 0], [0, 1]], -0.95),  # never together
        ([[1, 1], [1, 0], [0, 1], [0, 0]], 0.0),  # independent
        ([[1, 0], [1, 0]], 0.0),  # one of them is in no document
    ],
)
def test_what_the_numbers_mean(rows, expected):
    found = topic_coherence(np.array([[0, 1]]), sparse.csr_matrix(rows))[0]
    assert found == pytest.approx(expected, abs=1e-6) or (expected == -0.95 and found < -0.9)


def test_diversity_is_the_share_of_distinct_words():
    assert topic_diversity(np.array([[0, 1], [2, 3]])) == 1.0
    assert topic_diversity(np.array([[0, 1], [1, 0]])) == 0.5


def test_too_little_is_refused():
    with pytest.raises(WordRBMError, match="two words"):
        topic_coherence(np.array([[0]]), sparse.csr_matrix([[1, 1]]))
    with pytest.raises(WordRBMError, match="reference documents"):
        topic_coherence(np.array([[0, 1]]), sparse.csr_matrix((0, 2)))
