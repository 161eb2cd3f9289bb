"""Fine-tuning of class models: the update against finite differences, dropout, and its gain."""

import math
from dataclasses import replace

import numpy as np
import pytest

from wordrbm import FreeEnergyClassifier
from wordrbm.classification import finetune as finetune_module
from wordrbm.classification.batch_windows import (
    document_windows,
    masked_free_energies,
    window_gradient,
)
from wordrbm.classification.class_models import ClassModels, center_energies
from wordrbm.classification.documents import DocumentIds, tokenize_documents
from wordrbm.classification.finetune import (
    ClassFinetuning,
    EnergyScale,
    RowAdaGrad,
    class_gradients,
    crop_long,
    drop_words,
    dropout_mask,
    epochs_for,
    finetune_classes,
    finetune_member,
    inverse_temperature,
    update,
)
from wordrbm.errors import WordRBMError
from wordrbm.models import init_wordrep
from wordrbm.models.exact import to_dense
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

K, n, H, d = 7, 3, 4, 3
DOCUMENTS = DocumentIds(
    np.array([1, 2, 3, 4, 5, 2, 2, 1, 6, 6, 1, 3], np.int32), np.array([0, 5, 5, 8, 12])
)
NONEMPTY = np.array([0, 2, 3])
LABEL = np.array([0, 1, 1, 2])


def a_model(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    rbm = init_wordrep(rng, n=n, H=H, d=d, word_probability=np.full(K, 1 / K))
    own = {name: x.astype(dtype) for name, x in rbm.parameters().items()}
    own["D"] += rng.normal(size=(K, d)).astype(dtype)
    return replace(rbm, **own)


def log_p(rbms, mask, g, center):
    """The mean log-probability of the right classes, by loops."""
    total = 0.0
    for number, doc in enumerate(NONEMPTY.tolist()):
        ids = DOCUMENTS[doc]
        means = []
        for rbm, own in zip(rbms, center, strict=True):
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
    return total / len(NONEMPTY)


def test_the_gradient_is_that_of_the_log_probability_of_the_right_class():
    rbms, g, center = [a_model(seed) for seed in (1, 2, 3)], 0.7, np.array([0.3, -0.2, 0.9])
    mask = np.array([[0, 2.0, 1, 1], [1, 1, 0, 3.0], [1, 1, 1, 1]])
    windows = document_windows(DOCUMENTS.select(NONEMPTY), n)
    seen = [masked_free_energies(rbm, windows, mask) for rbm in rbms]
    mean = np.stack(
        [np.bincount(windows.document, F) / windows.per_document for F, _ in seen], axis=1
    )
    weight = class_gradients(mean - center, LABEL[NONEMPTY], g) / len(NONEMPTY)
    rng = np.random.default_rng(0)
    for c, rbm in enumerate(rbms):
        each = (weight[:, c] / windows.per_document)[windows.document]
        found = window_gradient(rbm, windows, seen[c][1], each)
        for name, value in rbm.parameters().items():
            way = rng.normal(size=value.shape)
            there = [
                log_p([*rbms[:c], replace(rbm, **{name: value + e * way}), *rbms[c + 1 :]],
                      mask, g, center)
                for e in (1e-5, -1e-5)
            ]  # fmt: skip
            slope = (there[0] - there[1]) / 2e-5
            assert np.vdot(to_dense(rbm, found, name), way) == pytest.approx(slope, rel=1e-5)


def test_a_batch_is_one_step_of_every_model():
    optimizers = [RowAdaGrad.of(a_model(seed, np.float32)) for seed in (1, 2, 3)]
    fresh, even = [a_model(seed, np.float32) for seed in (1, 2, 3)], np.ones((3, H))
    windows = document_windows(DOCUMENTS.select(NONEMPTY), n)
    scale = EnergyScale(0.7, np.array([0.5, -0.4, 0.1]))
    update(optimizers, windows, LABEL[NONEMPTY], scale, even.astype(np.float32), 0.1)
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
        np.testing.assert_allclose(optimizers[c].rbm.D - fresh[c].D, expected, atol=2e-3)


def test_a_long_document_is_cropped():
    ids = np.concatenate([np.arange(9), 100 + np.arange(30), 200 + np.arange(5)]).astype(np.int32)
    documents, firsts = DocumentIds(ids, np.array([0, 9, 39, 44])), set()
    for seed in range(40):
        short, long, last = crop_long(np.random.default_rng(seed), documents, 9)
        assert short.tolist() == list(range(9))
        assert last.tolist() == list(range(200, 205))
        assert np.diff(long).tolist() == [1] * 8
        firsts.add(int(long[0]))
    assert min(firsts) >= 100
    assert max(firsts) <= 121
    assert len(firsts) > 10
    assert crop_long(np.random.default_rng(0), documents, 30) is documents


def test_dropout_keeps_the_mean():
    mask = dropout_mask(np.random.default_rng(0), (1000, 50), 0.4)
    assert set(np.unique(mask).tolist()) == {0.0, float(np.float32(1 / 0.6))}
    assert mask.mean() == pytest.approx(1.0, abs=0.02)


def test_few_documents_take_more_epochs():
    assert epochs_for(25_000, ClassFinetuning(epochs=5)) == 5
    assert epochs_for(100, ClassFinetuning(epochs=5, batch=16)) == 43  # of seven steps each
    assert epochs_for(1, ClassFinetuning()) == 300


@pytest.mark.parametrize(
    "values",
    [
        {"epochs": 0},
        {"epochs": 1001},
        {"batch": 0},
        {"unit_dropout": 1.0},
        {"rates": 1},
        {"members": 0},
        {"members": 101},
    ],
)
def test_settings_out_of_bounds_are_refused(values):
    with pytest.raises(WordRBMError, match=f"ClassFinetuning .*{next(iter(values))}: "):
        ClassFinetuning(**values)


def test_words_are_dropped_at_the_rate():
    many = DocumentIds(np.ones(10_000, np.int32), np.array([0, 10_000]))
    dropped = drop_words(np.random.default_rng(0), many, 0.2)
    assert np.mean(dropped.ids == 0) == pytest.approx(0.2, abs=0.02)
    assert (drop_words(np.random.default_rng(0), many, 0.0).ids == 1).all()


def test_a_row_step_is_the_rate_over_the_root_of_its_squares():
    optimizer = RowAdaGrad.of(a_model(1, np.float32))
    before, v = optimizer.rbm.D.copy(), np.array([[1, 2, 1]], np.int32)
    found = optimizer.rbm.gradient(v, np.ones((1, H), np.float32), np.ones(1, np.float32))
    once = to_dense(optimizer.rbm, found, "D")[1]
    optimizer.step(found, 0.1)
    optimizer.step(found, 0.1)
    far = 0.1 / math.sqrt(np.mean(once**2)) * (1 + 1 / math.sqrt(2))
    np.testing.assert_allclose(optimizer.rbm.D[1] - before[1], far * once, rtol=1e-4)
    assert (optimizer.rbm.D[[0, 3, 4, 5, 6]] == before[[0, 3, 4, 5, 6]]).all()


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
def untuned(documents):
    tokenized = tokenize_documents(documents[0])
    vocabulary = tokenized.vocabulary(100, 1)
    settings = TrainingSettings(window=n, hidden=10, dimension=5, seed=3)
    q = vocabulary.probability()
    models = tuple(
        TrainedModel(
            init_wordrep(np.random.default_rng(0), n=n, H=10, d=5, word_probability=q),
            vocabulary, settings,
        )
        for _ in range(2)
    )  # fmt: skip
    encoded = tokenized.encode(vocabulary).pad(n)
    return center_energies(models, encoded, documents[1]), encoded


def accuracy(models, documents, label):
    return np.mean(models.energies(documents).argmin(axis=1) == label)


def test_identical_models_learn_to_discriminate(untuned, documents):
    models, encoded = untuned
    half, rest = np.arange(120), np.arange(120, 240)
    train, label = encoded.select(half), documents[1][half]
    settings = ClassFinetuning(epochs=12, rate=0.1, members=1)
    reported = []
    tuned = finetune_classes(models, train, label, settings, reported.append)
    assert accuracy(tuned, encoded.select(rest), documents[1][rest]) > 0.9
    assert sum(reported) == 38 * 2 * 120 * 28  # windows of both models, in epochs of eight steps
    again = finetune_classes(models, train, label, settings)
    for first, second in zip(tuned.models, again.models, strict=True):
        for name, value in first.rbm.parameters().items():
            assert (value == second.rbm.parameters()[name]).all()
    expected = center_energies(tuned.models, train, label)
    np.testing.assert_array_equal(tuned.center, expected.center)
    assert (models.models[0].rbm.D == models.models[1].rbm.D).all()  # the originals are unchanged


def test_parameters_are_the_means_of_those_of_different_fine_tunings(untuned, documents):
    models, encoded = untuned
    settings = ClassFinetuning(epochs=1, rate=0.1, members=3)
    members = [
        finetune_member(models, encoded, documents[1], settings, member, lambda windows: None)
        for member in range(3)
    ]
    tuned = finetune_classes(models, encoded, documents[1], settings)
    for c, model in enumerate(tuned.models):
        for name, value in model.rbm.parameters().items():
            each = [member[c].parameters()[name].astype(float) for member in members]
            assert (each[0] != each[1]).any()
            assert (each[1] != each[2]).any()
            np.testing.assert_allclose(value, sum(each) / 3, rtol=1e-6)
            assert value.dtype == np.float32
    assert accuracy(tuned, encoded, documents[1]) > 0.9
    expected = center_energies(tuned.models, encoded, documents[1])
    np.testing.assert_array_equal(tuned.center, expected.center)


def test_the_rate_falls_to_zero(untuned, documents, monkeypatch):
    rates = []
    monkeypatch.setattr(finetune_module, "update", lambda *arguments: rates.append(arguments[-1]))
    finetune_classes(*untuned, documents[1], ClassFinetuning(epochs=20, rate=0.5, members=1))
    assert len(rates) == 300
    np.testing.assert_allclose(rates, 0.5 * (1 - np.arange(300) / 300))


def test_the_inverse_temperature_makes_a_spread_of_energies_two_nats(untuned):
    models, documents = untuned
    rbm = models.models[0].rbm
    other = replace(models.models[0], rbm=replace(rbm, D=rbm.D * 30))
    both = ClassModels((models.models[0], other), models.center)
    energies = both.energies(documents)
    spread = (energies - energies.mean(axis=1, keepdims=True)).std()
    assert inverse_temperature(both, documents) * 2 * spread == pytest.approx(2.0)


def test_the_estimator_finetunes(documents):
    texts, label = documents
    common = {"window": 3, "n_components": 10, "dimension": 5, "n_iter": 2, "random_state": 0}
    tuned = FreeEnergyClassifier(finetune_epochs=20, **common).fit(texts[:160], label[:160])
    assert tuned.score(texts[160:], label[160:]) > 0.9


@pytest.mark.parametrize("given", [-1, 2.5, True, False, "3", 10_000, np.array([1, 2])])
def test_epochs_out_of_bounds_are_refused(given):
    message = r"The parameter finetune_epochs is .*whole number from 0 to 1000"
    with pytest.raises(ValueError, match=message):
        FreeEnergyClassifier(finetune_epochs=given).fit(["a b c", "b c d"] * 4, [0, 1] * 4)


@pytest.mark.parametrize("given", [0, 2.5, True, "3", 101])
def test_members_out_of_bounds_are_refused(given):
    message = r"The parameter finetune_members is .*whole number from 1 to 100"
    with pytest.raises(ValueError, match=message):
        FreeEnergyClassifier(finetune_members=given).fit(["a b c", "b c d"] * 4, [0, 1] * 4)
