"""Class models told apart: the step against finite differences, what it reads, what it gains."""

import math
from dataclasses import replace

import numpy as np
import pytest

from wordrbm import FreeEnergyClassifier
from wordrbm.estimators import apart
from wordrbm.estimators.adagrad import Climber
from wordrbm.estimators.apart import (
    Apart,
    Scale,
    energies,
    gain,
    mask_of,
    passes_over,
    pushes,
    step,
    told_apart,
)
from wordrbm.estimators.class_models import ClassModels, Texts, centred, texts_of
from wordrbm.estimators.document_batches import stretched, thinned, windows_in
from wordrbm.estimators.documents import read, vocabulary_of
from wordrbm.models import init_wordrep
from wordrbm.models.gradient import to_dense
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

K, n, H, d = 7, 3, 4, 3
TEXTS = Texts(np.array([1, 2, 3, 4, 5, 2, 2, 1, 6, 6, 1, 3], np.int32), np.array([5, 5, 8, 12]))
FULL = np.array([0, 2, 3])
LABEL = np.array([0, 1, 1, 2])


def a_model(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    rbm = init_wordrep(rng, n=n, H=H, d=d, word_probability=np.full(K, 1 / K))
    own = {name: x.astype(dtype) for name, x in rbm.parameters().items()}
    own["D"] += rng.normal(size=(K, d)).astype(dtype)
    return replace(rbm, **own)


def log_p(rbms, mask, g, middle):
    """The mean log-probability of the right classes, by loops."""
    total = 0.0
    for number, doc in enumerate(FULL.tolist()):
        ids = list(TEXTS.each())[doc]
        means = []
        for rbm, own in zip(rbms, middle, strict=True):
            F = 0.0
            for k in range(len(ids) - n + 1):
                x = rbm.c.astype(float).copy()
                for i in range(n):
                    F -= rbm.b[ids[k + i]]
                    x += rbm.U[i] @ rbm.D[ids[k + i]]
                F -= sum(mask[number, j] * math.log1p(math.exp(x[j])) for j in range(H))
            means.append(F / (len(ids) - n + 1) - own)
        logits = [-g * F for F in means]
        right = logits[LABEL[doc]]
        total += right - math.log(sum(math.exp(x) for x in logits))
    return total / len(FULL)


def test_the_step_climbs_the_log_probability_of_the_right_class():
    rbms, g, middle = [a_model(seed) for seed in (1, 2, 3)], 0.7, np.array([0.3, -0.2, 0.9])
    mask = np.array([[0, 2.0, 1, 1], [1, 1, 0, 3.0], [1, 1, 1, 1]])
    windows = windows_in(TEXTS.chosen(FULL), n)
    seen = [energies(rbm, windows.v, windows.document, mask) for rbm in rbms]
    mean = np.stack([np.bincount(windows.document, F) / windows.each for F, _ in seen], axis=1)
    weight = pushes(mean - middle, LABEL[FULL], g) / len(FULL)
    rng = np.random.default_rng(0)
    for c, rbm in enumerate(rbms):
        each = (weight[:, c] / windows.each)[windows.document]
        found = rbm.gradient(windows.v, seen[c][1], each)
        for name, value in rbm.parameters().items():
            way = rng.normal(size=value.shape)
            there = [
                log_p([*rbms[:c], replace(rbm, **{name: value + e * way}), *rbms[c + 1 :]],
                      mask, g, middle)
                for e in (1e-5, -1e-5)
            ]  # fmt: skip
            slope = (there[0] - there[1]) / 2e-5
            assert np.vdot(to_dense(found, name, value.shape), way) == pytest.approx(
                slope, rel=1e-5
            )


def test_a_batch_is_one_step_of_every_model():
    learners = [Climber.of(a_model(seed, np.float32)) for seed in (1, 2, 3)]
    fresh, even = [a_model(seed, np.float32) for seed in (1, 2, 3)], np.ones((3, H))
    windows, scale = windows_in(TEXTS.chosen(FULL), n), Scale(0.7, np.array([0.5, -0.4, 0.1]))
    how = Apart(words_out=0.0, units_out=0.0, rate=0.1)
    step(np.random.default_rng(0), learners, windows, LABEL[FULL], scale, how)
    for c in range(3):
        slope = np.zeros((K, d))
        for w, k in np.ndindex(K, d):
            ends = []
            for e in (1e-3, -1e-3):
                own = replace(fresh[c], D=fresh[c].D.astype(float))
                own.D[w, k] += e
                ends.append(log_p([*fresh[:c], own, *fresh[c + 1 :]], even, 0.7, (0.5, -0.4, 0.1)))
            slope[w, k] = (ends[0] - ends[1]) / 2e-3
        root = np.sqrt((slope**2).mean(axis=1, keepdims=True))
        expected = 0.1 * slope / np.where(root > 0, root, 1.0)
        np.testing.assert_allclose(learners[c].rbm.D - fresh[c].D, expected, atol=2e-3)


def test_windows_stay_inside_their_documents():
    windows = windows_in(TEXTS.chosen(FULL), n)
    assert windows.v.tolist() == [
        [1, 2, 3], [2, 3, 4], [3, 4, 5], [2, 2, 1], [6, 6, 1], [6, 1, 3]
    ]  # fmt: skip
    assert windows.document.tolist() == [0, 0, 0, 1, 2, 2]
    assert windows.each.tolist() == [3, 1, 2]


def test_of_a_long_document_a_stretch_is_read():
    ids = np.concatenate([np.arange(9), 100 + np.arange(30), 200 + np.arange(5)]).astype(np.int32)
    texts, firsts = Texts(ids, np.array([9, 39, 44])), set()
    for seed in range(40):
        short, long, last = stretched(np.random.default_rng(seed), texts, 9).each()
        assert short.tolist() == list(range(9))
        assert last.tolist() == list(range(200, 205))
        assert np.diff(long).tolist() == [1] * 8
        firsts.add(int(long[0]))
    assert min(firsts) >= 100
    assert max(firsts) <= 121
    assert len(firsts) > 10
    assert stretched(np.random.default_rng(0), texts, 30) is texts


def test_units_stand_in_for_those_left_out():
    found = mask_of(np.random.default_rng(0), (1000, 50), 0.4)
    assert set(np.unique(found).tolist()) == {0.0, float(np.float32(1 / 0.6))}
    assert found.mean() == pytest.approx(1.0, abs=0.02)


def test_few_documents_are_gone_over_more_often():
    assert passes_over(25_000, Apart(passes=5)) == 5
    assert passes_over(100, Apart(passes=5, batch=16)) == 43  # of seven steps each
    assert passes_over(1, Apart()) == 300


def test_a_share_of_the_words_is_left_out():
    many = Texts(np.ones(10_000, np.int32), np.array([10_000]))
    found = thinned(np.random.default_rng(0), many, 0.2)
    assert np.mean(found.ids == 0) == pytest.approx(0.2, abs=0.02)
    assert (thinned(np.random.default_rng(0), many, 0.0).ids == 1).all()


def test_a_row_goes_as_far_as_the_rate_over_the_root_of_its_squares():
    learner = Climber.of(a_model(1, np.float32))
    before, v = learner.rbm.D.copy(), np.array([[1, 2, 1]], np.int32)
    found = learner.rbm.gradient(v, np.ones((1, H), np.float32), np.ones(1, np.float32))
    once = to_dense(found, "D", (K, d))[1]
    learner.climb(found, 0.1)
    learner.climb(found, 0.1)
    far = 0.1 / math.sqrt(np.mean(once**2)) * (1 + 1 / math.sqrt(2))
    np.testing.assert_allclose(learner.rbm.D[1] - before[1], far * once, rtol=1e-4)
    assert (learner.rbm.D[[0, 3, 4, 5, 6]] == before[[0, 3, 4, 5, 6]]).all()


@pytest.fixture(scope="module")
def documents():
    """Classes that differ in one word of thirty."""
    rng = np.random.default_rng(0)
    words = list("abcdefghijkl")
    texts, label = [], []
    for number in range(240):
        own = [words[k] for k in rng.integers(12, size=30)]
        own[int(rng.integers(30))] = "good" if number % 2 else "bad"
        texts.append(" ".join(own))
        label.append(number % 2)
    return texts, np.array(label)


@pytest.fixture(scope="module")
def untold(documents):
    found = read(documents[0])
    vocabulary = vocabulary_of(found, 100, 1)
    settings = TrainingSettings(window=n, hidden=10, dimension=5, seed=3)
    q = vocabulary.probability()
    models = tuple(
        TrainedModel(
            init_wordrep(np.random.default_rng(0), n=n, H=10, d=5, word_probability=q),
            vocabulary, settings,
        )
        for _ in range(2)
    )  # fmt: skip
    texts = texts_of(found, vocabulary, n)
    return centred(models, texts, documents[1]), texts


def right(models, texts, label):
    return np.mean(models.energies(texts).argmin(axis=1) == label)


def test_models_that_are_the_same_learn_to_tell_classes_apart(untold, documents):
    models, texts = untold
    half = np.arange(120)
    told = []
    found = told_apart(
        models, texts.chosen(half), documents[1][half], Apart(passes=12, rate=0.1), told.append
    )
    rest = np.arange(120, 240)
    assert right(found, texts.chosen(rest), documents[1][rest]) > 0.9
    assert sum(told) == 38 * 2 * 120 * 28  # windows of both models, in passes of eight steps
    again = told_apart(
        models, texts.chosen(half), documents[1][half], Apart(passes=12, rate=0.1), lambda w: None
    )
    for one, other in zip(found.models, again.models, strict=True):
        for name, value in one.rbm.parameters().items():
            assert (value == other.rbm.parameters()[name]).all()
    expected = centred(found.models, texts.chosen(half), documents[1][half])
    np.testing.assert_array_equal(found.middle, expected.middle)
    assert (models.models[0].rbm.D == models.models[1].rbm.D).all()  # what was given is as it was


def test_the_rate_falls_to_nothing(untold, documents, monkeypatch):
    rates = []
    monkeypatch.setattr(apart, "step", lambda *given: rates.append(given[-1].rate))
    told_apart(*untold, documents[1], Apart(passes=20, rate=0.5), lambda windows: None)
    assert len(rates) == 300
    np.testing.assert_allclose(rates, 0.5 * (1 - np.arange(300) / 300))


def test_the_gain_makes_a_spread_of_energies_two_nats(untold):
    models, texts = untold
    rbm = models.models[0].rbm
    other = replace(models.models[0], rbm=replace(rbm, D=rbm.D * 30))
    both = ClassModels((models.models[0], other), models.middle)
    found = both.energies(texts)
    apart = found - found.mean(axis=1, keepdims=True)
    assert gain(both, texts) * 2 * apart.std() == pytest.approx(2.0)


def test_the_classifier_tells_apart_if_it_is_asked_to(documents):
    texts, label = documents
    common = {"window": 3, "n_components": 10, "dimension": 5, "n_iter": 2, "random_state": 0}
    told = FreeEnergyClassifier(apart=20, **common).fit(texts[:160], label[:160])
    assert told.score(texts[160:], label[160:]) > 0.9


@pytest.mark.parametrize("given", [-1, 2.5, True, False, "3", 10_000, np.array([1, 2])])
def test_passes_that_cannot_be_meant_are_refused(given):
    with pytest.raises(ValueError, match=r"The parameter apart is .*whole number from 0 to 1000"):
        FreeEnergyClassifier(apart=given).fit(["a b c", "b c d"] * 4, [0, 1] * 4)
