import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.utils.estimator_checks import check_estimator

from tests.estimators.test_word_features import SMALL, classified
from wordrbm import FreeEnergyClassifier
from wordrbm.classification.class_models import mean_free_energies
from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import WordRBMError

RATES = {"word_rate": 0.05, "hidden_rate": 0.1}
QUICK = {**SMALL, **RATES, "n_iter": 10, "random_state": 0}
TEXTS, KIND = classified(60)
NAMED = np.array(["money", "animals"])[KIND]


@pytest.fixture(scope="module")
def fitted():
    return FreeEnergyClassifier(**QUICK).fit(TEXTS, NAMED)


def test_energies_are_centred_means_over_windows(fitted):
    models = fitted.models_
    documents = models.encode(tokenize_documents(TEXTS))
    energies = fitted.transform(TEXTS)
    for c, model in enumerate(models.models):
        for number, ids in enumerate(documents):
            windows = np.stack([ids[k : k + 3] for k in range(len(ids) - 2)])
            expected = model.rbm.free_energy(windows).mean() - models.center[c]
            assert energies[number, c] == pytest.approx(expected, abs=1e-5)


def test_the_center_is_between_the_classes(fitted):
    found, label = fitted.transform(TEXTS), (NAMED == "money").astype(int)
    middles = [found[label == c].mean(axis=0) for c in (0, 1)]
    np.testing.assert_allclose(np.mean(middles, axis=0), 0, atol=1e-6)


def test_each_class_finds_its_own_documents_likeliest(fitted):
    texts, kind = classified(100)
    energies = fitted.transform(texts[60:])
    likeliest = fitted.classes_[energies.argmin(axis=1)]
    assert (likeliest == np.array(["money", "animals"])[kind[60:]]).mean() > 0.9
    assert fitted.score(texts[60:], np.array(["money", "animals"])[kind[60:]]) > 0.9


def test_probabilities_and_decisions_agree(fitted):
    probability, decision = fitted.predict_proba(TEXTS), fitted.decision_function(TEXTS)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    np.testing.assert_allclose(probability[:, 1], 1 / (1 + np.exp(-decision)), atol=1e-12)
    np.testing.assert_array_equal(
        fitted.predict(TEXTS), fitted.classes_[(decision > 0).astype(int)]
    )
    assert list(fitted.classes_) == ["animals", "money"]


def test_energies_of_training_documents_come_from_models_that_have_not_seen_them():
    """Every document has words of its own: only a model that has read it can tell its class."""
    words = [first + second for first in "abcdef" for second in "ghijklmnop"]  # digits are all #
    texts, label = [" ".join([word, "the"] * 10) for word in words], np.arange(60) % 2
    classifier = FreeEnergyClassifier(**{**QUICK, "n_iter": 60})
    unseen = classifier.fit_transform(texts, label)
    seen = classifier.set_params(cv=None).fit_transform(texts, label)
    right = [np.mean((x[:, 1] < x[:, 0]) == label) for x in (unseen, seen)]
    assert right[1] > 0.95
    assert right[0] < 0.7
    np.testing.assert_array_equal(seen, classifier.transform(texts))


def test_more_than_two_classes():
    texts, kind = classified(90)
    for number in range(0, 90, 3):
        texts[number], kind[number] = "the sun shines on the sea . the rain falls .", 2
    classifier = FreeEnergyClassifier(**QUICK).fit(texts, kind)
    assert classifier.transform(texts).shape == (90, 3)
    assert classifier.decision_function(texts).shape == (90, 3)
    assert (classifier.predict(texts) == kind).mean() > 0.9
    np.testing.assert_allclose(classifier.predict_proba(texts).sum(axis=1), 1)


def test_an_empty_document_says_nothing_and_a_short_one_is_filled_up(fitted):
    found = fitted.transform(["", [], "the cat", ["the", "cat", "nobodyknowsthis"]])
    np.testing.assert_array_equal(found[:2], 0)
    np.testing.assert_array_equal(found[2], found[3])  # filled with the unknown word
    assert np.isfinite(fitted.predict_proba(["", "cat"])).all()
    with_empty = [*TEXTS, "", "cat"], [*NAMED, "money", "animals"]
    assert FreeEnergyClassifier(**QUICK).fit(*with_empty).score(TEXTS, NAMED) > 0.9


def test_line_breaks_of_html_are_no_words(fitted):
    plain, broken = "the cat eats fish . the dog", "the cat eats<br /><BR>fish .<br/>the dog"
    np.testing.assert_array_equal(fitted.transform([plain]), fitted.transform([broken]))


def test_a_document_is_scored_alike_in_any_company(fitted):
    together = fitted.transform(TEXTS)
    np.testing.assert_array_equal(together[7:8], fitted.transform(TEXTS[7:8]))
    np.testing.assert_array_equal(together[::-1], fitted.transform(TEXTS[::-1]))


def test_rare_classes_keep_their_share():
    texts, kind = classified(120)
    rare = [k for k in range(120) if kind[k] or k % 10 == 0]  # 12 of 72
    classifier = FreeEnergyClassifier(**QUICK).fit([texts[k] for k in rare], kind[rare])
    assert classifier.predict_proba([""])[0, 1] > 0.5
    assert (classifier.predict(texts) == kind).mean() > 0.9


def test_without_pretraining_and_without_folds():
    plain = FreeEnergyClassifier(**QUICK, pretrain=False, cv=None).fit(TEXTS, NAMED)
    assert plain.score(TEXTS, NAMED) > 0.9
    np.testing.assert_allclose(plain.energies_, plain.transform(TEXTS), rtol=1e-6)


def test_it_can_be_sent_to_another_process(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), fitted.predict_proba(TEXTS))


def test_same_bits_for_any_number_of_jobs(fitted):
    again = FreeEnergyClassifier(**QUICK, n_jobs=2).fit(TEXTS, NAMED)
    np.testing.assert_array_equal(again.energies_, fitted.energies_)
    np.testing.assert_array_equal(again.transform(TEXTS), fitted.transform(TEXTS))


def test_pipelines_searches_and_unions(fitted):
    quick = FreeEnergyClassifier(**{**QUICK, "n_iter": 4, "cv": 2})
    search = GridSearchCV(quick, {"window": [2, 3]}, cv=2, error_score="raise").fit(TEXTS, NAMED)
    assert search.best_params_["window"] in (2, 3)
    pipeline = make_pipeline(make_union(quick, clone(quick)), LogisticRegression())
    assert cross_val_score(pipeline, TEXTS, NAMED, cv=2).mean() > 0.8
    assert list(fitted.get_feature_names_out()) == [
        "freeenergyclassifier0", "freeenergyclassifier1",
    ]  # fmt: skip
    frame = pd.DataFrame({"text": TEXTS})
    np.testing.assert_array_equal(fitted.predict(frame["text"]), fitted.predict(TEXTS))


def test_it_keeps_what_a_text_estimator_can_of_scikit_learns_contract():
    check_estimator(FreeEnergyClassifier(**QUICK))


@pytest.mark.parametrize(
    ("y", "told"),
    [
        (None, "requires y"),
        (["a"] * 60, "1 class was found"),
        (["a"] * 58 + ["b"] * 2, "Class b has 2 documents with words where at least 3"),
        (["a"] * 30 + ["b"] * 29, "60 documents and 59 classes"),
        (["a"] * 59 + [None], "document 59 is None"),
        (["a"] * 59 + [np.nan], "document 59 is nan"),
        (["a"] * 59 + [3], "document 59 is 3, that of the first 'a'"),
        (pd.Series(["a"] * 59 + [pd.NA], dtype=object), "document 59 is <NA>"),
    ],
)
def test_classes_that_cannot_be_are_refused(y, told):
    with pytest.raises(WordRBMError, match=told) as caught:
        FreeEnergyClassifier(**QUICK).fit(TEXTS, y)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cv", 0),
        ("cv", 1),
        ("pretrain", "no"),
        ("cv", 2.5),
        ("C", 0),
        ("C", "1"),
        ("window", 0),
    ],
)
def test_a_parameter_that_cannot_be_is_named(name, value):
    with pytest.raises(WordRBMError, match=f"The parameter {name} is"):
        FreeEnergyClassifier(**{**QUICK, name: value}).fit(TEXTS, NAMED)


def test_nothing_is_predicted_before_it_is_fitted():
    with pytest.raises(NotFittedError):
        FreeEnergyClassifier().predict(TEXTS)


def test_text_of_unknown_words_has_about_the_shares_of_the_classes():
    texts, kind = classified(100)
    rare = [f"{text} {chr(97 + k % 26)}q{chr(97 + k // 26)}q" for k, text in enumerate(texts)]
    quick = {**QUICK, "n_iter": 30}
    for seed in range(3):
        classifier = FreeEnergyClassifier(**{**quick, "random_state": seed}).fit(rare, kind)
        assert 0.1 < classifier.predict_proba(["zzzz qqqq xxxx yyyy zzzz"])[0, 1] < 0.9


def test_empty_documents_do_not_starve_a_fold():
    texts, kind = classified(40)
    given = [text if k < 20 else "" for k, text in enumerate(texts)]
    classifier = FreeEnergyClassifier(**QUICK).fit(given, kind)
    np.testing.assert_array_equal(classifier.energies_[20:], 0)
    assert classifier.score(texts, kind) > 0.9


def test_a_class_of_empty_documents_is_refused():
    texts = ["" if name == "money" else text for text, name in zip(TEXTS, NAMED, strict=True)]
    with pytest.raises(WordRBMError, match="Class money has 0 documents with words"):
        FreeEnergyClassifier(**QUICK).fit(texts, NAMED)


def test_mean_free_energies_of_an_empty_document_are_nan(fitted):
    documents = fitted.models_.encode(tokenize_documents(["", "the cat eats fish"]))
    assert np.isnan(mean_free_energies([fitted.models_.models[0].rbm], documents)[0]).all()


def test_verbose_prints_every_stage(capsys):
    FreeEnergyClassifier(**{**QUICK, "n_iter": 1, "cv": 2}, finetune_epochs=1, verbose=1).fit(
        TEXTS, NAMED
    )
    stages = [
        line.removeprefix("[FreeEnergyClassifier] ")
        for line in capsys.readouterr().out.splitlines()
    ]
    expected = ["pre-training"]
    for stage in ("all documents", "fold 1 of 2", "fold 2 of 2"):
        expected += [stage, f"{stage}, fine-tuning"]
    assert stages == expected
