import numpy as np
import pytest
from experiments.documents.lda import (
    LdaSpec,
    TopicMixture,
    infer_centred_roots,
    infer_topics,
    train_lda,
)
from scipy import sparse


def test_topics_of_a_document_are_inferred():
    phi = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]) + 1e-9
    counts = sparse.csr_matrix([[3.0, 3.0, 0, 0], [2.0, 0, 0, 2.0]])
    shares = infer_topics(TopicMixture(phi, np.array([0.1, 0.1])), counts)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert shares[0, 0] == pytest.approx(6.1 / 6.2, rel=1e-6)
    assert shares[1, 0] == pytest.approx(0.5)


@pytest.mark.parametrize("package", ["scikit-learn", "gensim", "tomotopy"])
def test_every_package_finds_two_topics(package):
    pytest.importorskip({"scikit-learn": "sklearn"}.get(package, package))
    rng = np.random.default_rng(0)
    halves = [rng.integers(0, 5, 20) + 5 * (row % 2) for row in range(60)]
    counts = sparse.csr_matrix([np.bincount(words, minlength=10) for words in halves]).astype(float)
    mixture = train_lda(LdaSpec(package, 2, 0.5, 0.1, 20), counts)
    np.testing.assert_allclose(mixture.phi.sum(axis=1), 1.0)
    first = mixture.phi[:, :5].sum(axis=1)
    assert abs(first[0] - first[1]) > 0.8


def test_roots_are_centred_by_training_documents_and_rare_words_count_more():
    phi = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]) + 1e-9
    mixture, q = TopicMixture(phi, np.array([0.1, 0.1])), np.array([0.4, 0.4, 0.1, 0.1])
    train, test = sparse.csr_matrix(np.eye(4)), sparse.csr_matrix([[1.0, 0, 1.0, 0]])
    first, second = infer_centred_roots(mixture, q, train, test)
    np.testing.assert_allclose(first.mean(axis=0), 0, atol=1e-12)
    assert second[0, 1] > second[0, 0]  # the rare word's topic, by the root of 4
    flat = infer_centred_roots(mixture, np.full(4, 0.25), train, test)[1]
    shares = np.sqrt(infer_topics(mixture, sparse.vstack([train, test]).tocsr()))
    np.testing.assert_allclose(flat[0], shares[4] - shares[:4].mean(axis=0))
