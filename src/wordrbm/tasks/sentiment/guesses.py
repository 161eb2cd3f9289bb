"""What is kept of guesses: the classes guessed, and the energies and models learnt with them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int32

from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.classifier_file import load_models, save_models
from wordrbm.io.tensors import write_tensors
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Labels
from wordrbm.tasks.sentiment.keeping import is_of, models_are_in, read_finite
from wordrbm.tasks.sentiment.kept import Energies, documents_of, head_of, unseen_of
from wordrbm.tasks.sentiment.variant import Cell, Variant, cells_of

METHOD = 1  # which documents a class is guessed for; guesses made in another way are not taken
# Chosen on one fold of films (docs/decisions.md, 22).
LEFT_OUT = 0.1  # the share of unlabelled documents for which no class is guessed
GUESS_PASSES = 2  # over labelled and guessed documents
TEACHER_PENALTY, STUDENT_PENALTY = 10.0, 1.0  # of NB-SVM before and with guesses

GUESSED = "guessed"
Guess = Int32[np.ndarray, " U"]  # a class, or -1
_GUESS, _MIDDLE = "guess", "middle"


def keep_guesses(
    cell: Cell, data: Data, out: Path, guess: Guess,
    energies: Mapping[str, Array], models: ClassModels,
) -> None:  # fmt: skip
    """Write the models, then everything else: a file of numbers says that all is there."""
    save_models(_folder(cell, out), models.models)
    found = {f"{part}.{GUESSED}": x for part, x in energies.items()}
    write_tensors(
        _place(cell, out), {_GUESS: guess, _MIDDLE: models.center, **found}, _head(cell, data)
    )


def has_guesses(cell: Cell, data: Data, out: Path) -> bool:
    """Whether they are on disk; they must then be of these documents."""
    return is_of(_place(cell, out), _head(cell, data)) and models_are_in(
        _folder(cell, out), len(data.classes)
    )


def with_guesses(label: Labels, guess: Guess) -> Labels:
    """The classes of labelled documents, then of those for which one was guessed."""
    return np.append(label, guess[guess >= 0])


def guess_of(cell: Cell, data: Data, out: Path) -> Guess:
    """The class guessed for every unlabelled document, or -1."""
    return _read(cell, data, out)[_GUESS]


def guessed_energies(variant: Variant, seed: int, data: Data, out: Path) -> Energies:
    """Mean energies, unseen, under models that were told apart by guesses too."""
    cells = cells_of(variant, seed)
    return unseen_of({cell.fold: energies_of(cell, data, out) for cell in cells}, data)


def guessed_models(cell: Cell, data: Data, out: Path) -> ClassModels:
    """These models."""
    models = load_models(_folder(cell, out), len(data.classes))
    return ClassModels(models, _read(cell, data, out)[_MIDDLE])


def energies_of(cell: Cell, data: Data, out: Path) -> Energies:
    """Those of one cell."""
    found = _read(cell, data, out)
    train, test = found[f"train.{GUESSED}"], found.get(f"test.{GUESSED}")
    return Energies({GUESSED: train}, {} if test is None else {GUESSED: test})


def _place(cell: Cell, out: Path) -> Path:
    return out / f"{cell.name}-guesses.safetensors"


def _folder(cell: Cell, out: Path) -> Path:
    return out / f"{cell.name}-guesses"


def _head(cell: Cell, data: Data) -> dict[str, Any]:
    how = [METHOD, LEFT_OUT, GUESS_PASSES, TEACHER_PENALTY]
    return head_of(cell, data) | {"kind": "guesses", "unlabelled": data.more_digest, "guess": how}


def _read(cell: Cell, data: Data, out: Path) -> dict[str, Array]:
    assert data.unlabelled is not None
    C = len(data.classes)
    shapes: dict[str, tuple[int, ...]] = {
        _GUESS: (len(data.unlabelled),),
        _MIDDLE: (C,),
        f"train.{GUESSED}": (documents_of(cell, data), C),
    }
    if cell.fold is None:
        shapes[f"test.{GUESSED}"] = len(data.test), C
    return read_finite(_place(cell, out), shapes)
