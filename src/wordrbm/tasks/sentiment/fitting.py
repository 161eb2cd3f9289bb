"""Linear machines over features, their penalty and scale chosen by cross-validation on training.

The test documents are scored once, by the machine that was chosen.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from wordrbm.tasks.sentiment.bags import NaiveBayesWeights

SEED = 0  # of the order in which liblinear goes over documents
PENALTIES = (0.1, 0.3, 1.0)
NB_PENALTIES = (3.0, 10.0, 30.0)
SCALES = (1.0, 3.0, 10.0)

Dense = Float64[np.ndarray, "N F"]
Labels = Int64[np.ndarray, " N"]
Make = Callable[[float], Any]  # a machine of a penalty C


class Sides(NamedTuple):
    """Features of the training and of the test documents."""

    train: Any
    test: Any


class Chosen(NamedTuple):
    """The accuracies of a machine, and what was chosen for it."""

    validation: float
    test: float
    settings: dict[str, float]


def svm(C: float) -> Any:
    """A linear support vector machine (liblinear).

    Solved in the primal: beside a bag, a column that is ten times as long as all others took the
    dual solver hundreds of rounds, and the primal one ten.
    """
    return LinearSVC(C=C, dual=False, random_state=SEED)


def nb_svm(C: float) -> Any:
    """The same over features weighed by naive Bayes, class by class."""
    return OneVsRestClassifier(
        make_pipeline(NaiveBayesWeights(), LinearSVC(C=C, random_state=SEED))
    )


def unit_range(sides: Sides) -> Sides:
    """Scaled so that the training documents lie in [0, 1]."""
    low, high = sides.train.min(axis=0), sides.train.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    return Sides((sides.train - low) / reach, (sides.test - low) / reach)


def beside(bag: Sides, more: Sides, scale: float) -> Sides:
    """A bag with other features beside it, scaled."""
    return Sides(
        *(
            sparse.hstack([one, sparse.csr_matrix(scale * other)], format="csr", dtype=np.float32)
            for one, other in zip(bag, more, strict=True)
        )
    )


def cross_validated(make: Make, C: float, x: Any, label: Labels, fold: Labels) -> float:
    """The accuracy over all folds, each by a machine that has not seen it."""
    right = 0
    for number in np.unique(fold).tolist():
        seen = fold != number
        machine = make(C).fit(x[seen], label[seen])
        right += int(np.count_nonzero(machine.predict(x[~seen]) == label[~seen]))
    return right / len(label)


def choose(
    make: Make,
    candidates: Sequence[tuple[dict[str, float], Sides]],
    penalties: Sequence[float],
    labels: tuple[Labels, Labels],
    fold: Labels,
) -> Chosen:
    """Try every candidate with every penalty on the training documents; test the best one."""
    label, test_label = labels
    best = max(_tried(make, candidates, penalties, label, fold), key=lambda one: one[0])
    validation, number, C = best
    settings, sides = candidates[number]
    machine = make(C).fit(sides.train, label)
    test = float(np.mean(machine.predict(sides.test) == test_label))
    return Chosen(validation, test, {**settings, "C": C})


def _tried(
    make: Make, candidates: Any, penalties: Sequence[float], label: Labels, fold: Labels
) -> Iterator[tuple[float, int, float]]:
    for number, (_, sides) in enumerate(candidates):
        for C in penalties:
            yield cross_validated(make, C, sides.train, label, fold), number, C
