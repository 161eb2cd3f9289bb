"""The model that all cells of a variant and a seed start from: of documents without classes.

It has read all training documents, or the unlabelled ones, and is kept beside the cells.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wordrbm.classification.class_models import Pause, pretrain
from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import MODEL
from wordrbm.models import WordRepRBM
from wordrbm.run.in_memory import OnUpdate
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.variant import Cell, Variant
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save

ANY_SIZE = 10**9


def vocabulary_for(variant: Variant, data: Data) -> Vocabulary:
    """The words of the training documents, and of the unlabelled ones if they are used.

    It is one for all folds: of a fold's documents the models of the others know which words occur.
    """
    read = data.train.read
    if variant.unlabelled and data.unlabelled is not None:
        read = read.concat(data.unlabelled.read)
    found = read.vocabulary(ANY_SIZE, variant.min_count)
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


def has_start(cell: Cell, out: Path) -> bool:
    """Whether the model that a cell starts from is on disk."""
    return (start_of(cell, out) / MODEL).exists()


def start_of(cell: Cell, out: Path) -> Path:
    """The folder of that model."""
    return out / f"{cell.variant._replace(apart=0).name}-seed{cell.seed}-start"


def background_of(
    cell: Cell, source: Source, vocabulary: Vocabulary, tell: OnUpdate
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
        texts = part.read.encode(vocabulary).pad(variant.window)
        rbm = pretrain(texts, vocabulary, settings, 1, tell)
        save(folder, TrainedModel(rbm, vocabulary, settings, digest))
    found = load(folder)
    made = found.corpus, found.vocabulary.digest(), found.settings
    if made != (digest, vocabulary.digest(), variant.start_settings(cell.seed)):
        raise WordRBMError(
            f"{folder} is of other documents or settings; use another --out, or remove it."
        )
    return found.rbm
