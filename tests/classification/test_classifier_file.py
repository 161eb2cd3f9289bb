"""Saving and loading classifiers, and what is wrong with damaged ones."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.estimators.test_free_energy_classifier import NAMED, QUICK, TEXTS
from wordrbm import FreeEnergyClassifier
from wordrbm.classification.classifier import Classifier
from wordrbm.classification.classifier_file import load_classifier, save_classifier
from wordrbm.classification.explain import explain
from wordrbm.errors import WordRBMError
from wordrbm.trained_model import TrainedModel, load, save


@pytest.fixture(scope="module")
def classifier():
    fitted = FreeEnergyClassifier(**QUICK).fit(TEXTS, NAMED)
    return Classifier(tuple(fitted.classes_.tolist()), fitted.models_, fitted.head_)


def test_a_saved_classifier_is_the_same(classifier, tmp_path):
    save_classifier(tmp_path / "saved", classifier)
    again = load_classifier(tmp_path / "saved")
    assert again.classes == ("animals", "money")
    np.testing.assert_array_equal(again.probabilities(TEXTS), classifier.probabilities(TEXTS))
    first, second = (explain(x.models, x.head, TEXTS[0]) for x in (classifier, again))
    np.testing.assert_array_equal(first.windows, second.windows)
    assert load(tmp_path / "saved" / "class-1").rbm.positions == 3


def as_version_2(classifier, folder, view="whole"):
    """The file as it was written by version 2: the terms of the centres, a view, a layer."""
    save_classifier(folder, classifier)
    path = folder / "classifier.json"
    metadata = json.loads(path.read_text())
    middle = [[x, *[0.0] * 8] for x in metadata.pop("center")]
    metadata |= {"version": 2, "middle": middle, "view": view, "layer": metadata.pop("head")}
    path.write_text(json.dumps(metadata))


def test_a_classifier_of_version_2_is_read(classifier, tmp_path):
    as_version_2(classifier, tmp_path)
    again = load_classifier(tmp_path)
    np.testing.assert_array_equal(again.probabilities(TEXTS), classifier.probabilities(TEXTS))


def test_a_head_over_single_units_is_refused(classifier, tmp_path):
    as_version_2(classifier, tmp_path, "by unit")
    with pytest.raises(WordRBMError, match="train the classifier again"):
        load_classifier(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "another"}, "is no classifier"),
        ({"version": 4}, "use a newer wordrbm"),
        ({"center": [0.0]}, "is damaged"),
        ({"center": [[0.0], [0.0]]}, "is damaged"),
        ({"classes": ["one"]}, "is damaged"),
        ({"head": {}}, "is damaged"),
        ({"head": None}, "is damaged"),
        ({"center": ["a", "b"]}, "is damaged"),
        ({"center": [0.0, float("nan")]}, "is damaged"),
        ({"classes": ["x", "x"]}, "each with a name of its own"),
        ({"classes": "ab"}, "no list of names"),
        ({"center": [True, False]}, "is damaged"),
        ({"classes": ["\ud800", "b"]}, "is damaged"),
        ({"center": 10**400}, "is damaged"),
        ({"center": [["1", "2"]]}, "is damaged"),
        ({"version": 1}, "train the classifier again"),
        ({"version": 2, "middle": "a"}, "is damaged"),
    ],
)
def test_a_damaged_classifier_is_refused(classifier, tmp_path, change, message):
    save_classifier(tmp_path, classifier)
    path = tmp_path / "classifier.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(WordRBMError, match=message):
        load_classifier(tmp_path)


def test_no_classifier_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="There is no"):
        load_classifier(tmp_path)
    (tmp_path / "classifier.json").write_text("{")
    with pytest.raises(WordRBMError, match="is no classifier"):
        load_classifier(tmp_path)


def test_json_nested_too_deep_is_no_classifier(classifier, tmp_path):
    save_classifier(tmp_path, classifier)
    (tmp_path / "classifier.json").write_text("[" * 100_000)
    with pytest.raises(WordRBMError, match="is no classifier"):
        load_classifier(tmp_path)


def test_models_of_other_sizes_are_refused(classifier, tmp_path):
    save_classifier(tmp_path, classifier)
    model = classifier.models.models[0]
    c = np.append(model.rbm.c, np.float32(0))
    U = np.concatenate([model.rbm.U, model.rbm.U[:, :1]], axis=1)
    settings = model.settings.model_copy(update={"hidden": c.size})
    save(
        tmp_path / "class-1", TrainedModel(replace(model.rbm, c=c, U=U), model.vocabulary, settings)
    )
    with pytest.raises(WordRBMError, match="different words, windows or hidden units"):
        load_classifier(tmp_path)
