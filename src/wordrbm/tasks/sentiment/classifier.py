"""The classifier that an experiment leaves behind: which models, what its last layer sees of them.

Models that each know their class, or models that were told apart, by guesses too if there are any:
whatever gives the best probabilities to training documents that models have not seen.
"""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.classification.calibration import LogisticHead, contrast
from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.classifier import Classifier
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.guesses import GUESSED, guessed_energies, guessed_models
from wordrbm.tasks.sentiment.kept import (
    APART,
    Gathered,
    class_models,
    gathered,
    told_models,
)
from wordrbm.tasks.sentiment.stacking import (
    LAYER_PENALTIES,
    Cut,
    decisions_across,
    decisions_within,
    layer,
    loss,
)
from wordrbm.tasks.sentiment.variant import Cell


def best_classifier(cell: Cell, data: Data, out: Path, *, guess: bool = False) -> Classifier:
    """The best that can be made of the models of all documents; with guesses, if there are any."""
    offers = offers_of(gathered(cell.variant, cell.seed, data, out))
    if guess:
        unseen = guessed_energies(cell.variant, cell.seed, data, out).train[GUESSED]
        offers.append(Offer(guessed_models, contrast(unseen)))
    offer, C = chosen_of(offers, data)
    last = LogisticHead.fit(offer.features, data.train.label, C)
    return Classifier(data.classes, offer.models(cell, data, out), last)


class Offer(NamedTuple):
    """Models, and what a last layer over them would learn from."""

    models: Callable[[Cell, Data, Path], ClassModels]
    features: Any


def offers_of(found: Gathered) -> list[Offer]:
    """Energies of class models, and of those that were told apart, as far as there are."""
    offers = [Offer(class_models, contrast(found.unseen.train["mean"]))]
    if APART in found.unseen.train:
        offers.append(Offer(told_models, contrast(found.unseen.train[APART])))
    return offers


def chosen_of(offers: Sequence[Offer], data: Data) -> tuple[Offer, float]:
    """What the classifier is made of and its penalty, by the probabilities that it gives.

    It will meet other models than those it learns from, so it is tried across folds too.
    """
    if data.part is None:  # few documents, or few groups
        return offers[0], 1.0
    cut, label = Cut(data.fold, data.part), data.train.label

    def tried(one: tuple[Offer, float]) -> float:
        x, C = one[0].features, one[1]
        across = decisions_across(layer, C, x, label, data.fold)
        return max(loss(across, label), loss(decisions_within(layer, C, x, label, cut), label))

    return min(product(offers, LAYER_PENALTIES), key=tried)
