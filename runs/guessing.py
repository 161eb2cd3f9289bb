"""What guessed classes of unlabelled documents give, on a fold of films: docs/decisions.md, 22.

    python runs/guessing.py DATA OUT

DATA holds the Large Movie Review data as `runs/sentiment.sh` wants it; OUT keeps class models.
A third of the films is held out, the others teach NB-SVM and class models, these guess, and both
learn again with the guesses. Nothing is tested. About fifteen minutes on one core.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.model_selection import cross_val_score

from wordrbm.classification.calibration import contrast
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.baselines import bags_of
from wordrbm.tasks.sentiment.data import Reading, read_data
from wordrbm.tasks.sentiment.fitting import Sides, nb_svm
from wordrbm.tasks.sentiment.guess_rows import by_ngrams
from wordrbm.tasks.sentiment.guesses import GUESSED, TEACHER_PENALTY, energies_of
from wordrbm.tasks.sentiment.kept import APART, energies_in
from wordrbm.tasks.sentiment.running import run_cells, run_guesses
from wordrbm.tasks.sentiment.stacking import decisions_of_all, layer
from wordrbm.tasks.sentiment.variant import Cell, Variant

PARTS = 10  # of the fold, for a layer over what several say


def main() -> None:
    """Train, guess, train again, and say how many of the fold are right."""
    folder, out = map(Path, sys.argv[1:])
    how = Reading(groups="train_urls_{}.txt.gz", out=out)
    data = read_data(folder, unlabelled=True, how=how)
    cell, shown = Cell(Variant(hidden=100, min_count=50, apart=5), 1, 0), (1, show, lambda: False)
    run_cells([cell], data, out, *shown, models=True)
    bags, own = bags_of(data, guess=True), data.fold == 0
    run_guesses([cell], data, bags, out, *shown)
    x, label = bags.ngrams.train, data.train.label
    sides = Sides(x[~own], x[own])
    found = {
        "NB-SVM": decisions_of_all(nb_svm, TEACHER_PENALTY, sides, label[~own]),
        "class models": contrast(energies_in(cell, data, out).train[APART]),
        "NB-SVM with guesses": by_ngrams(cell, data, bags, out),
        "class models with guesses": contrast(energies_of(cell, data, out).train[GUESSED]),
    }
    names = list(found)
    for some in [*([name] for name in names), names[:2], names[2:], names]:
        right = share_right([found[name] for name in some], label[own])
        print(f"{' + '.join(some)}: {100 * right:.2f}")


def share_right(said: list[Array], label: Array) -> float:
    """By a layer over what is said, tried on parts of the fold that it has not learnt from."""
    return float(cross_val_score(layer(1.0), np.hstack(said), label, cv=PARTS).mean())


def show(done: float, name: str) -> None:
    """How far it is."""
    print(f"\r{100 * done:3.0f}% {name}", end="\n" if done == 1.0 else "", file=sys.stderr)


if __name__ == "__main__":
    main()
