import pickle
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from tests.corpora import story
from wordrbm import WordFeatures
from wordrbm.errors import WordRBMError
from wordrbm.trained_model import save

SMALL = {
    "n_components": 8, "dimension": 6, "n_iter": 2, "batch_size": 64, "chains": 64, "mh_steps": 10
}  # fmt: skip
STORIES = [story(number, sentences=4) for number in range(30)]


@pytest.fixture(scope="module")
def fitted():
    return WordFeatures(**SMALL, random_state=1).fit(STORIES)


def test_features_are_the_mean_of_the_windows(fitted):
    found = fitted.transform(STORIES)
    assert found.shape == (30, 8)
    assert found.dtype == np.float32
    for vector, hidden in zip(found, fitted.model_.hidden(STORIES), strict=True):
        np.testing.assert_allclose(vector, hidden.mean(axis=0), rtol=1e-6)


def test_features_may_be_the_most_of_the_windows(fitted):
    most = clone(fitted).set_params(model=fitted.model_, pooling="max").fit(None)
    expected = [hidden.max(axis=0) for hidden in fitted.model_.hidden(STORIES)]
    np.testing.assert_array_equal(most.transform(STORIES), expected)
    assert np.all(most.transform(STORIES) >= fitted.transform(STORIES))


def test_the_objective_decides_what_is_trained(fitted):
    alone = WordFeatures(**SMALL, objective="sml", random_state=1).fit(STORIES)
    assert (fitted.model_.settings.objective, fitted.model_.settings.averaging) == ("hybrid", 32)
    assert (alone.model_.settings.objective, alone.model_.settings.averaging) == ("sml", 0)
    with pytest.raises(WordRBMError, match="The parameter objective is 'both'"):
        WordFeatures(**SMALL, objective="both").fit(STORIES)


def test_documents_are_read_once(fitted):
    again = WordFeatures(**SMALL, random_state=1).fit(text for text in STORIES)
    expected = fitted.transform(STORIES)
    np.testing.assert_array_equal(again.transform(text for text in STORIES), expected)
    both = WordFeatures(**SMALL, random_state=1)
    np.testing.assert_array_equal(both.fit_transform(text for text in STORIES), expected)


def test_tokens_are_as_good_as_text(fitted):
    tokens = [["The", "cat", "eats", "fish", "on", "Monday", "."]]
    np.testing.assert_array_equal(
        fitted.transform(tokens), fitted.transform(["The cat eats fish on Monday."])
    )


def test_a_document_shorter_than_a_window_is_zero_and_has_no_score(fitted):
    texts = ["", "the cat", STORIES[0], []]
    assert np.all(fitted.transform(texts)[[0, 1, 3]] == 0)
    scores = fitted.score_samples(texts)
    assert np.isnan(scores[[0, 1, 3]]).all()
    assert np.isfinite(scores[2])
    assert fitted.transform([]).shape == (0, 8)


def test_scores_are_minus_the_mean_free_energy(fitted):
    ids = fitted.model_.vocabulary.ids(["the", "cat", "eats", "fish"])
    windows = np.stack([ids[:3], ids[1:]])
    expected = -fitted.model_.rbm.free_energy(windows).mean()
    assert fitted.score_samples(["the cat eats fish"])[0] == pytest.approx(expected, rel=1e-5)


def test_rows_keep_their_names(fitted):
    frame = pd.DataFrame({"text": STORIES, "number": range(30)}).sample(frac=1, random_state=1)
    features = WordFeatures(model=fitted.model_)
    both = ColumnTransformer([("f", features, "text"), ("n", "passthrough", ["number"])])
    found = both.set_output(transform="pandas").fit_transform(frame)
    assert list(found.index) == list(frame.index)
    assert list(found["n__number"]) == list(frame["number"])
    np.testing.assert_array_equal(found.iloc[:, :8], fitted.transform(frame["text"]))


FRAME = pd.DataFrame({"the first text": ["a b c"], "the second text": ["d e f"]})


@pytest.mark.parametrize("bad", [FRAME, FRAME.to_numpy(), np.array("a b c")])
def test_a_table_where_one_column_belongs_is_refused(fitted, bad):
    for method in (WordFeatures().fit, WordFeatures().fit_transform, fitted.transform):
        with pytest.raises(WordRBMError, match="give one column"):
            method(bad)


def test_a_keyword_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="foo"):
        WordFeatures().fit_transform(STORIES, foo=3)


@pytest.mark.parametrize("bad", ["one text", b"bytes", None, 7, {"a text": 1}])
def test_one_text_where_many_belong_is_refused(fitted, bad):
    for method in (WordFeatures().fit, fitted.transform, fitted.score_samples):
        with pytest.raises(WordRBMError, match="several documents were expected"):
            method(bad)


@pytest.mark.parametrize("bad", [None, b"bytes", 7, {"a": 1}, ["a", None], np.nan, ["a", "___"]])
def test_a_document_that_is_none_is_named(fitted, bad):
    for method in (WordFeatures().fit, fitted.transform):
        with pytest.raises(WordRBMError, match="Document 1 is") as caught:
            method(["a text", bad])
        assert isinstance(caught.value, ValueError)


def test_windows_do_not_cross_documents():
    with pytest.raises(WordRBMError, match="None of the 3 documents has 3 words"):
        WordFeatures(**SMALL).fit(["a b", "c d", "e f"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pooling", "sum"),
        ("pooling", ["mean"]),
        ("window", 0),
        ("vocabulary_size", 0),
        ("min_count", 1.5),
        ("model", 3),
    ],
)
def test_a_parameter_that_cannot_be_is_named(name, value):
    with pytest.raises(WordRBMError, match=f"The parameter {name} is"):
        WordFeatures(**{**SMALL, name: value}).fit(STORIES)


def test_words_beyond_the_vocabulary_are_unknown():
    few = WordFeatures(**SMALL, vocabulary_size=5).fit(STORIES).model_.vocabulary
    assert len(few) == 6
    tokens = sum(len(text.replace(".", " .").split()) for text in STORIES)
    assert few.counts.sum() == tokens
    often = WordFeatures(**SMALL, min_count=30).fit(STORIES).model_.vocabulary
    assert often.counts[1:].min() >= 30


def test_a_saved_model_is_taken_as_it_is(tmp_path, fitted):
    save(tmp_path / "model", fitted.model_)
    for model in (tmp_path / "model", str(tmp_path / "model"), fitted.model_):
        taken = WordFeatures(model=model).fit(None)
        np.testing.assert_array_equal(taken.transform(STORIES), fitted.transform(STORIES))


def test_same_bits_for_any_number_of_jobs(fitted):
    again = WordFeatures(**SMALL, random_state=1, n_jobs=2).fit(STORIES)
    for name, value in fitted.model_.rbm.parameters().items():
        np.testing.assert_array_equal(again.model_.rbm.parameters()[name], value)


def test_names_clones_and_pickles(fitted):
    assert fitted.get_feature_names_out()[0] == "wordfeatures0"
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(STORIES), fitted.transform(STORIES))
    with pytest.raises(NotFittedError):
        WordFeatures().transform(STORIES)


def classified(count):
    """Documents about animals or about money, no two with the same words in the same order."""
    choose = random.Random(3).choice
    animals = ["cat", "dog", "horse", "bird"], ["eats", "hunts", "sleeps"], ["grass", "fish"]
    money = ["bank", "fund", "trader", "firm"], ["buys", "sells", "owes"], ["shares", "bonds"]
    texts = []
    for number in range(count):
        who, does, what = animals if number % 2 else money
        lines = [f"the {choose(who)} {choose(does)} {choose(what)} ." for _ in range(3)]
        texts.append(" ".join(lines))
    return texts, np.arange(count) % 2


def test_made_up_documents_are_classified():
    texts, kind = classified(160)
    more = {"n_components": 20, "dimension": 10, "n_iter": 60}
    rates = {"word_rate": 0.05, "hidden_rate": 0.1}
    features = WordFeatures(**{**SMALL, **more}, **rates, random_state=0)
    pipeline = make_pipeline(features, LogisticRegression(C=10.0))
    assert cross_val_score(pipeline, texts, kind, cv=2).mean() > 0.95


def test_window_and_pooling_are_searched_over():
    texts, kind = classified(24)
    pipeline = make_pipeline(WordFeatures(**SMALL, random_state=0), LogisticRegression())
    grid = {"wordfeatures__window": [2, 3], "wordfeatures__pooling": ["mean", "max"]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(texts, kind)
    assert search.best_params_["wordfeatures__pooling"] in ("mean", "max")
