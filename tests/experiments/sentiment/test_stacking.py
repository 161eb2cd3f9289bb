"""Linear classifiers: chosen by cross-validation, judged on documents not fitted on."""

import numpy as np
import pytest
from experiments.sentiment.features import TrainTest
from experiments.sentiment.stacking import (
    Labelling,
    accuracy,
    append_scaled,
    fit_and_decide,
    fold_averaged_decisions,
    logistic_head,
    min_max,
    nested_decisions,
    oof_decisions,
    select_by_cv,
    select_unit_classifier,
    stack,
    svm,
)
from scipy import sparse


def problem(count=200):
    """Features of which the first separates two classes, and labels with four folds."""
    rng = np.random.default_rng(2)
    label, half = rng.integers(2, size=count), count // 2
    x = rng.normal(size=(count, 5)) + np.outer(label, [1.5, 0, 0, 0, 0])
    labels = Labelling(label[:half], label[half:], np.arange(half) % 4, None)
    return TrainTest(x[:half], x[half:]), labels


def test_features_are_scaled_by_the_training_documents():
    features, _ = problem()
    scaled = min_max(features)
    assert scaled.train.min() == 0
    assert scaled.train.max() == 1
    np.testing.assert_allclose(
        scaled.test * np.ptp(features.train, axis=0) + features.train.min(axis=0), features.test
    )
    both = append_scaled(TrainTest(*map(sparse.csr_matrix, features)), scaled, 3.0)
    np.testing.assert_allclose(both.test[:, 5:].toarray(), 3 * scaled.test, rtol=1e-6)


def test_settings_are_selected_without_the_test_documents():
    features, labels = problem()
    noise = TrainTest(np.random.default_rng(3).normal(size=(100, 5)), features.test)
    candidates = [({"k": 0.0}, noise), ({"k": 1.0}, features)]
    selected = select_by_cv(svm, candidates, (0.1, 1.0), labels)
    assert selected.settings["k"] == 1.0
    again = select_by_cv(svm, candidates, (0.1, 1.0), labels._replace(test=1 - labels.test))
    assert again.settings == selected.settings
    assert again.test == pytest.approx(1 - selected.test)
    assert selected.validation > 0.65
    machine = svm(selected.settings["C"]).fit(features.train, labels.train)
    assert selected.test == np.mean(machine.predict(features.test) == labels.test)


def test_out_of_fold_decisions_come_from_the_other_folds():
    rng = np.random.default_rng(4)
    x, label = sparse.csr_matrix(np.eye(40)), rng.permutation(40) % 2  # a feature for each document
    labels = Labelling(label, label, np.arange(40) % 4, None)
    in_sample = fit_and_decide(svm, 100.0, TrainTest(x, x), label)
    out_of_fold = oof_decisions(svm, 100.0, x, labels)
    assert accuracy(in_sample, label) == 1
    assert accuracy(out_of_fold, label) < 0.7
    fitted = labels.fold != 1
    expected = svm(100.0).fit(x[fitted], label[fitted]).decision_function(x[~fitted])
    np.testing.assert_allclose(out_of_fold[~fitted, 0], expected)


def test_nested_decisions_do_not_see_labels_that_leak_through_features():
    """Energies of a fold are made from the labels of all others: here they are nothing else."""
    rng = np.random.default_rng(8)
    label, fold, inner = rng.permutation(300) % 2, np.arange(300) % 3, np.arange(300) // 3 % 5
    noise = rng.normal(size=(300, 40))
    mean = [[noise[(fold != f) & (label == c)].mean(axis=0) for c in (0, 1)] for f in range(3)]
    x = np.stack([noise[k] * (mean[f][1] - mean[f][0]) for k, f in enumerate(fold)])
    labels = Labelling(label, label, fold, inner)
    honest = accuracy(nested_decisions(logistic_head, 1.0, x, labels), label)
    leaking = accuracy(oof_decisions(logistic_head, 1.0, x, labels), label)
    assert leaking > 0.56
    assert honest < 0.54


def test_nested_decisions_come_from_the_rest_of_the_same_fold():
    rng = np.random.default_rng(9)
    x, label = rng.normal(size=(60, 3)), np.arange(60) % 3
    labels = Labelling(label, label, np.arange(60) // 20, np.arange(60) // 3 % 5)
    decisions = nested_decisions(logistic_head, 1.0, x, labels)
    assert decisions.shape == (60, 3)
    fitted = (labels.fold == 1) & (labels.inner_fold != 2)
    scored = (labels.fold == 1) & (labels.inner_fold == 2)
    machine = logistic_head(1.0).fit(x[fitted], label[fitted])
    np.testing.assert_allclose(decisions[scored], machine.decision_function(x[scored]))


def test_test_documents_are_decided_on_by_all_folds():
    features, labels = problem()
    labels = labels._replace(inner_fold=np.arange(100) // 4 % 5)
    folds = [TrainTest(features.train[labels.fold == k], features.test + k) for k in range(4)]
    each = [
        svm(1.0).fit(x.train, labels.train[labels.fold == k]).decision_function(x.test)
        for k, x in enumerate(folds)
    ]
    mean = fold_averaged_decisions(svm, 1.0, folds, labels)
    np.testing.assert_allclose(mean[:, 0], sum(each) / 4)
    selected = select_unit_classifier(folds, labels)
    nested = nested_decisions(logistic_head, selected.settings["C"], features.train, labels)
    assert selected.validation == accuracy(nested, labels.train)


def test_accuracy_of_decisions():
    binary, label = np.array([[2.0], [-1.0], [0.5]]), np.array([1, 0, 0])
    assert accuracy(binary, label) == pytest.approx(2 / 3)
    assert accuracy(np.eye(3) * 2, np.array([0, 1, 1])) == pytest.approx(2 / 3)


def test_stacking_finds_the_features_that_matter():
    features, labels = problem()
    noise = TrainTest(*(np.random.default_rng(k).normal(size=(100, 3)) for k in (5, 6)))
    assert stack([noise, features], labels).test > 0.65
