"""Training of a classifier: cross-fitting, stages, and settings."""

import numpy as np
import pytest

from tests.estimators.test_word_features import classified
from wordrbm.classification import classifier as classifier_module
from wordrbm.classification.classifier import (
    CLASS_RATE,
    Classifier,
    cross_validated_accuracy,
    fit_classifier,
    fit_settings,
    fold_splits,
)
from wordrbm.classification.documents import LabelledDocuments, tokenize_documents
from wordrbm.errors import Stopped, WordRBMError

SIZES = {"window": 3, "hidden": 6, "dimension": 5}
QUICK = {"pretrain_windows": 2000, "finetune_epochs": 0, "folds": 2, "seed": 1}
TEXTS, KIND = classified(40)
TEXTS[3] = ""


@pytest.fixture(scope="module")
def data():
    tokenized = tokenize_documents(TEXTS)
    vocabulary = tokenized.vocabulary(100, 1)
    return LabelledDocuments(tokenized.encode(vocabulary).pad(3), KIND, vocabulary)


def test_every_document_with_words_is_in_one_fold(data):
    splits = list(fold_splits(data, fit_settings(SIZES, 2000, **QUICK)))
    scored = np.sort(np.concatenate([test for _, test in splits]))
    assert scored.tolist() == [k for k in range(40) if k != 3]
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 39
        assert {0, 1} == set(KIND[train]) == set(KIND[test])


def test_energies_of_a_fold_come_from_models_without_its_labels(data, monkeypatch):
    """The labels of one fold reversed: its energies are the same, those of the others are not."""
    settings = fit_settings(SIZES, 2000, **QUICK)
    splits = list(fold_splits(data, settings))
    monkeypatch.setattr(classifier_module, "fold_splits", lambda data, settings: iter(splits))
    energies = fit_classifier(data, settings).energies
    assert (energies[3] == 0).all()
    others, fold = splits[0]
    label = data.label.copy()
    label[fold] = 1 - label[fold]
    reversed_ = fit_classifier(data._replace(label=label), settings).energies
    np.testing.assert_array_equal(reversed_[fold], energies[fold])
    assert (reversed_[others] != energies[others]).any()


def test_long_windows_have_the_jumps_that_class_models_were_measured_with():
    settings = fit_settings({**SIZES, "window": 5}, 2000, **QUICK)
    for stage in (settings.pretrain, settings.class_settings(1)):
        assert (stage.jumps, stage.bigram_share) == (1, 0.0)


def test_stages_are_reported_and_can_be_stopped(data):
    settings = fit_settings(SIZES, 2000, **{**QUICK, "finetune_epochs": 1})
    reports = []
    result = fit_classifier(data, settings, lambda windows, stage: reports.append((windows, stage)))
    stages = list(dict.fromkeys(stage for _, stage in reports))
    expected = ["pre-training"]
    for stage in ("all documents", "fold 1 of 2", "fold 2 of 2"):
        expected += [stage, f"{stage}, fine-tuning"]
    assert stages == expected
    assert settings.expected_windows(data) > 2000 * 7
    assert cross_validated_accuracy(data, result.energies, settings) > 0.9
    classifier = Classifier(("money", "animals"), result.models, result.head)
    p = classifier.probabilities(["the cat eats fish .", "the bank buys bonds ."])
    assert p.argmax(axis=1).tolist() == [1, 0]
    assert classifier.accuracy(tokenize_documents(TEXTS), KIND) > 0.9

    def stop(windows, stage):
        if stage == "fold 1 of 2":
            raise Stopped("now")

    with pytest.raises(Stopped):
        fit_classifier(data, settings, stop)


def test_settings_of_each_stage():
    settings = fit_settings(SIZES, 5000, **QUICK)
    assert (settings.pretrain.windows, settings.pretrain.chains) == (2000, 256)
    assert settings.class_settings(1) is settings.class_settings(10**6)
    assert settings.class_settings(1).windows == 5000
    assert settings.class_settings(1).word_rate == settings.pretrain.word_rate * CLASS_RATE
    without = fit_settings(SIZES, 5000, **{**QUICK, "pretrain_windows": 0, "finetune_epochs": 4})
    assert without.pretrain is None
    assert without.class_settings(1).word_rate == settings.pretrain.word_rate
    assert without.finetune.epochs == 4
    with pytest.raises(WordRBMError, match="hidden"):
        fit_settings({**SIZES, "hidden": 0}, 5000, **QUICK)
