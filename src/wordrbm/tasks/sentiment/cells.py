"""Cells of an experiment: class models trained, documents scored, the numbers kept on disk.

A cell that is on disk is not trained again, so an experiment that was stopped goes on where it
was. `train` are the energies of the documents that the models have not seen, those of the fold;
in the cell of all documents they are those of the documents seen, as the paper has it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64
from sklearn.model_selection import StratifiedKFold

from wordrbm.artifacts import TrainedModel, load
from wordrbm.artifacts.modelfile import MODEL, save
from wordrbm.artifacts.tensors import read_head, read_tensors, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.estimators.class_models import (
    ClassModels,
    Pause,
    Schedule,
    Texts,
    centred,
    texts_of,
    train_background,
    train_class_models,
)
from wordrbm.estimators.documents import joined, vocabulary_of
from wordrbm.models import WordRepRBM
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.pools import POOLS, pooled
from wordrbm.tasks.sentiment.variant import CHAINS, FOLDS, Cell, Variant, cells_of
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import Progress

FOLD_SEED, ANY_SIZE = 0, 10**9
METHOD = 1  # how energies are pooled; cells of another are not taken
NAMES = ("mean", *POOLS)

Tell = Callable[[Progress], None]


class Energies(NamedTuple):
    """What a cell gives, by pool: for training documents, and for test documents if it saw all."""

    train: Mapping[str, Float64[np.ndarray, "N C"]]
    test: Mapping[str, Float64[np.ndarray, "M C"]]


def fold_of(label: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " N"]:
    """The fold of every training document."""
    fold = np.empty(len(label), np.int64)
    cut = StratifiedKFold(FOLDS, shuffle=True, random_state=FOLD_SEED)
    for number, (_, here) in enumerate(cut.split(label, label)):
        fold[here] = number
    return fold


def vocabulary_for(variant: Variant, data: Data) -> Vocabulary:
    """The words of the training documents, and of the unlabelled ones if they are used.

    It is one for all folds: of a fold's documents the models of the others know which words occur.
    """
    read = data.train.read
    if variant.unlabelled and data.unlabelled is not None:
        read = joined(read, data.unlabelled.read)
    found = vocabulary_of(read, ANY_SIZE, variant.min_count)
    if len(found) < 2:
        raise WordRBMError(
            f"No word was seen {variant.min_count} times; use a smaller --min-count."
        )
    return found


class Source(NamedTuple):
    """What cells are computed from, and where they are kept."""

    data: Data
    out: Path
    pause: Pause  # raises when the run is told to stop


def compute(cell: Cell, source: Source, tell: Tell) -> None:
    """Train the models of a cell, score documents, and keep the numbers."""
    data, out, n = source.data, source.out, cell.variant.window
    vocabulary, fold = vocabulary_for(cell.variant, data), fold_of(data.train.label)
    train, seen = texts_of(data.train.read, vocabulary, n), np.flatnonzero(fold != cell.fold)
    models = _trained(cell, source, vocabulary, train, seen, tell)
    scored = train if cell.fold is None else train.chosen(np.flatnonzero(fold == cell.fold))
    found = {f"train.{name}": x for name, x in _scored(models, scored, source.pause).items()}
    if cell.fold is None:
        test = texts_of(data.test.read, vocabulary, n)
        found |= {f"test.{name}": x for name, x in _scored(models, test, source.pause).items()}
        for c, model in enumerate(models.models):
            save(out / cell.name / f"class-{c}", model)
    found["middle"] = models.middle
    write_tensors(place(cell, out), found, _head(cell, data))


def _trained(
    cell: Cell, source: Source, vocabulary: Vocabulary, train: Texts,
    seen: Int64[np.ndarray, " S"], tell: Tell,
) -> ClassModels:  # fmt: skip
    """The models of the documents seen."""
    data = source.data
    texts, label = train.chosen(seen), data.train.label[seen]
    models = train_class_models(
        texts, label, vocabulary, schedule_of(cell, len(data.classes)),
        start=background_of(cell, source, vocabulary, tell), tell=tell,
    )  # fmt: skip
    return centred(models, texts, label, source.pause)


def place(cell: Cell, out: Path) -> Path:
    """The file of a cell."""
    return out / f"{cell.name}.safetensors"


def is_done(cell: Cell, data: Data, out: Path) -> bool:
    """Whether a cell is on disk; it must then be of these documents."""
    path = place(cell, out)
    if not path.exists():
        return False
    found = {name: read_head(path).get(name) for name in _head(cell, data)}
    if found != _head(cell, data):
        raise WordRBMError(
            f"{path} is of other documents, or was made in another way; use another --out, or "
            "remove it."
        )
    return True


def _head(cell: Cell, data: Data) -> dict[str, Any]:
    """What a cell was made from and how, beside what its name says."""
    return {
        "kind": "energies",
        "data": data.digest,
        "unlabelled": data.more_digest if cell.variant.unlabelled else "",
        "method": [METHOD, FOLDS, FOLD_SEED, CHAINS],
    }


def schedule_of(cell: Cell, classes: int) -> Schedule:
    """How the models of a cell are trained."""
    variant, seed = cell.variant, cell.seed
    background = variant.settings(variant.background, seed) if variant.background else None
    return Schedule(background, [variant.settings(variant.windows, seed)] * classes)


def work_of(cell: Cell, classes: int) -> int:
    """The windows that a cell reads."""
    own = 0 if cell.variant.unlabelled else cell.variant.background
    return own + classes * cell.variant.windows


def background_of(
    cell: Cell, source: Source, vocabulary: Vocabulary, tell: Tell
) -> WordRepRBM | None:
    """The model of unlabelled documents, which all cells of a variant and a seed start from."""
    variant = cell.variant
    if not variant.unlabelled or not variant.background:
        return None
    folder = source.out / f"{variant.name}-seed{cell.seed}-start"
    if not (folder / MODEL).exists():
        assert source.data.unlabelled is not None
        settings = variant.settings(variant.background, cell.seed)
        texts = texts_of(source.data.unlabelled.read, vocabulary, variant.window)
        rbm = train_background(texts, vocabulary, settings, tell)
        save(folder, TrainedModel(rbm, vocabulary, settings, source.data.more_digest))
    found = load(folder)
    if (found.corpus, found.vocabulary.digest()) != (source.data.more_digest, vocabulary.digest()):
        raise WordRBMError(f"{folder} is of other documents; use another --out, or remove it.")
    return found.rbm


def gathered(variant: Variant, seed: int, data: Data, out: Path) -> tuple[Energies, Energies]:
    """The energies by models that have not seen a training document, and by those that have."""
    fold, cells = fold_of(data.train.label), cells_of(variant, seed)
    found = {cell.fold: _read(cell, data, out) for cell in cells}
    whole = found[None]
    unseen = {name: np.empty_like(whole.train[name]) for name in NAMES}
    for name in NAMES:
        for number in range(FOLDS):
            unseen[name][fold == number] = found[number].train[name]
    return Energies(unseen, whole.test), whole


def class_models(cell: Cell, data: Data, out: Path) -> ClassModels:
    """The models of a cell of all documents, as they were kept."""
    folder, C = out / cell.name, len(data.classes)
    models = tuple(load(folder / f"class-{c}") for c in range(C))
    middle = read_tensors(place(cell, out), _shapes(cell, data))["middle"]
    return ClassModels(models, middle)


def _read(cell: Cell, data: Data, out: Path) -> Energies:
    found = read_tensors(place(cell, out), _shapes(cell, data))
    test = NAMES if cell.fold is None else ()
    return Energies(
        {name: found[f"train.{name}"] for name in NAMES},
        {name: found[f"test.{name}"] for name in test},
    )


def _shapes(cell: Cell, data: Data) -> dict[str, tuple[int, ...]]:
    C, fold = len(data.classes), fold_of(data.train.label)
    documents = len(fold) if cell.fold is None else int(np.count_nonzero(fold == cell.fold))
    shapes: dict[str, tuple[int, ...]] = {f"train.{name}": (documents, C) for name in NAMES}
    if cell.fold is None:
        shapes |= {f"test.{name}": (len(data.test), C) for name in NAMES}
    return shapes | {"middle": (C,)}


def _scored(
    models: ClassModels, texts: Texts, pause: Pause
) -> dict[str, Float64[np.ndarray, "N C"]]:
    none, each = np.zeros(len(models.models)), list[dict[str, Float64[np.ndarray, " C"]]]()
    for ids in texts.each():
        pause()
        each.append(pooled(models.window_energies(ids)) if ids.size else {})
    return {name: np.array([one.get(name, none) for one in each]) for name in NAMES}
