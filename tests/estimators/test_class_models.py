"""Energies of documents under class models, against a loop over windows."""

import math

import numpy as np
import pytest

from wordrbm.artifacts import TrainedModel
from wordrbm.estimators import unit_energies
from wordrbm.estimators.class_models import ClassModels, centred, mean_energies, texts_of
from wordrbm.estimators.documents import Read, chosen, joined, read, vocabulary_of
from wordrbm.models import init_wordrep
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
    middle = np.array([0.5, -2.0])
    energies = ClassModels(tuple(models), middle).energies(texts)
    for number, ids in enumerate(texts.each()):
        for c, model in enumerate(models):
            expected = energy(model, ids) - middle[c] if ids.size else 0.0
            assert energies[number, c] == pytest.approx(expected, abs=1e-5)
    last = ClassModels(tuple(models), middle).window_energies(list(texts.each())[4])
    np.testing.assert_allclose(last.mean(axis=0), energies[4], atol=1e-6)


def test_energies_by_unit_are_the_terms_of_the_free_energy(found, models):
    texts = texts_of(found, models[0].vocabulary, 3)
    both = ClassModels(tuple(models), np.zeros(2))
    for ids in (ids for ids in texts.each() if ids.size):
        terms = both.unit_energies(ids)
        np.testing.assert_allclose(terms.sum(axis=1), [energy(x, ids) for x in models], rtol=1e-5)
        for c, model in enumerate(models):
            np.testing.assert_allclose(terms[c], by_loops(model.rbm, ids), rtol=1e-5, atol=1e-6)


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
    np.testing.assert_allclose(centred(tuple(models), texts, label).middle, expected)


def test_documents_are_chosen_and_joined(found):
    some = chosen(found, np.array([4, 0]))
    words = [[some.words[k] for k in some.ids[a:b]] for a, b in ((0, 9), (9, 16))]
    assert words == [TEXTS[4].split(), TEXTS[0].split()]
    both = joined(found, read(["z a", "b"]))
    assert [both.words[k] for k in both.ids[-3:]] == ["z", "a", "b"]
    assert both.ends.tolist() == [*found.ends.tolist(), found.ids.size + 2, found.ids.size + 3]
    assert isinstance(both, Read)
