import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordrbm import DocumentRBM
from wordrbm.errors import WordRBMError

SMALL = {
    "n_components": 4, "n_updates": 300, "batch_size": 32, "n_chains": 32, "learning_rate": 0.02
}  # fmt: skip
COOKING = ["salt", "pepper", "onion", "butter", "oven", "recipe", "sauce", "garlic"]
SAILING = ["boat", "sail", "wind", "harbour", "rope", "anchor", "captain", "wave"]


def texts(count=120, seed=0):
    rng = np.random.default_rng(seed)
    topics = [(COOKING, SAILING)[k % 2] for k in range(count)]
    return [" ".join(rng.choice(words, rng.integers(6, 12))) for words in topics]


@pytest.fixture(scope="module")
def fitted():
    return DocumentRBM(**SMALL, random_state=1).fit(texts())


@parametrize_with_checks(
    [DocumentRBM(n_components=2, n_updates=5, batch_size=8, n_chains=8, random_state=0)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_documents_of_a_topic_are_similar(fitted):
    nearest, cosine = fitted.similar(texts(20, seed=5), texts(), count=5)
    assert nearest.shape == cosine.shape == (20, 5)
    same = nearest % 2 == np.arange(20)[:, None] % 2
    assert same.mean() > 0.95


def test_probable_text_scores_higher(fitted):
    log_p = fitted.score_samples(["boat sail wind rope wave", "boat salt wind pepper wave"])
    assert log_p[0] > log_p[1] + 1


def test_top_words_and_pyldavis(fitted):
    assert all(len(topic) == 5 for topic in fitted.top_words(5))
    assert set(fitted.top_words(3, by="probability")[0]) <= set(COOKING + SAILING)
    with pytest.raises(WordRBMError, match="probability or lift"):
        fitted.top_words(by="weight")
    prepared = fitted.prepare_pyldavis(texts(10))
    np.testing.assert_allclose(prepared["topic_term_dists"].sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(prepared["doc_topic_dists"].sum(axis=1), 1, rtol=1e-6)
    assert len(prepared["vocab"]) == prepared["topic_term_dists"].shape[1]


def test_counts_give_what_texts_give(fitted):
    columns = fitted.vocabulary_
    counts = sparse.csr_matrix([[text.split().count(word) for word in columns] for text in texts()])
    other = clone(fitted).fit(counts)
    np.testing.assert_array_equal(other.transform(counts), fitted.transform(texts()))


def test_partial_fit_continues(fitted):
    model = DocumentRBM(**SMALL, random_state=1).partial_fit(texts()).partial_fit(texts(60, 3))
    assert model.n_iter_ == 600


def test_bad_documents_are_refused(fitted):
    with pytest.raises(WordRBMError, match="min_count"):
        DocumentRBM(**SMALL, min_count=99).fit(["a few words", "and others"])
    with pytest.raises(WordRBMError, match="no word"):
        DocumentRBM(**SMALL).fit(sparse.csr_matrix((4, 5)))
