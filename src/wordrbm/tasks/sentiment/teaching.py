"""Unlabelled documents with the classes that a machine over n-grams takes them for.

The machine learns from labelled documents, and teaches the half of the unlabelled ones that it is
surest of in each class: class models have much to gain from more text, even if some of it has the
wrong label. A fold's documents do not teach those who will be asked about them.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float64, Int64

from wordrbm.tasks.sentiment.bags import bags
from wordrbm.tasks.sentiment.baselines import NGRAMS, RARE
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Labels, nb_svm

PENALTY, SURE = 10.0, 0.5


@final
@dataclass(frozen=True, eq=False)
class Teacher:
    """The n-grams of the labelled and of the unlabelled documents, counted once."""

    labelled: Any
    unlabelled: Any
    label: Labels

    @classmethod
    def of(cls, data: Data) -> "Teacher":
        """Count them; which n-grams there are, the labelled documents say."""
        assert data.unlabelled is not None
        labelled, unlabelled = bags(NGRAMS, RARE, data.train.tokens(), data.unlabelled.tokens())
        return cls(labelled, unlabelled, data.train.label)

    def teach(self, seen: Int64[np.ndarray, " S"]) -> tuple[Labels, Labels]:
        """Which unlabelled documents are taught, and as what, by these labelled ones alone."""
        machine = nb_svm(PENALTY).fit(self.labelled[seen], self.label[seen])
        found = machine.decision_function(self.unlabelled)
        scores = np.stack([-found, found], axis=1) if found.ndim == 1 else found
        return surest(scores)


def surest(scores: Float64[np.ndarray, "N C"]) -> tuple[Labels, Labels]:
    """Of those taken for each class the half that is furthest from any other."""
    label, ranked = scores.argmax(axis=1), np.sort(scores, axis=1)
    lead = ranked[:, -1] - ranked[:, -2]
    chosen = np.zeros(len(label), bool)
    for c in range(scores.shape[1]):
        own = np.flatnonzero(label == c)
        chosen[own[np.argsort(-lead[own], kind="stable")[: round(SURE * own.size)]]] = True
    number = np.flatnonzero(chosen)
    return number, label[number]
