"""What is kept of cells: a file of energies for each, and its class models.

A file says in its head which documents it is of and how it was made; one of others is not taken.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from wordrbm.classification.calibration import contrast_count
from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.classifier_file import load_models
from wordrbm.classification.finetune import FinetuneSettings
from wordrbm.io.tensors import write_tensors
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.keeping import is_of, models_are_in, read_finite
from wordrbm.tasks.sentiment.pools import POOLS
from wordrbm.tasks.sentiment.variant import CHAINS, FOLDS, RATES, Cell, Variant, cells_of

METHOD = 7  # how models start and energies are pooled; cells of another are not taken
NAMES, UNITS, APART = ("mean", *POOLS), "units", "apart"
MIDDLE, TOLD_MIDDLE = "middle", "told_middle"


class Energies(NamedTuple):
    """What a cell gives, by pool: for training documents, and for test documents if it saw all.

    Those of a fold also by unit, of its own and of the test documents, if there is a common start.
    Means under models that were told apart, if they were, are beside the pools.
    """

    train: Mapping[str, Float[np.ndarray, "N F"]]
    test: Mapping[str, Float[np.ndarray, "M F"]]


class Gathered(NamedTuple):
    """The cells of a variant and a seed together."""

    unseen: Energies  # by models that have not seen a training document
    seen: Energies  # by those that have
    units: list[Energies]  # unseen, unit by unit; by fold, or none


def keep(cell: Cell, data: Data, out: Path, found: Mapping[str, Array]) -> None:
    """Write the numbers of a cell: its energies, by part and pool, and the models' middle."""
    write_tensors(_place(cell, out), found, head_of(cell, data))


def _place(cell: Cell, out: Path) -> Path:
    """The file of a cell."""
    return out / f"{cell.name}.safetensors"


def is_done(cell: Cell, data: Data, out: Path, *, models: bool = False) -> bool:
    """Whether a cell is on disk, of a fold with its models if they are wanted.

    It must then be of these documents.
    """
    if not is_of(_place(cell, out), head_of(cell, data)):
        return False
    folders = [out / cell.name, *([told_folder(cell, out)] if cell.variant.apart else [])]
    each = (models_are_in(folder, len(data.classes)) for folder in folders)
    return (cell.fold is not None and not models) or all(each)


def told_folder(cell: Cell, out: Path) -> Path:
    """Where the models of a cell are after they were told apart."""
    return out / f"{cell.name}-told"


def head_of(cell: Cell, data: Data) -> dict[str, Any]:
    """What a cell was made from and how, beside what its name says."""
    return {
        "kind": "energies",
        "data": data.digest,
        "unlabelled": data.more_digest if cell.variant.unlabelled else "",
        "method": [
            METHOD,
            FOLDS,
            CHAINS,
            *RATES.values(),
            *(FinetuneSettings()[1:] if cell.variant.apart else ()),
        ],
    }


def gathered(variant: Variant, seed: int, data: Data, out: Path) -> Gathered:
    """Every energy of a variant and a seed."""
    found = {cell.fold: energies_in(cell, data, out) for cell in cells_of(variant, seed)}
    units = [found[number] for number in range(FOLDS)] if variant.background else []
    return Gathered(unseen_of(found, data), found[None], units)


def unseen_of(found: Mapping[int | None, Energies], data: Data) -> Energies:
    """Energies of training documents by models of other folds, of test documents by those of all.

    All but those by unit, which the cell of all documents does not have.
    """
    whole = found[None]
    unseen = {name: np.empty_like(x) for name, x in whole.train.items()}
    for name, own in unseen.items():
        for number in range(FOLDS):
            own[data.fold == number] = found[number].train[name]
    return Energies(unseen, whole.test)


def class_models(cell: Cell, data: Data, out: Path) -> ClassModels:
    """The models of a cell of all documents, as they were kept."""
    models = load_models(out / cell.name, len(data.classes))
    return ClassModels(models, _tensors(cell, data, out)[MIDDLE])


def told_models(cell: Cell, data: Data, out: Path) -> ClassModels:
    """The same after they were told apart."""
    models = load_models(told_folder(cell, out), len(data.classes))
    return ClassModels(models, _tensors(cell, data, out)[TOLD_MIDDLE])


def documents_of(cell: Cell, data: Data) -> int:
    """How many training documents a cell scores: those of its fold, or all."""
    return len(data.fold) if cell.fold is None else int(np.count_nonzero(data.fold == cell.fold))


def _tensors(cell: Cell, data: Data, out: Path) -> dict[str, Array]:
    return read_finite(_place(cell, out), _shapes(cell, data))


def energies_in(cell: Cell, data: Data, out: Path) -> Energies:
    """Those of one cell, as they were kept."""
    found = _tensors(cell, data, out)
    parts: dict[str, dict[str, Array]] = {"train": {}, "test": {}}
    for name, x in found.items():
        part, _, pool = name.partition(".")
        if pool:
            parts[part][pool] = x
    return Energies(**parts)


def _shapes(cell: Cell, data: Data) -> dict[str, tuple[int, ...]]:
    C, documents = len(data.classes), documents_of(cell, data)
    names = (*NAMES, APART) if cell.variant.apart else NAMES
    shapes: dict[str, tuple[int, ...]] = {f"train.{name}": (documents, C) for name in names}
    terms = cell.variant.hidden + 1
    if cell.fold is None:
        shapes |= {f"test.{name}": (len(data.test), C) for name in names}
    elif cell.variant.background:
        for part, count in (("train", documents), ("test", len(data.test))):
            shapes[f"{part}.{UNITS}"] = count, terms * contrast_count(C)
    middles = (MIDDLE, TOLD_MIDDLE) if cell.variant.apart else (MIDDLE,)
    return shapes | dict.fromkeys(middles, (C,))
