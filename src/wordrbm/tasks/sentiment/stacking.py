"""One machine's decisions beside energies, for a last layer to weigh.

The decisions on training documents come from machines that have not seen them, like the energies.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordrbm.tasks.sentiment.fitting import Chosen, Labels, Make, Sides, choose

LAYER_PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0)


def decisions(make: Make, C: float, sides: Sides, label: Labels, fold: Labels) -> Sides:
    """How far each document is on the side of each class, (N, 1) for two classes."""
    train: list[Float64[np.ndarray, "N D"]] = []
    order: list[Labels] = []
    for number in np.unique(fold).tolist():
        seen = fold != number
        machine = make(C).fit(sides.train[seen], label[seen])
        train.append(_column(machine.decision_function(sides.train[~seen])))
        order.append(np.flatnonzero(~seen))
    whole = make(C).fit(sides.train, label)
    back = np.argsort(np.concatenate(order))
    return Sides(np.concatenate(train)[back], _column(whole.decision_function(sides.test)))


def stacked(parts: Sequence[Sides], labels: tuple[Labels, Labels], fold: Labels) -> Chosen:
    """A logistic regression over everything, its penalty chosen on training."""
    both = Sides(*(np.hstack(list(side)) for side in zip(*parts, strict=True)))
    return choose(layer, [({}, both)], LAYER_PENALTIES, labels, fold)


def layer(C: float) -> object:
    """A logistic regression over features of any size."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))


def _column(found: Float64[np.ndarray, "N ..."]) -> Float64[np.ndarray, "N D"]:
    return found.reshape(len(found), -1).astype(np.float64)
