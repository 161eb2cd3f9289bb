"""Features of documents, against loops."""

import math

import numpy as np
import pytest
from experiments.sentiment.features import (
    MEAN,
    TANH,
    TOP,
    NaiveBayesWeights,
    count_ngrams,
    list_ngrams,
    pool_windows,
)
from scipy import sparse
from sklearn.preprocessing import normalize

TEXTS = [["a", "good", "film"], ["a", "bad", "film", "a"], ["good", "good"], []]


def test_ngrams_of_tokens():
    assert list_ngrams(["a", "b", "c"], 3) == ["a", "b", "c", "a b", "b c", "a b c"]
    assert list_ngrams(["a"], 3) == ["a"]
    assert list_ngrams([], 2) == []


def test_ngrams_count_once_a_document():
    train, test = count_ngrams(2, 1, TEXTS, [["good", "film", "unseen"]])
    assert train.max() == 1
    assert train.sum(axis=1).ravel().tolist()[0] == [5.0, 6.0, 2.0, 0.0]
    assert test.sum() == 3  # good, film and both together
    lengths = np.asarray(normalize(train).power(2).sum(axis=1)).ravel()
    np.testing.assert_allclose(lengths, [1, 1, 1, 0], rtol=1e-6)


def test_rare_ngrams_are_left_out():
    (counts,) = count_ngrams(1, 2, TEXTS)
    assert counts.shape[1] == 3  # a, film, good


def test_naive_bayes_weights_are_log_ratios():
    x = sparse.csr_matrix(np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]], np.float32))
    ratio = NaiveBayesWeights().fit(x, [1, 0, 0]).ratio_
    inside, outside = [2, 2, 1], [1, 3, 2]
    for f in range(3):
        expected = math.log(inside[f] / 5) - math.log(outside[f] / 6)
        assert ratio[f] == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(
        np.asarray(NaiveBayesWeights().fit_transform(x, [1, 0, 0]).power(2).sum(axis=1)).ravel(), 1,
        rtol=1e-5,
    )  # fmt: skip


def test_poolings_of_a_document():
    rng = np.random.default_rng(1)
    energies = rng.normal(size=(25, 2)) * 3
    pooled = pool_windows(energies)
    half = (energies[:, 0] - energies[:, 1]) / 2
    np.testing.assert_allclose(pooled[MEAN], energies.mean(axis=0))
    assert pooled[TANH][0] == pytest.approx(sum(math.tanh(x / 4) for x in half) / 25)
    assert pooled[TOP][0] == pytest.approx(sum(sorted(half)[-2:]) / 2)
    assert pooled[TOP][1] == pytest.approx(-sum(sorted(half)[:2]) / 2)
