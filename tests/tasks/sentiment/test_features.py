"""Bags, weights, pools and the machines over them, against loops."""

import math

import numpy as np
import pytest
from scipy import sparse

from wordrbm.tasks.sentiment.bags import NaiveBayesWeights, bags, ngrams, unit_length
from wordrbm.tasks.sentiment.classifier import Offer, chosen_of
from wordrbm.tasks.sentiment.data import Data, Part
from wordrbm.tasks.sentiment.fitting import Sides, beside, choose, cross_validated, svm, unit_range
from wordrbm.tasks.sentiment.pools import pooled
from wordrbm.tasks.sentiment.stacking import (
    Cut,
    accuracy,
    decisions,
    decisions_within,
    layer,
    loss,
    stacked,
)

TEXTS = [["a", "good", "film"], ["a", "bad", "film", "a"], ["good", "good"], []]


def test_ngrams():
    assert ngrams(["a", "b", "c"], 3) == ["a", "b", "c", "a b", "b c", "a b c"]
    assert ngrams(["a"], 3) == ["a"]
    assert ngrams([], 2) == []


def test_bags_hold_each_feature_once():
    train, test = bags(2, 1, TEXTS, [["good", "film", "unseen"]])
    assert train.max() == 1
    assert train.sum(axis=1).ravel().tolist()[0] == [5.0, 6.0, 2.0, 0.0]
    assert test.sum() == 3  # good, film and both together
    lengths = np.asarray(unit_length(train).power(2).sum(axis=1)).ravel()
    np.testing.assert_allclose(lengths, [1, 1, 1, 0], rtol=1e-6)


def test_bags_leave_out_what_is_rare():
    (few,) = bags(1, 2, TEXTS)
    assert few.shape[1] == 3  # a, film, good


def test_naive_bayes_weights_are_log_ratios():
    x = sparse.csr_matrix(np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]], np.float32))
    found = NaiveBayesWeights().fit(x, [1, 0, 0]).ratio_
    inside, outside = [2, 2, 1], [1, 3, 2]
    for f in range(3):
        expected = math.log(inside[f] / 5) - math.log(outside[f] / 6)
        assert found[f] == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(
        np.asarray(NaiveBayesWeights().fit_transform(x, [1, 0, 0]).power(2).sum(axis=1)).ravel(), 1,
        rtol=1e-5,
    )  # fmt: skip


def test_pools_of_a_document():
    rng = np.random.default_rng(1)
    energies = rng.normal(size=(25, 2)) * 3
    found = pooled(energies)
    half = (energies[:, 0] - energies[:, 1]) / 2
    np.testing.assert_allclose(found["mean"], energies.mean(axis=0))
    assert found["squashed"][0] == pytest.approx(sum(math.tanh(x / 4) for x in half) / 25)
    assert found["upper"][0] == pytest.approx(sum(sorted(half)[-2:]) / 2)
    assert found["upper"][1] == pytest.approx(-sum(sorted(half)[:2]) / 2)


def problem(count=200):
    rng = np.random.default_rng(2)
    label = rng.integers(2, size=count)
    x = rng.normal(size=(count, 5)) + np.outer(label, [1.5, 0, 0, 0, 0])
    return Sides(x[: count // 2], x[count // 2 :]), (label[: count // 2], label[count // 2 :])


def test_what_is_scaled_to_one_is_scaled_by_the_training_documents():
    sides, _ = problem()
    scaled = unit_range(sides)
    assert scaled.train.min() == 0
    assert scaled.train.max() == 1
    np.testing.assert_allclose(
        scaled.test * np.ptp(sides.train, axis=0) + sides.train.min(axis=0), sides.test
    )
    both = beside(Sides(*map(sparse.csr_matrix, sides)), scaled, 3.0)
    np.testing.assert_allclose(both.test[:, 5:].toarray(), 3 * scaled.test, rtol=1e-6)


def test_the_choice_is_made_without_the_test_documents():
    sides, (label, test_label) = problem()
    noise = Sides(np.random.default_rng(3).normal(size=(100, 5)), sides.test)
    fold = np.arange(100) % 4
    chosen = choose(
        svm, [({"k": 0.0}, noise), ({"k": 1.0}, sides)], (0.1, 1.0), (label, test_label), fold
    )
    assert chosen.settings["k"] == 1.0
    again = choose(
        svm, [({"k": 0.0}, noise), ({"k": 1.0}, sides)], (0.1, 1.0), (label, 1 - test_label), fold
    )
    assert again.settings == chosen.settings
    assert again.test == pytest.approx(1 - chosen.test)
    assert cross_validated(svm, 1.0, sides.train, label, fold) > 0.65


def test_decisions_come_from_machines_that_have_not_seen_a_document():
    rng = np.random.default_rng(4)
    x, label = sparse.csr_matrix(np.eye(40)), rng.permutation(40) % 2  # every one its own feature
    fold = np.arange(40) % 4
    found = decisions(svm, 100.0, Sides(x, x), label, fold)
    assert np.mean((found.test[:, 0] > 0) == label) == 1
    assert np.mean((found.train[:, 0] > 0) == label) < 0.7
    expected = svm(100.0).fit(x[fold != 1], label[fold != 1]).decision_function(x[fold == 1])
    np.testing.assert_allclose(found.train[fold == 1, 0], expected)


def test_a_layer_within_folds_does_not_see_labels_that_are_in_the_features():
    """Energies of a fold are made from the labels of all others: here they are nothing else."""
    rng = np.random.default_rng(8)
    label, fold, part = rng.permutation(300) % 2, np.arange(300) % 3, np.arange(300) // 3 % 5
    own = rng.normal(size=(300, 40))
    mean = [[own[(fold != f) & (label == c)].mean(axis=0) for c in (0, 1)] for f in range(3)]
    x = np.stack([own[k] * (mean[f][1] - mean[f][0]) for k, f in enumerate(fold)])
    honest = accuracy(decisions_within(layer, 1.0, x, label, Cut(fold, part)), label)
    flattered = accuracy(decisions(layer, 1.0, Sides(x, x), label, fold).train, label)
    assert flattered > 0.56
    assert honest < 0.54


def test_decisions_within_folds_are_of_other_parts_of_the_same_fold():
    rng = np.random.default_rng(9)
    x, label = rng.normal(size=(60, 3)), np.arange(60) % 3
    cut = Cut(np.arange(60) // 20, np.arange(60) // 3 % 5)
    found = decisions_within(layer, 1.0, x, label, cut)
    assert found.shape == (60, 3)
    seen = (cut.fold == 1) & (cut.part != 2)
    asked = (cut.fold == 1) & (cut.part == 2)
    expected = layer(1.0).fit(x[seen], label[seen]).decision_function(x[asked])
    np.testing.assert_allclose(found[asked], expected)


def test_how_good_decisions_are():
    one, label = np.array([[2.0], [-1.0], [0.5]]), np.array([1, 0, 0])
    assert accuracy(one, label) == pytest.approx(2 / 3)
    expected = -np.log([1 / (1 + np.exp(-2)), 1 / (1 + np.exp(-1)), 1 / (1 + np.exp(0.5))]).mean()
    assert loss(one, label) == pytest.approx(expected)
    three = np.eye(3) * 2
    assert accuracy(three, np.array([0, 1, 1])) == pytest.approx(2 / 3)
    assert loss(three, np.array([0, 1, 2])) == pytest.approx(np.log(np.exp(2) + 2) - 2)


def test_a_stack_weighs_what_it_is_given():
    sides, labels = problem()
    noise = Sides(*(np.random.default_rng(k).normal(size=(100, 3)) for k in (5, 6)))
    assert stacked([noise, sides], labels, np.arange(100) % 4).test > 0.65


@pytest.mark.parametrize("best", [0, 1, 2])
def test_the_classifier_is_made_of_what_gives_the_best_probabilities(best):
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=600)
    fold, part = rng.integers(3, size=600), rng.integers(5, size=600)
    told = [
        label[:, None] * (2.0 if k == best else 0.5) + rng.normal(size=(600, 1)) for k in range(3)
    ]
    offers = [Offer(kind, x) for kind, x in zip("abc", told, strict=True)]
    data = Data(("a", "b"), Part(None, label), Part(None, label), None, fold, part, "", "")
    assert chosen_of(offers, data)[0].models == "abc"[best]
    assert chosen_of(offers, data._replace(part=None)) == (offers[0], 1.0)
