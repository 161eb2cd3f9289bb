"""Energies of documents under class models, against a loop over windows."""

import math

import numpy as np
import pytest

from wordrbm.estimators import unit_energies
from wordrbm.estimators.class_models import ClassModels, centred, mean_energies, texts_of
from wordrbm.estimators.documents import Read, chosen, joined, read, vocabulary_of
from wordrbm.estimators.views import compared
from wordrbm.models import init_wordrep
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

TEXTS = ["a b c d e f a", "", "b", "c c c", "f e d c b a f e d"]


@pytest.fixture
def found():
    return read(TEXTS)


@pytest.fixture
def models(found):
    vocabulary = vocabulary_of(found, 10, 2)
    settings = TrainingSettings(window=3, hidden=5, dimension=4)
    rbms = [
        init_wordrep(
            np.random.default_rng(seed), n=3, H=5, d=4, word_probability=vocabulary.probability()
        )
        for seed in (1, 2)
    ]
    for rbm in rbms:
        rbm.D[:] *= 50
    return [TrainedModel(rbm, vocabulary, settings) for rbm in rbms]


def energy(model, ids):
    windows = [ids[k : k + 3] for k in range(len(ids) - 2)]
    return np.mean([model.rbm.free_energy(np.array([window]))[0] for window in windows])


def test_short_documents_are_filled_up_and_empty_ones_are_not(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    assert [ids.size for ids in texts.each()] == [7, 0, 3, 3, 9]
    assert list(texts.each())[2][1:].tolist() == [0, 0]
    assert len(texts.windows(np.array([0, 2, 4]), 3)) == 5 + 1 + 7
    some = texts.chosen(np.array([4, 1, 2]))
    assert [ids.size for ids in some.each()] == [9, 0, 3]
    np.testing.assert_array_equal(next(some.each()), list(texts.each())[4])


def test_energies_are_means_over_windows(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    parts = np.array([[0.25, 0.25, 0, 0, 0, 0], [-3.0, 1.0, 0, 0, 0, 0]])
    middle = np.array([0.5, -2.0])
    energies = ClassModels(tuple(models), parts).energies(texts)
    for number, ids in enumerate(texts.each()):
        for c, model in enumerate(models):
            expected = energy(model, ids) - middle[c] if ids.size else 0.0
            assert energies[number, c] == pytest.approx(expected, abs=1e-5)
    last = ClassModels(tuple(models), parts).window_energies(list(texts.each())[4])
    np.testing.assert_allclose(last.mean(axis=0), energies[4], atol=1e-6)


def test_energies_by_unit_are_the_terms_of_the_free_energy(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    middle = np.random.default_rng(5).normal(size=(2, 6))
    both = ClassModels(tuple(models), middle)
    found = both.units(texts)
    np.testing.assert_allclose(found.sum(axis=2), both.energies(texts), atol=1e-5)
    for terms, ids in zip(found, texts.each(), strict=True):
        for c, model in enumerate(models):
            expected = by_loops(model.rbm, ids) - middle[c] if ids.size else np.zeros(6)
            np.testing.assert_allclose(terms[c], expected, rtol=1e-5, atol=1e-5)
        if ids.size:
            windows = both.window_units(ids)
            np.testing.assert_allclose(windows.mean(axis=0), terms, atol=1e-5)
            np.testing.assert_allclose(windows.sum(axis=2), both.window_energies(ids), atol=1e-5)


def test_what_is_compared_between_classes():
    energies = np.random.default_rng(7).normal(size=(2, 3, 4))
    two = energies[:, :2]
    np.testing.assert_allclose(compared(two), two[:, 0] - two[:, 1])
    np.testing.assert_allclose(compared(two[..., 0]), (two[:, 0] - two[:, 1])[:, :1])
    for document, found in zip(energies, compared(energies), strict=True):
        expected = [[x - document[:, j].mean() for j, x in enumerate(row)] for row in document]
        np.testing.assert_allclose(found, np.ravel(expected))
    assert compared(np.zeros((0, 3, 4))).shape == (0, 12)


def test_every_unit_has_its_middle(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    label = np.array([0, 0, 0, 1, 0])
    units = centred(tuple(models), texts, label).units(texts)
    middles = [units[[0, 2, 4]].mean(axis=0), units[3]]
    np.testing.assert_allclose(np.mean(middles, axis=0), 0, atol=1e-5)


def by_loops(rbm, ids):
    """e_0 and every e_j, window by window and unit by unit."""
    windows = [ids[k : k + 3] for k in range(len(ids) - 2)]
    found = np.zeros(6)
    for window in windows:
        found[0] -= sum(float(rbm.b[w]) for w in window)
        for j in range(5):
            x = rbm.c[j] + sum(float(rbm.U[i, j] @ rbm.D[w]) for i, w in enumerate(window))
            found[1 + j] -= math.log1p(math.exp(x))
    return found / len(windows)


def test_energies_by_unit_of_a_long_document_go_in_blocks(models, monkeypatch):
    ids = np.random.default_rng(3).integers(0, 5, 40).astype(np.int32)
    whole = unit_energies.unit_energies(models[0].rbm, ids)
    monkeypatch.setattr(unit_energies, "BLOCK", 7)
    np.testing.assert_allclose(unit_energies.unit_energies(models[0].rbm, ids), whole, rtol=1e-6)


def test_the_middle_weighs_every_class_alike(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    label = np.array([0, 0, 0, 1, 0])
    plain = mean_energies([model.rbm for model in models], texts)
    assert np.isnan(plain[1]).all()
    expected = (plain[[0, 2, 4]].mean(axis=0) + plain[3]) / 2
    middle = centred(tuple(models), texts, label).middle
    np.testing.assert_allclose(middle.sum(axis=1), expected, rtol=1e-5)


def test_documents_are_chosen_and_joined(found):
    some = chosen(found, np.array([4, 0]))
    words = [[some.words[k] for k in some.ids[a:b]] for a, b in ((0, 9), (9, 16))]
    assert words == [TEXTS[4].split(), TEXTS[0].split()]
    both = joined(found, read(["z a", "b"]))
    assert [both.words[k] for k in both.ids[-3:]] == ["z", "a", "b"]
    assert both.ends.tolist() == [*found.ends.tolist(), found.ids.size + 2, found.ids.size + 3]
    assert isinstance(both, Read)
