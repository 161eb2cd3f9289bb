"""Document completion, against the ratio of two exact probabilities."""

import numpy as np
import pytest
from scipy import sparse

from tests.likelihood.test_length_annealing import K, exact_log_Z, model  # noqa: F401 - a fixture
from wordrbm.errors import WordRBMError
from wordrbm.likelihood.document_completion import (
    completion_perplexity,
    frequency_perplexity,
    split_halves,
)
from wordrbm.likelihood.length_annealing import log_probability


def documents(count=20, seed=0):
    return sparse.csr_matrix(
        np.random.default_rng(seed).poisson(1.0, (count, K)) + np.eye(count, K)
    )


def slow_score(rbm, first, word, log_Z):
    """``P(w | v) = P(v, w) / sum_w P(v, w)`` from whole documents of one more word."""
    longer = sparse.csr_matrix(first.toarray() + np.eye(K))
    log_p = log_probability(rbm, longer, log_Z)
    return log_p[word] - np.logaddexp.reduce(log_p)


def test_perplexity_is_that_of_exact_conditionals(model):  # noqa: F811
    first, second = split_halves(documents())
    log_Z = exact_log_Z(model, 30)
    scores = []
    for row in range(first.shape[0]):
        words = np.repeat(second[row].indices, second[row].data.astype(int))
        scores.append(np.mean([slow_score(model, first[row], word, log_Z) for word in words]))
    expected = np.exp(-np.mean(scores))
    assert completion_perplexity(model, first, second) == pytest.approx(expected, rel=1e-9)


def test_halves_are_the_document():
    counts = documents(8)
    first, second = split_halves(counts, seed=4)
    long = np.asarray(counts.sum(axis=1)).reshape(-1) > 1
    np.testing.assert_array_equal((first + second).toarray(), counts[long].toarray())
    difference = np.asarray(first.sum(axis=1) - second.sum(axis=1))
    assert set(difference.reshape(-1)) <= {0, 1}
    again, _ = split_halves(counts, seed=4)
    assert (again != first).nnz == 0
    with pytest.raises(WordRBMError, match="two words"):
        split_halves(sparse.csr_matrix(np.eye(3)))


def test_word_frequencies_as_a_baseline():
    second = sparse.csr_matrix([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    q = np.array([0.5, 0.3, 0.2])
    expected = np.exp(-((2 * np.log(0.5) + np.log(0.2)) / 3 + np.log(0.3)) / 2)
    assert frequency_perplexity(q, second) == pytest.approx(expected)
