"""Linear classifiers over features: hyperparameters by cross-validation, out-of-fold decisions.

Out-of-fold features leak labels: those of a fold come from models fitted with the labels of all
other folds. A classifier with a few weights cannot exploit this; one with hundreds, fitted on other
folds and evaluated on this one, was right for 53 % of 600 documents with random labels. Such a
classifier is fitted and evaluated by nested cross-validation inside each fold. Hidden units of
models of two folds correspond only in part, so test documents are decided on by a classifier of
each fold, over the features of that fold's models, and the decisions are averaged.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from experiments.sentiment.data import restore_order
from experiments.sentiment.features import NaiveBayesWeights, TrainTest
from wordrbm.classification.documents import Labels

SEED = 0  # of the order in which liblinear visits documents
SVM_GRID = (0.1, 0.3, 1.0)  # values of C
NB_SVM_GRID = (3.0, 10.0, 30.0)
LOGISTIC_GRID = (0.001, 0.01, 0.1, 1.0, 10.0)
SCALES = (1.0, 3.0, 10.0)

Build = Callable[[float], Any]  # a classifier with the inverse regularisation strength C
Candidate = tuple[dict[str, float], TrainTest]  # settings, and features made with them
Decisions = Float64[np.ndarray, "N D"]  # D is 1 for two classes: that of the second


class Labelling(NamedTuple):
    """The classes of the training and test documents, and the folds of the former."""

    train: Labels
    test: Labels
    fold: Labels
    inner_fold: Labels | None


class Selected(NamedTuple):
    """The settings with the highest cross-validated accuracy, tested once."""

    validation: float
    test: float
    settings: dict[str, float]
    decisions: TrainTest  # out-of-fold on training documents

    @classmethod
    def of(cls, decisions: TrainTest, labels: Labelling, settings: dict[str, float]) -> "Selected":
        """The accuracies of some decisions."""
        validation = accuracy(decisions.train, labels.train)
        return cls(validation, accuracy(decisions.test, labels.test), settings, decisions)


def svm(C: float) -> Any:
    """A linear support vector machine (liblinear).

    Solved in the primal: beside a bag of words, a column with ten times the norm of the others took
    the dual solver hundreds of iterations, and the primal one ten.
    """
    return LinearSVC(C=C, dual=False, random_state=SEED)


def nb_svm(C: float) -> Any:
    """A linear support vector machine over naive Bayes features, one class against the rest."""
    return OneVsRestClassifier(
        make_pipeline(NaiveBayesWeights(), LinearSVC(C=C, random_state=SEED))
    )


def logistic_head(C: float) -> Any:
    """A logistic regression over standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def select_by_cv(
    build: Build, candidates: Sequence[Candidate], grid: Sequence[float], labels: Labelling
) -> Selected:
    """Cross-validate every candidate with every C; test the best one."""
    scored = _cv_decisions(build, candidates, grid, labels)
    settings, features, train = max(scored, key=lambda x: accuracy(x[2], labels.train))
    test = fit_and_decide(build, settings["C"], features, labels.train)
    return Selected.of(TrainTest(train, test), labels, settings)


def _cv_decisions(
    build: Build, candidates: Sequence[Candidate], grid: Sequence[float], labels: Labelling
) -> Iterator[tuple[dict[str, float], TrainTest, Decisions]]:
    for (settings, features), C in product(candidates, grid):
        train = oof_decisions(build, C, features.train, labels)
        yield {**settings, "C": C}, features, train


def oof_decisions(build: Build, C: float, x: Any, labels: Labelling) -> Decisions:
    """The decision on every training document by a classifier of the other folds."""
    parts = []
    for fold in np.unique(labels.fold).tolist():
        fitted = labels.fold != fold
        split = TrainTest(x[fitted], x[~fitted])
        parts.append(fit_and_decide(build, C, split, labels.train[fitted]))
    return np.asarray(restore_order(parts, labels.fold))


def nested_decisions(build: Build, C: float, x: Any, labels: Labelling) -> Decisions:
    """The decision on every training document by a classifier of the rest of its own fold."""
    assert labels.inner_fold is not None
    classes = len(np.unique(labels.train))
    decisions = np.zeros((len(labels.train), 1 if classes == 2 else classes))
    for f, k in product(np.unique(labels.fold).tolist(), np.unique(labels.inner_fold).tolist()):
        inside, scored = labels.fold == f, labels.inner_fold == k
        fitted, scored = inside & ~scored, inside & scored
        if scored.any():
            split = TrainTest(x[fitted], x[scored])
            decisions[scored] = fit_and_decide(build, C, split, labels.train[fitted])
    return decisions


def fold_averaged_decisions(
    build: Build, C: float, folds: Sequence[TrainTest], labels: Labelling
) -> Decisions:
    """The mean decision on every test document over a classifier of each fold."""
    decisions = [
        fit_and_decide(build, C, features, labels.train[labels.fold == index])
        for index, features in enumerate(folds)
    ]
    return np.asarray(np.mean(decisions, axis=0))


def fit_and_decide(build: Build, C: float, features: TrainTest, label: Labels) -> Decisions:
    """Fit a classifier on training documents; its decisions on the test documents."""
    decisions = build(C).fit(features.train, label).decision_function(features.test)
    return np.asarray(decisions.reshape(len(decisions), -1), np.float64)


def select_unit_classifier(folds: Sequence[TrainTest], labels: Labelling) -> Selected:
    """A logistic regression over per-unit features of each fold's models, by nested CV."""
    x = restore_order([features.train for features in folds], labels.fold)
    train = {C: nested_decisions(logistic_head, C, x, labels) for C in LOGISTIC_GRID}
    C = max(train, key=lambda C: accuracy(train[C], labels.train))
    test = fold_averaged_decisions(logistic_head, C, folds, labels)
    return Selected.of(TrainTest(train[C], test), labels, {"C": C})


def stack(features: Sequence[TrainTest], labels: Labelling) -> Selected:
    """A logistic regression over all features, side by side."""
    joined = TrainTest(*(np.hstack(list(x)) for x in zip(*features, strict=True)))
    return select_by_cv(logistic_head, [({}, joined)], LOGISTIC_GRID, labels)


def append_to_bag(bag: TrainTest, energies: TrainTest, labels: Labelling) -> Selected:
    """An SVM over a bag of words and energies, scaled to [0, 1] and by a factor that is chosen."""
    scaled = min_max(energies)
    candidates = [({"scale": scale}, append_scaled(bag, scaled, scale)) for scale in SCALES]
    return select_by_cv(svm, candidates, SVM_GRID, labels)


def min_max(features: TrainTest) -> TrainTest:
    """Features scaled so that the training documents lie in [0, 1]."""
    low, high = features.train.min(axis=0), features.train.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return TrainTest((features.train - low) / width, (features.test - low) / width)


def append_scaled(bag: TrainTest, dense: TrainTest, scale: float) -> TrainTest:
    """Dense features, multiplied by a scale, as further columns of a sparse matrix."""
    columns = [sparse.csr_matrix(scale * x) for x in dense]
    pairs = zip(bag, columns, strict=True)
    return TrainTest(*(sparse.hstack(pair, format="csr", dtype=np.float32) for pair in pairs))


def accuracy(decisions: Decisions, label: Labels) -> float:
    """The fraction of documents whose highest decision is that of their class."""
    binary = decisions.shape[1] == 1
    predicted = decisions[:, 0] > 0 if binary else decisions.argmax(axis=1)
    return float(np.mean(predicted == label))
