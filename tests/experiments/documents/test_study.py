import numpy as np
import pytest
from experiments.documents.study import (
    completion_perplexity,
    measure_completion,
    next_word,
    retrieval_precision,
    split_halves,
)
from scipy import sparse

from wordrbm.models import ReplicatedSoftmaxRBM

K, H = 6, 3


def tiny():
    rng = np.random.default_rng(0)
    shapes = (K, 2), (H, 2), (K,), (H,)
    return ReplicatedSoftmaxRBM(*(rng.normal(0, 0.8, shape) for shape in shapes))


def test_next_word_is_the_exact_conditional():
    model, counts = tiny(), sparse.csr_matrix([[1, 0, 2, 0, 0, 1], [0, 3, 0, 0, 0, 0]])
    found = np.concatenate(list(next_word(model, counts)))
    for row, p in zip(counts.toarray(), found, strict=True):
        longer = sparse.csr_matrix(row + np.eye(K))
        masses = np.exp(-model.free_energy(longer))
        np.testing.assert_allclose(p, masses / masses.sum())


def test_halves_and_completion():
    counts = sparse.csr_matrix(np.random.default_rng(1).poisson(2.0, (9, K)))
    first, second = split_halves(counts)
    np.testing.assert_array_equal((first + second).toarray(), counts.toarray())
    uniform = iter([np.full((9, K), 1 / K)])
    assert completion_perplexity(uniform, second) == pytest.approx(K)


def test_perfect_features_retrieve_their_group():
    group = np.repeat([0, 1], 50)
    features = np.eye(2)[group]
    found = retrieval_precision(features, group, features, group)
    assert found.by_share == pytest.approx([1.0] * 4)
    assert found.by_recall == pytest.approx([1.0] * 4)


def test_precision_at_a_recall_counts_what_was_retrieved_before():
    group = np.array([0, 1, 0, 0, 0, 0])
    features = np.array([[np.cos(x), np.sin(x)] for x in (0.3, 0.1, 0.2, 0.4, 0.5, 0.6)])
    found = retrieval_precision(features, group, np.array([[1.0, 0.0]]), np.array([0]))
    assert found.by_recall == pytest.approx([1 / 2] * 4)  # the nearest is of another group
    assert found.by_share == pytest.approx([0.0] * 4)


def test_completion_is_measured_given_the_length_too():
    counts = sparse.csr_matrix(np.random.default_rng(1).poisson(2.0, (9, K)))
    assert set(measure_completion(tiny(), counts, by_length=False)) == {"completion"}
    found = measure_completion(tiny(), counts, by_length=True)
    assert 1 < found["completion_by_length"] < 20
    assert found["completion_by_length"] != found["completion"]
