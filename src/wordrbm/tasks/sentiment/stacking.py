"""One machine's decisions beside energies, for a last layer to weigh.

The decisions on training documents come from machines that have not seen them, like the energies.

Energies have labels in them: those of one fold come from models that have read all other folds with
their labels. A layer with a few weights makes nothing of it. One with hundreds does, if it learns
from other folds and is tried on this one: with labels drawn at random it was right for 53 % of
600 documents. So such a layer learns, for every document, from other parts of its own fold.
Test documents are decided on by a layer for each fold, over the energies of that fold's models, and
the decisions averaged: units of another fold's models are not quite the same units.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordrbm.tasks.sentiment.fitting import Chosen, Labels, Make, Sides, choose

LAYER_PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0)


class Cut(NamedTuple):
    """The fold of every training document, and the part of that fold that it is in."""

    fold: Labels
    part: Labels


def decisions(make: Make, C: float, sides: Sides, label: Labels, fold: Labels) -> Sides:
    """How far each document is on the side of each class, (N, 1) for two classes."""
    train = decisions_across(make, C, sides.train, label, fold)
    return Sides(train, decisions_of_all(make, C, sides, label))


def decisions_across(make: Make, C: float, x: Any, label: Labels, fold: Labels) -> Any:
    """The decision on every training document by a machine of the other folds."""
    found = []
    for number in np.unique(fold).tolist():
        seen = fold != number
        machine = make(C).fit(x[seen], label[seen])
        found.append(_column(machine.decision_function(x[~seen])))
    return in_order(found, fold)


def in_order(folds: Sequence[Any], fold: Labels) -> Any:
    """What is given fold by fold, document by document."""
    return np.concatenate(folds)[np.argsort(np.argsort(fold, kind="stable"))]


def decisions_within(make: Make, C: float, x: Any, label: Labels, cut: Cut) -> Any:
    """The decision on every training document by a machine of other parts of its fold."""
    classes = len(np.unique(label))
    found = np.zeros((len(label), 1 if classes == 2 else classes))
    for f, p in product(np.unique(cut.fold).tolist(), np.unique(cut.part).tolist()):
        seen, asked = (cut.fold == f) & (cut.part != p), (cut.fold == f) & (cut.part == p)
        if asked.any():
            own = make(C).fit(x[seen], label[seen])
            found[asked] = _column(own.decision_function(x[asked]))
    return found


def decisions_by_fold(make: Make, C: float, folds: Sequence[Sides], label: Labels, cut: Cut) -> Any:
    """The mean decision on every test document by a machine of each fold."""
    each = [
        decisions_of_all(make, C, sides, label[cut.fold == number])
        for number, sides in enumerate(folds)
    ]
    return np.mean(each, axis=0)


def decisions_of_all(make: Make, C: float, sides: Sides, label: Labels) -> Any:
    """The decision on every test document by a machine of all training documents."""
    return _column(make(C).fit(sides.train, label).decision_function(sides.test))


def accuracy(decision: Any, label: Labels) -> float:
    """The share of documents whose highest decision is right; one column is for class one."""
    one = decision.shape[1] == 1
    return float(np.mean((decision[:, 0] > 0 if one else decision.argmax(axis=1)) == label))


def loss(decision: Any, label: Labels) -> float:
    """The mean of -log P(class), where decisions are logits."""
    logits = np.hstack([0.0 * decision, decision]) if decision.shape[1] == 1 else decision
    return float(np.mean(logsumexp(logits, axis=1) - logits[np.arange(len(label)), label]))


def stacked(parts: Sequence[Sides], labels: tuple[Labels, Labels], fold: Labels) -> Chosen:
    """A logistic regression over everything, its penalty chosen on training."""
    both = Sides(*(np.hstack(list(side)) for side in zip(*parts, strict=True)))
    return choose(layer, [({}, both)], LAYER_PENALTIES, labels, fold)


def layer(C: float) -> object:
    """A logistic regression over features of any size."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def _column(found: Float64[np.ndarray, "N ..."]) -> Float64[np.ndarray, "N D"]:
    return found.reshape(len(found), -1).astype(np.float64)
