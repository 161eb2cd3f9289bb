import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordrbm import DocumentRBM
from wordrbm.errors import WordRBMError
from wordrbm.inference.topics import ORDERS
from wordrbm.io.model_folder import MODEL

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
def test_scikit_learn_checks(estimator, check, monkeypatch):
    """Their data are fractions, which `fit` refuses elsewhere."""
    counts = "wordrbm.estimators.document_rbm.document_counts"
    monkeypatch.setattr(f"{counts}.check_whole", lambda counts, name: None)
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
    assert len({tuple(fitted.top_words(8, by=by)[0]) for by in ORDERS}) > 1
    by_documents = fitted.top_words(5, by="documents", documents=texts())
    assert any(set(topic) <= set(SAILING) for topic in by_documents)
    assert fitted.coherence(texts(), 5, by="documents").max() > 0.2
    with pytest.raises(WordRBMError, match="weight, probability, lift, relevance, documents"):
        fitted.top_words(by="rank")
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
    for matrix in (sparse.csr_matrix([[1, 0.25], [2, 1]]), np.array([[1, 0.25], [2, 1]])):
        with pytest.raises(ValueError, match=r"holds 0\.25, which is no whole number of words"):
            DocumentRBM(**SMALL).fit(matrix)


@pytest.mark.parametrize("name", ["n_components", "n_updates", "n_chains", "max_features"])
def test_a_parameter_is_refused_by_its_name(name):
    with pytest.raises(WordRBMError, match=f"^The settings cannot be used: {name}: "):
        DocumentRBM(**SMALL | {name: 0}).fit(texts())


def test_documents_without_a_word_are_told(fitted):
    with pytest.warns(UserWarning, match="1 of 2 documents have no word of the model"):
        topics = fitted.transform(["quux quuux", "boat"])
    assert (topics[0] == 0.5).all()
    assert not (topics[1] == 0.5).any()


def test_a_saved_model_is_loaded_and_goes_on(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = DocumentRBM.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.transform(texts()), fitted.transform(texts()))
    assert loaded.top_words(5) == fitted.top_words(5)
    assert loaded.n_iter_ == 300
    assert loaded.get_params()["n_components"] == 4
    loaded.set_params(n_updates=50).partial_fit(texts(60, 3))
    assert loaded.n_iter_ == 350
    nearest, _ = loaded.similar(texts(20, seed=5), texts(), count=5)
    assert (nearest % 2 == np.arange(20)[:, None] % 2).mean() > 0.95
    with pytest.raises(WordRBMError, match="already holds a trained model"):
        loaded.save(tmp_path / "model")
    assert clone(loaded).fit(texts()).n_iter_ == 50


def test_a_model_of_counts_is_saved_too(tmp_path):
    counts = sparse.csr_matrix(np.random.default_rng(0).poisson(1.0, (40, 6)))
    model = DocumentRBM(**SMALL | {"n_updates": 20}, log_counts=True, random_state=0).fit(counts)
    model.save(tmp_path)
    loaded = DocumentRBM.load(tmp_path)
    np.testing.assert_array_equal(loaded.transform(counts), model.transform(counts))
    assert loaded.top_words(2)[0] == model.top_words(2)[0]
    with pytest.raises(WordRBMError, match="matrix of counts"):
        loaded.transform(["a text"])
    (tmp_path / MODEL).write_bytes(b"nothing")
    with pytest.raises(WordRBMError, match="cannot be read"):
        DocumentRBM.load(tmp_path)


def test_coherence_and_likelihood(fitted):
    coherence = fitted.coherence(texts(), 4)
    assert coherence.shape == (4,)
    assert coherence.min() >= -1
    assert coherence.max() > 0.2
    found = fitted.likelihood(texts(40, seed=9), texts(), particles=100)
    log_p = fitted.score_samples(texts(40, seed=9))
    np.testing.assert_allclose(found.log_probability, log_p, atol=0.5)
    assert found.perplexity < 16
    assert len(found.checks) > 1


def test_common_words_are_left_out():
    documents = [f"the {text} the" for text in texts(60)]
    model = DocumentRBM(**SMALL | {"n_updates": 5}, max_share=0.9, random_state=0).fit(documents)
    assert "the" not in model.vocabulary_
    assert "boat" in model.vocabulary_


def test_pyldavis_accepts_the_export(fitted):
    pytest.importorskip("pyLDAvis")
    import pyLDAvis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = pyLDAvis.prepare(**fitted.prepare_pyldavis(texts()), n_jobs=1)
    assert len(shown.topic_coordinates) == 4
    assert set(shown.topic_info["Term"]) == set(COOKING + SAILING)
