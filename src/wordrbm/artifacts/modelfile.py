"""A trained model as a folder: `model.safetensors`, `vocabulary.tsv`, `metrics.jsonl`."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np

from wordrbm.artifacts.tensors import read_head, read_tensors, write_tensors
from wordrbm.artifacts.vectors import Vectors
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.shapes import Array
from wordrbm.storage import make_folder
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, check_settings

MODEL = "model.safetensors"
VOCABULARY = "vocabulary.tsv"
METRICS = "metrics.jsonl"
NAMES = {"D", "U", "b", "c"}


@final
@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model with its words and the settings that made it."""

    rbm: WordRepRBM
    vocabulary: Vocabulary
    settings: TrainingSettings

    @cached_property
    def vectors(self) -> Vectors:
        """One vector per word: the rows of D."""
        return Vectors(self.vocabulary.words, self.rbm.D)


def save(folder: Path, model: TrainedModel) -> None:
    """Write the folder; the model file comes last, so its presence means the rest is there."""
    make_folder(folder)
    model.vocabulary.write(folder / VOCABULARY)
    head = describe(model.rbm, model.vocabulary, model.settings)
    write_tensors(folder / MODEL, model.rbm.parameters(), {"kind": "wordrep", **head})


def describe(rbm: WordRepRBM, vocabulary: Vocabulary, settings: TrainingSettings) -> dict[str, Any]:
    """What a head says of a model: sizes, settings and which vocabulary it goes with."""
    n, H, d = rbm.U.shape
    return {
        "sizes": {"n": n, "H": H, "d": d, "K": rbm.b.size},
        "settings": settings.model_dump(),
        "vocabulary": vocabulary.digest(),
    }


def load(path: str | Path) -> TrainedModel:
    """Load a trained model from its folder."""
    folder = Path(path)
    head = read_head(folder / MODEL)
    if head.get("kind") != "wordrep":
        raise WordRBMError(f"{folder / MODEL} is a {head.get('kind')!r}, not a word model.")
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    if vocabulary.digest() != head.get("vocabulary"):
        raise WordRBMError(
            f"{folder / VOCABULARY} is not the vocabulary {MODEL} was trained with; "
            "put back the file that `wordrbm train` wrote."
        )
    settings = settings_of(folder / MODEL, head)
    found = read_tensors(folder / MODEL, NAMES)
    return TrainedModel(
        from_parameters(folder / MODEL, found, len(vocabulary), settings), vocabulary, settings
    )


def settings_of(path: Path, head: dict[str, Any]) -> TrainingSettings:
    """The settings in a head, which must be whole."""
    settings = head.get("settings")
    if not isinstance(settings, dict):
        raise WordRBMError(f"{path} has no settings in its head; train the model again.")
    return check_settings(settings)


def from_parameters(
    path: Path, found: dict[str, Array], K: int, settings: TrainingSettings
) -> WordRepRBM:
    """The model made of these arrays, if they fit the settings, are floats and are finite."""
    D, U, b, c = (found[name] for name in "DUbc")
    n, H, d = settings.window, settings.hidden, settings.dimension
    fits = D.shape == (K, d) and U.shape == (n, H, d) and b.shape == (K,) and c.shape == (H,)
    if not (fits and {x.dtype for x in (D, U, b, c)} == {D.dtype}):
        shapes = {name: found[name].shape for name in "DUbc"}
        raise WordRBMError(f"{path} holds arrays that do not fit together: {shapes}, K = {K}.")
    if not all(np.issubdtype(x.dtype, np.floating) and np.isfinite(x).all() for x in (D, U, b, c)):
        raise WordRBMError(f"{path} holds numbers that are not finite; train the model again.")
    return WordRepRBM(D=D, U=position_inner(U), b=b, c=c)
