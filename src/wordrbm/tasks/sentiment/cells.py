"""Cells of an experiment: class models trained, documents scored, the numbers kept (`kept.py`).

A cell that is on disk is not trained again, so an experiment that was stopped goes on where it
was. `train` are the energies of the documents that the models have not seen, those of the fold;
in the cell of all documents they are those of the documents seen, as the paper has it. Energies by
unit are of unseen documents alone: a cell of a fold has those of the fold and of the test, for a
layer over units knows only the models that it has learnt from (`rows.py`).

All cells of a variant and a seed start from one background, which has read all training documents
without their classes, or the unlabelled ones. If classes are then told apart, energies of those
models are kept beside the others; of the cell of all documents both models are.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from wordrbm.artifacts import TrainedModel, load
from wordrbm.artifacts.modelfile import MODEL, save
from wordrbm.errors import WordRBMError
from wordrbm.estimators.apart import Apart, told_apart
from wordrbm.estimators.class_models import (
    ClassModels,
    Pause,
    Texts,
    centred,
    texts_of,
    train_background,
    train_class_models,
)
from wordrbm.estimators.classifier_file import save_models
from wordrbm.estimators.documents import joined, vocabulary_of
from wordrbm.estimators.learning import Tell
from wordrbm.estimators.views import compared
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.kept import (
    APART,
    MIDDLE,
    NAMES,
    TOLD_MIDDLE,
    UNITS,
    keep,
    told_folder,
)
from wordrbm.tasks.sentiment.pools import pooled
from wordrbm.tasks.sentiment.variant import FOLDS, Cell, Variant
from wordrbm.text.vocabulary import Vocabulary

ANY_SIZE = 10**9


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
    gain: Callable[[float, str], None]  # shows that so many windows more are read, of which cell


def compute(cell: Cell, source: Source, tell: Tell) -> None:
    """Train the models of a cell, score documents, and keep the numbers."""
    data, n = source.data, cell.variant.window
    vocabulary, fold = vocabulary_for(cell.variant, data), data.fold
    train, seen = texts_of(data.train.read, vocabulary, n), np.flatnonzero(fold != cell.fold)
    own, label = train.chosen(seen), data.train.label[seen]
    models = centred(_trained(cell, source, vocabulary, own, label, tell), own, label, source.pause)
    scored = train if cell.fold is None else train.chosen(np.flatnonzero(fold == cell.fold))
    parts = {"train": scored, "test": texts_of(data.test.read, vocabulary, n)}
    found = _untold(cell, models, parts, source)
    if cell.variant.apart:
        found |= _told(cell, _apart(cell, models, own, label, source), parts, source)
    keep(cell, data, source.out, found)


def _trained(
    cell: Cell, source: Source, vocabulary: Vocabulary, texts: Texts,
    label: Int64[np.ndarray, " S"], tell: Tell,
) -> tuple[TrainedModel, ...]:  # fmt: skip
    """The models of the documents seen."""
    settings = [cell.variant.settings(cell.seed)] * len(source.data.classes)
    start = background_of(cell, source, vocabulary, tell)
    return train_class_models(texts, label, vocabulary, settings, start=start, tell=tell)


def _apart(
    cell: Cell, models: ClassModels, texts: Texts, label: Int64[np.ndarray, " S"], source: Source
) -> ClassModels:
    """The same models after they were told apart."""
    how, gain = Apart(passes=cell.variant.apart), source.gain
    found = told_apart(models, texts, label, how, lambda windows: gain(windows, cell.name))
    return centred(found, texts, label, source.pause)


def _untold(
    cell: Cell, models: ClassModels, parts: Mapping[str, Texts], source: Source
) -> dict[str, Array]:
    """What is kept of models that each know their class: all pools, and of a fold's the units."""
    found: dict[str, Array] = {MIDDLE: models.middle}
    for part, texts in parts.items():
        if part == "train" or cell.fold is None:
            pools = _scored(models, texts, source.pause)
            found |= {f"{part}.{name}": x for name, x in pools.items()}
        if cell.fold is not None and cell.variant.background:
            found[f"{part}.{UNITS}"] = compared(models.units(texts, source.pause))
    if cell.fold is None:
        save_models(source.out / cell.name, models.models)
    return found


def _told(
    cell: Cell, models: ClassModels, parts: Mapping[str, Texts], source: Source
) -> dict[str, Array]:
    """What is kept of models told apart: of a fold's the energies of that fold alone."""
    found: dict[str, Array] = {TOLD_MIDDLE: models.middle}
    for part, texts in parts.items():
        if part == "train" or cell.fold is None:
            found[f"{part}.{APART}"] = models.energies(texts, source.pause)
    if cell.fold is None:
        save_models(told_folder(cell, source.out), models.models)
    return found


def work_of(cell: Cell, data: Data) -> int:
    """About how many windows a cell reads."""
    seen = len(data.train.read.ids) * (1.0 if cell.fold is None else 1.0 - 1.0 / FOLDS)
    return len(data.classes) * (cell.variant.windows + round(cell.variant.apart * seen))


def has_start(cell: Cell, out: Path) -> bool:
    """Whether the model that a cell starts from is on disk."""
    return (start_of(cell, out) / MODEL).exists()


def start_of(cell: Cell, out: Path) -> Path:
    """The folder of that model."""
    return out / f"{cell.variant._replace(apart=0).name}-seed{cell.seed}-start"


def background_of(
    cell: Cell, source: Source, vocabulary: Vocabulary, tell: Tell
) -> WordRepRBM | None:
    """The model of documents without classes that all cells of a variant and a seed start from."""
    variant, data = cell.variant, source.data
    if not variant.background:
        return None
    folder = start_of(cell, source.out)
    digest = data.more_digest if variant.unlabelled else data.digest
    if not has_start(cell, source.out):
        part = data.unlabelled if variant.unlabelled else data.train
        assert part is not None
        settings = variant.start_settings(cell.seed)
        texts = texts_of(part.read, vocabulary, variant.window)
        rbm = train_background(texts, vocabulary, settings, 1, tell)
        save(folder, TrainedModel(rbm, vocabulary, settings, digest))
    found = load(folder)
    made = found.corpus, found.vocabulary.digest(), found.settings
    if made != (digest, vocabulary.digest(), variant.start_settings(cell.seed)):
        raise WordRBMError(
            f"{folder} is of other documents or settings; use another --out, or remove it."
        )
    return found.rbm


def _scored(
    models: ClassModels, texts: Texts, pause: Pause
) -> dict[str, Float64[np.ndarray, "N C"]]:
    """The energies of every document, by pool."""
    none, each = np.zeros(len(models.models)), list[dict[str, Float64[np.ndarray, " C"]]]()
    for ids in texts.each():
        pause()
        each.append(pooled(models.window_energies(ids)) if ids.size else {})
    return {name: np.array([one.get(name, none) for one in each]) for name in NAMES}
