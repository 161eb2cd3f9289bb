"""The rows of what was learnt with guessed classes: class models, NB-SVM, and both together."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scipy import sparse

from wordrbm.classification.calibration import contrast
from wordrbm.tasks.sentiment.baselines import Bags
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Sides, nb_svm
from wordrbm.tasks.sentiment.guesses import (
    GUESSED,
    STUDENT_PENALTY,
    guess_of,
    guessed_energies,
    with_guesses,
)
from wordrbm.tasks.sentiment.rows import Given, Row, mean_of
from wordrbm.tasks.sentiment.stacking import decisions_of_all, in_order, stacked
from wordrbm.tasks.sentiment.variant import FOLDS, Cell, Variant

WITH_GUESSES = ", classes guessed"


class Learnt(NamedTuple):
    """What is said of documents by what has not seen their labels, nor guessed with them."""

    energies: Sides
    ngrams: Sides


def learnt_with_guesses(variant: Variant, seed: int, data: Data, bags: Bags, out: Path) -> Learnt:
    """The energies that were kept, and what NB-SVM says after the same guesses."""
    found = guessed_energies(variant, seed, data, out)
    energies = Sides(contrast(found.train[GUESSED]), contrast(found.test[GUESSED]))
    cells = [Cell(variant, seed, fold) for fold in range(FOLDS)]
    train = in_order([by_ngrams(cell, data, bags, out) for cell in cells], data.fold)
    return Learnt(energies, Sides(train, by_ngrams(Cell(variant, seed, None), data, bags, out)))


def by_ngrams(cell: Cell, data: Data, bags: Bags, out: Path) -> Any:
    """NB-SVM of labelled and guessed documents, on those of the fold or on those for testing."""
    guess, own = guess_of(cell, data, out), data.fold != cell.fold
    x = sparse.vstack([bags.ngrams.train[own], bags.more[guess >= 0]], format="csr")
    label = with_guesses(data.train.label[own], guess)
    asked = bags.ngrams.test if cell.fold is None else bags.ngrams.train[~own]
    return decisions_of_all(nb_svm, STUDENT_PENALTY, Sides(x, asked), label)


def guess_rows(given: Given, variant: str, learnt: Sequence[Learnt]) -> Iterator[Row]:
    """One for each kind of feature and one for both, with every seed; none without guesses."""
    kinds = {
        f"{variant}{WITH_GUESSES}, threshold": [[one.energies] for one in learnt],
        f"NB trigrams{WITH_GUESSES} by {variant}": [[one.ngrams] for one in learnt],
        f"{variant}{WITH_GUESSES} + NB trigrams": [list(one) for one in learnt],
    }
    for name, parts in kinds.items():
        if parts:
            yield Row(name, [stacked(one, given.labels, given.fold) for one in parts])


def means_of(learnt: Mapping[str, Sequence[Learnt]]) -> list[Sides]:
    """Each kind of each variant as the mean over seeds."""
    found = [zip(*each, strict=True) for each in learnt.values() if each]
    return [mean_of(kind) for kinds in found for kind in kinds]
