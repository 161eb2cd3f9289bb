"""Hidden units against plain loops: weights of words, on-rates, top windows, terms of F."""

import numpy as np

from wordrbm.analysis.hidden_units import UnitActivity, free_energy_terms, unit_words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load


def test_words_of_a_unit_by_loops(trained_folders):
    model = load(trained_folders[0])
    rbm, words = model.rbm, model.vocabulary.words
    for i, place in enumerate(unit_words(rbm, words, 2, 4)):
        weight = {words[k]: float(rbm.U[i, 2] @ rbm.D[k]) for k in range(1, len(words))}
        ranked = sorted(weight, key=lambda word: -weight[word])
        assert [word for word, _ in place.highest] == ranked[:4]
        assert [word for word, _ in place.lowest] == ranked[::-1][:4]


def test_activity_by_loops(trained_folders):
    model, corpus = load(trained_folders[0]), PreparedCorpus.open(trained_folders[1])
    text = corpus.windows(model.rbm.positions, "train")
    activity = UnitActivity.measure(model.rbm, text, count=500)
    v = text.evenly_spaced(500)
    mean = model.rbm.hidden_mean(v)
    np.testing.assert_allclose(activity.on_rate, mean.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(activity.means[:, 0], mean.max(axis=0), rtol=1e-6)
    assert (np.diff(activity.means, axis=1) <= 0).all()


def test_terms_sum_to_the_free_energy(trained_folders):
    model = load(trained_folders[0])
    v = np.array([[1, 2, 3], [4, 5, 6]])
    terms = free_energy_terms(model.rbm, v)
    np.testing.assert_allclose(terms.total(), model.free_energy(v))
