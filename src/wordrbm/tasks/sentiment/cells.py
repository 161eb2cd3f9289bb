"""Cells of an experiment: class models trained, documents scored, the numbers kept (`kept.py`).

A cell that is on disk is not trained again, so an experiment that was stopped goes on where it
was. `train` are the energies of the documents that the models have not seen, those of the fold;
in the cell of all documents they are those of the documents seen, as the paper has it. Energies by
unit are of unseen documents alone: a cell of a fold has those of the fold and of the test, for a
layer over units knows only the models that it has learnt from (`rows.py`).

All cells of a variant and a seed start from one background, which has read all training documents
without their classes, or the unlabelled ones. If classes are then told apart, energies of those
models are kept beside the others. All models are kept: what is guessed of unlabelled documents
goes on from them (`guessing.py`).
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float64, Int64

from wordrbm.classification.calibration import contrast
from wordrbm.classification.class_models import (
    ClassModels,
    Pause,
    center_energies,
    train_class_models,
    unit_centers,
)
from wordrbm.classification.classifier_file import save_models
from wordrbm.classification.documents import DocumentIds
from wordrbm.classification.finetune import FinetuneSettings, finetune
from wordrbm.run.in_memory import OnUpdate
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.energy_contrasts import centered_unit_energies
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
from wordrbm.tasks.sentiment.starts import Source, background_of, vocabulary_for
from wordrbm.tasks.sentiment.variant import FOLDS, Cell
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel


def compute(cell: Cell, source: Source, tell: OnUpdate) -> None:
    """Train the models of a cell, score documents, and keep the numbers."""
    data, n = source.data, cell.variant.window
    vocabulary, fold = vocabulary_for(cell.variant, data), data.fold
    train = data.train.read.encode(vocabulary).pad(n)
    seen = np.flatnonzero(fold != cell.fold)
    own, label = train.select(seen), data.train.label[seen]
    trained = _trained(cell, source, vocabulary, own, label, tell)
    models = center_energies(trained, own, label, source.pause)
    scored = train if cell.fold is None else train.select(np.flatnonzero(fold == cell.fold))
    parts = {"train": scored, "test": data.test.read.encode(vocabulary).pad(n)}
    found = _untold(cell, models, parts, source)
    if cell.fold is not None and cell.variant.background:
        centers = unit_centers(trained, own, label, source.pause)
        for part, texts in parts.items():
            units = centered_unit_energies(models, centers, texts, source.pause)
            found[f"{part}.{UNITS}"] = contrast(units)
    if cell.variant.apart:
        found |= _told(cell, _apart(cell, models, own, label, source), parts, source)
    keep(cell, data, source.out, found)


def _trained(
    cell: Cell, source: Source, vocabulary: Vocabulary, texts: DocumentIds,
    label: Int64[np.ndarray, " S"], tell: OnUpdate,
) -> tuple[TrainedModel, ...]:  # fmt: skip
    """The models of the documents seen."""
    settings = [cell.variant.settings(cell.seed)] * len(source.data.classes)
    start = background_of(cell, source, vocabulary, tell)
    return train_class_models(texts, label, vocabulary, settings, init=start, on_update=tell)


def _apart(
    cell: Cell,
    models: ClassModels,
    texts: DocumentIds,
    label: Int64[np.ndarray, " S"],
    source: Source,
) -> ClassModels:
    """The same models after they were told apart."""
    how, gain = FinetuneSettings(epochs=cell.variant.apart), source.gain
    return finetune(models, texts, label, how, lambda windows: gain(windows, cell.name))


def _untold(
    cell: Cell, models: ClassModels, parts: Mapping[str, DocumentIds], source: Source
) -> dict[str, Array]:
    """What is kept of models that each know their class: all pools."""
    found: dict[str, Array] = {MIDDLE: models.center}
    for part, texts in parts.items():
        if part == "train" or cell.fold is None:
            pools = _scored(models, texts, source.pause)
            found |= {f"{part}.{name}": x for name, x in pools.items()}
    save_models(source.out / cell.name, models.models)
    return found


def _told(
    cell: Cell, models: ClassModels, parts: Mapping[str, DocumentIds], source: Source
) -> dict[str, Array]:
    """What is kept of models told apart: of a fold's the energies of that fold alone."""
    found: dict[str, Array] = {TOLD_MIDDLE: models.center}
    for part, texts in parts.items():
        if part == "train" or cell.fold is None:
            found[f"{part}.{APART}"] = models.energies(texts, source.pause)
    save_models(told_folder(cell, source.out), models.models)
    return found


def work_of(cell: Cell, data: Data) -> int:
    """About how many windows a cell reads."""
    seen = len(data.train.read.documents.ids) * (1.0 if cell.fold is None else 1.0 - 1.0 / FOLDS)
    return len(data.classes) * (cell.variant.windows + round(cell.variant.apart * seen))


def _scored(
    models: ClassModels, texts: DocumentIds, pause: Pause
) -> dict[str, Float64[np.ndarray, "N C"]]:
    """The energies of every document, by pool."""
    none, each = np.zeros(len(models.models)), list[dict[str, Float64[np.ndarray, " C"]]]()
    for ids in texts:
        pause()
        each.append(pooled(models.window_energies(ids)) if ids.size else {})
    return {name: np.array([one.get(name, none) for one in each]) for name in NAMES}
