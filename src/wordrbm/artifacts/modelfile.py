"""A trained model as a folder: `model.safetensors`, `vocabulary.tsv`, and what the run noted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from reprlib import repr as brief
from typing import Any, final

import numpy as np
from jaxtyping import Float32, Float64, Int, Int32

from wordrbm.artifacts.likelihoodfile import read_log_Z
from wordrbm.artifacts.tensors import Shape, read_head, read_tensors, write_tensors
from wordrbm.artifacts.vectors import Vectors
from wordrbm.artifacts.whitening import Whitening, fit_whitening
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.shapes import Array
from wordrbm.storage import make_folder
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, check_settings
from wordrbm.using.dreams import sample
from wordrbm.using.energies import GivenWindows, checked_ids, free_energy
from wordrbm.using.features import hidden
from wordrbm.using.fill import Filled, fill
from wordrbm.using.scoring import Score, score
from wordrbm.using.unknown import infer_vector
from wordrbm.using.words import Sentence, TextWithBlanks, decode

MODEL = "model.safetensors"
VOCABULARY = "vocabulary.tsv"
METRICS = "metrics.jsonl"
TIMES = "times.jsonl"
# Settings of models trained before there were any of these.
EARLIER: dict[str, Any] = {
    "jumps": 0, "averaging": 0, "hidden_bias": 0.0, "warmup_share": None, "objective": "sml",
} | {
    name: TrainingSettings.model_fields[name].default
    for name in ("reservoir", "ranking_weight", "candidates")
}  # fmt: skip
# Settings of proposals by clusters, which training has no more.
REMOVED = {"operator", "cluster_steps", "single_words", "word_groups"}


@final
@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model with its words and the settings that made it."""

    rbm: WordRepRBM
    vocabulary: Vocabulary
    settings: TrainingSettings
    corpus: str = ""  # the SHA-256 of the word ids it was trained on
    folder: Path | None = None  # where it was loaded from

    @cached_property
    def vectors(self) -> Vectors:
        """One vector per word: the rows of D, centred and whitened by word frequency.

        Cosines do not depend on how the model factorises its weights (`artifacts/whitening.py`).
        """
        return Vectors(self.vocabulary.words, self._whitening(self.rbm.D))

    @cached_property
    def raw_vectors(self) -> Vectors:
        """One vector per word: the rows of D as trained."""
        return Vectors(self.vocabulary.words, self.rbm.D)

    @cached_property
    def _whitening(self) -> Whitening:
        return fit_whitening(self.rbm.D, self.vocabulary.probability())

    def hidden(self, sentences: Iterable[Sentence]) -> list[Float32[np.ndarray, "N H"]]:
        """``P(h_j = 1 | v)`` of every window of every sentence, an array (windows, H) for each."""
        return hidden(self.rbm, self.vocabulary, sentences)

    def free_energy(self, windows: GivenWindows) -> Float64[np.ndarray, " N"]:
        """``F(v)`` of windows, given as word ids (N, n) or as texts of exactly n words."""
        return free_energy(self.rbm, self.vocabulary, windows)

    @cached_property
    def log_Z(self) -> float:
        """The logarithm of the partition function, as `wordrbm likelihood` stored it."""
        return read_log_Z(self.folder, self.rbm)

    def log_likelihood(self, windows: GivenWindows) -> Float64[np.ndarray, " N"]:
        """``log P(v) = -F(v) - log Z`` of windows, given as to `free_energy`, in nats.

        Needs the log Z that `wordrbm likelihood MODEL CORPUS` stores. A longer text has no
        probability under a model of windows: give its windows of n words and take their mean.
        """
        log_Z = self.log_Z
        return -self.free_energy(windows) - log_Z

    def fill(self, text: TextWithBlanks, count: int = 10) -> Filled:
        """The likeliest words for every blank (`___` or None) of a text."""
        return fill(self.rbm, self.vocabulary, text, count)

    def infer_vector(self, text: TextWithBlanks, *, raw: bool = False) -> Float32[np.ndarray, " d"]:
        """The expected vector of the word at the one blank of a text.

        It lies in the space of `vectors`, or of `raw_vectors` if `raw`.
        """
        expected = infer_vector(self.rbm, self.vocabulary, text)
        return (expected if raw else self._whitening(expected)).astype(np.float32)

    def score(self, sentences: Iterable[Sentence], costly: int = 3) -> Iterator[Score]:
        """The free energy of every sentence and its costliest words, as they are asked for."""
        return score(self.rbm, self.vocabulary, sentences, costly)

    def sample(
        self, seed: int | np.random.Generator, count: int = 10, sweeps: int = 1000
    ) -> Int32[np.ndarray, "N n"]:
        """The word ids of windows dreamt by the model; `words` decodes them."""
        steps = self.settings.mh_steps
        return sample(self.rbm, self.vocabulary, seed, count, sweeps, mh_steps=steps)

    def words(self, windows: Int[np.ndarray, "N n"]) -> list[list[str]]:
        """The words of windows of ids."""
        v = checked_ids(windows, self.rbm.positions, len(self.vocabulary))
        return decode(self.vocabulary, v)


def save(folder: Path, model: TrainedModel) -> None:
    """Write the folder; the model file comes last, so its presence means the rest is there."""
    make_folder(folder)
    model.vocabulary.write(folder / VOCABULARY)
    head = {"kind": "wordrep", **describe(model)}
    write_tensors(folder / MODEL, model.rbm.parameters(), head)


def describe(model: TrainedModel) -> dict[str, Any]:
    """What a head says of a model: its sizes and settings, its vocabulary and corpus by SHA-256."""
    n, H, d = model.rbm.U.shape
    return {
        "sizes": {"n": n, "H": H, "d": d, "K": model.rbm.b.size},
        "settings": model.settings.model_dump(),
        "vocabulary": model.vocabulary.digest(),
        "corpus": model.corpus,
    }


def load(path: str | Path) -> TrainedModel:
    """Load a trained model from its folder."""
    folder = Path(path)
    head = read_head(folder / MODEL)
    if head.get("kind") != "wordrep":
        raise WordRBMError(f"{folder / MODEL} is a {brief(head.get('kind'))}, not a word model.")
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    if vocabulary.digest() != head.get("vocabulary"):
        raise WordRBMError(
            f"{folder / VOCABULARY} is not the vocabulary {MODEL} was trained with; "
            "put back the file that `wordrbm train` wrote."
        )
    settings = settings_of(folder / MODEL, head)
    found = read_tensors(folder / MODEL, shapes_of(len(vocabulary), settings))
    rbm = from_parameters(folder / MODEL, found)
    return TrainedModel(rbm, vocabulary, settings, str(head.get("corpus", "")), folder)


def settings_of(path: Path, head: dict[str, Any]) -> TrainingSettings:
    """The settings in a head, which must be whole."""
    settings = head.get("settings")
    if not isinstance(settings, dict):
        raise WordRBMError(f"{path} has no settings in its head; train the model again.")
    return check_settings(as_now(settings))


def as_now(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model trained by an earlier version, by the names of today."""
    return EARLIER | {name: value for name, value in settings.items() if name not in REMOVED}


def shapes_of(K: int, settings: TrainingSettings) -> dict[str, Shape]:
    """The arrays of a model of K words with these settings."""
    n, H, d = settings.window, settings.hidden, settings.dimension
    return {"D": (K, d), "U": (n, H, d), "b": (K,), "c": (H,)}


def from_parameters(path: Path, found: dict[str, Array]) -> WordRepRBM:
    """The model made of these arrays, if they are floats of one kind and are finite."""
    D, U, b, c = (found[name] for name in "DUbc")
    kinds = {str(x.dtype) for x in (D, U, b, c)}
    if len(kinds) > 1 or not np.issubdtype(D.dtype, np.floating):
        raise WordRBMError(f"{path} holds arrays of {sorted(kinds)}, not of one kind of float.")
    if not all(np.isfinite(x).all() for x in (D, U, b, c)):
        raise WordRBMError(f"{path} holds numbers that are not finite; train the model again.")
    return WordRepRBM(D=D, U=position_inner(U), b=b, c=c)
