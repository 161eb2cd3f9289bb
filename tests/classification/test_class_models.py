"""Free energies of documents under class models, against a loop over windows."""

import math

import numpy as np
import pytest

from wordrbm.classification import class_models
from wordrbm.classification.class_models import (
    ClassModels,
    center_energies,
    mean_free_energies,
    unit_centers,
    unit_energies,
)
from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import Stopped
from wordrbm.models import init_wordrep
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

TEXTS = ["a b c d e f a", "", "b", "c c c", "f e d c b a f e d"]
LABEL = np.array([0, 0, 0, 1, 0])


@pytest.fixture
def models():
    vocabulary = tokenize_documents(TEXTS).vocabulary(10, 2)
    settings = TrainingSettings(window=3, hidden=5, dimension=4)
    rbms = [
        init_wordrep(
            np.random.default_rng(seed), n=3, H=5, d=4, word_probability=vocabulary.probability()
        )
        for seed in (1, 2)
    ]
    for rbm in rbms:
        rbm.D[:] *= 50
    return tuple(TrainedModel(rbm, vocabulary, settings) for rbm in rbms)


@pytest.fixture
def documents(models):
    return ClassModels(models, np.zeros(2)).encode(tokenize_documents(TEXTS))


def energy(model, ids):
    windows = [ids[k : k + 3] for k in range(len(ids) - 2)]
    return np.mean([model.rbm.free_energy(np.array([window]))[0] for window in windows])


def unit_energies_by_loops(rbm, ids):
    """e_0 and every e_j, window by window and unit by unit."""
    windows = [ids[k : k + 3] for k in range(len(ids) - 2)]
    terms = np.zeros(6)
    for window in windows:
        terms[0] -= sum(float(rbm.b[w]) for w in window)
        for j in range(5):
            x = rbm.c[j] + sum(float(rbm.U[i, j] @ rbm.D[w]) for i, w in enumerate(window))
            terms[1 + j] -= math.log1p(math.exp(x))
    return terms / len(windows)


def test_energies_are_means_over_windows(documents, models):
    center = np.array([0.5, -2.0])
    both = ClassModels(models, center)
    energies = both.energies(documents)
    for number, ids in enumerate(documents):
        for c, model in enumerate(models):
            expected = energy(model, ids) - center[c] if ids.size else 0.0
            assert energies[number, c] == pytest.approx(expected, abs=1e-5)
    np.testing.assert_allclose(
        both.window_energies(documents[4]).mean(axis=0), energies[4], atol=1e-6
    )


def test_unit_energies_are_the_terms_of_the_free_energy(documents, models):
    for ids in documents.select(documents.nonempty()):
        for model in models:
            terms = unit_energies(model.rbm, ids)
            np.testing.assert_allclose(terms, unit_energies_by_loops(model.rbm, ids), rtol=1e-5)
            assert terms.sum() == pytest.approx(energy(model, ids), rel=1e-5)


def test_unit_energies_of_a_long_document_are_computed_in_blocks(models, monkeypatch):
    ids = np.random.default_rng(3).integers(0, 5, 40).astype(np.int32)
    whole = unit_energies(models[0].rbm, ids)
    monkeypatch.setattr(class_models, "BLOCK", 7)
    np.testing.assert_allclose(unit_energies(models[0].rbm, ids), whole, rtol=1e-6)


def test_the_center_weighs_every_class_alike(documents, models):
    means = mean_free_energies([model.rbm for model in models], documents)
    assert np.isnan(means[1]).all()
    expected = (means[[0, 2, 4]].mean(axis=0) + means[3]) / 2
    centered = center_energies(models, documents, LABEL)
    np.testing.assert_allclose(centered.center, expected, rtol=1e-5)
    terms = unit_centers(models, documents, LABEL)
    np.testing.assert_array_equal(terms.sum(axis=1), centered.center)


def test_every_unit_has_its_center(documents, models):
    terms = [[unit_energies(model.rbm, documents[k]) for model in models] for k in (0, 2, 4, 3)]
    expected = (np.mean(terms[:3], axis=0) + terms[3]) / 2
    np.testing.assert_allclose(unit_centers(models, documents, LABEL), expected, atol=1e-9)


def test_before_each_document_a_run_may_stop(documents, models):
    def stop():
        raise Stopped

    both = ClassModels(models, np.zeros(2))
    for work in (
        lambda: both.energies(documents, stop),
        lambda: center_energies(models, documents, LABEL, stop),
    ):
        with pytest.raises(Stopped):
            work()
