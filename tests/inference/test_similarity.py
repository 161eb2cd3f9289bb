"""Documents near each other: their vectors against plain loops, and the order by cosine."""

import numpy as np
import pytest
from scipy import sparse

from wordrbm.inference import similarity
from wordrbm.models import ReplicatedSoftmaxRBM

Q = np.array([0.5, 0.3, 0.15, 0.05])


@pytest.fixture
def rbm():
    rng = np.random.default_rng(3)
    return ReplicatedSoftmaxRBM(*(rng.normal(0, 1, shape) for shape in ((4, 2), (3, 2), 4, 3)))


def slow_topics(rbm, counts):
    """The topics of a document of N0 words, each word counted by the root of its rarity."""
    weight = [n / q**0.5 for n, q in zip(counts, Q, strict=True)]
    inputs = rbm.c.copy()
    for k in range(4):
        inputs += weight[k] / sum(weight) * (rbm.U @ rbm.D[k])
    return 1 / (1 + np.exp(-similarity.LENGTH * inputs))


def test_vectors_are_topics_less_those_of_the_average_document(rbm):
    counts = np.array([[1, 0, 2, 0], [0, 0, 0, 0], [3, 1, 0, 4]])
    vectors = similarity.document_vectors(rbm, Q, sparse.csr_matrix(counts))
    for row in (0, 2):
        expected = slow_topics(rbm, counts[row]) - slow_topics(rbm, Q)
        np.testing.assert_allclose(vectors[row], expected, atol=1e-12)
    assert (vectors[1] == 0).all()


def test_neither_length_nor_a_document_like_all_others_matters(rbm):
    counts = sparse.csr_matrix([[1, 0, 2, 1], [7, 0, 14, 7], [50, 30, 15, 5]])
    vectors = similarity.document_vectors(rbm, Q, counts)
    np.testing.assert_allclose(vectors[1], vectors[0])
    np.testing.assert_allclose(vectors[2], 0, atol=1e-12)


def test_near_documents_by_cosine(monkeypatch):
    monkeypatch.setattr(similarity, "DOCUMENT_BLOCK", 2)
    rng = np.random.default_rng(0)
    first, second = rng.random((5, 3)), rng.random((7, 3))
    nearest, cosine = similarity.nearest_documents(first, second, 4)
    for row in range(5):
        slow = [first[row] @ x / np.linalg.norm(first[row]) / np.linalg.norm(x) for x in second]
        assert nearest[row].tolist() == np.argsort(slow)[::-1][:4].tolist()
        np.testing.assert_allclose(cosine[row], np.sort(slow)[::-1][:4])
    assert similarity.nearest_documents(first[:0], second, 4)[0].shape == (0, 4)
