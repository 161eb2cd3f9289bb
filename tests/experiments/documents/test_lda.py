import numpy as np
import pytest
from experiments.documents.lda import LdaSpec, TopicMixture, infer_topics, train_lda
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
