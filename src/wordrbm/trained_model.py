"""`TrainedModel`: what a trained model can do, a facade over `io` and `inference`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np
from jaxtyping import Float32, Float64, Int32
from numpy.typing import ArrayLike

from wordrbm.inference.features import sentence_features
from wordrbm.inference.fill import Filled, fill, infer_vector
from wordrbm.inference.generate import sample_windows
from wordrbm.inference.inputs import Sentence, TextWithBlanks, decode_windows
from wordrbm.inference.scoring import (
    Score,
    WindowsLike,
    check_window_ids,
    free_energy,
    score_sentences,
)
from wordrbm.inference.whitening import Whitening, fit_whitening
from wordrbm.io.model_file import StoredModel, read_log_Z, read_model, write_model
from wordrbm.io.vectors import Vectors
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings


@final
@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A trained RBM with its vocabulary and training settings."""

    rbm: WordRepRBM
    vocabulary: Vocabulary
    settings: TrainingSettings
    corpus: str = ""  # SHA-256 of the word ids of the training corpus
    folder: Path | None = None  # where it was loaded from

    @cached_property
    def vectors(self) -> Vectors:
        """One vector per word: the rows of D, centred and whitened by word frequency.

        Cosines do not depend on how the model factorises its weights, see `fit_whitening`.
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
        return sentence_features(self.rbm, self.vocabulary, sentences)

    def free_energy(self, windows: WindowsLike) -> Float64[np.ndarray, " N"]:
        """``F(v)`` of windows, given as word ids (N, n) or as texts of exactly n words."""
        return free_energy(self.rbm, self.vocabulary, windows)

    @cached_property
    def log_Z(self) -> float:
        """The logarithm of the partition function, as `wordrbm likelihood` stored it."""
        return read_log_Z(self.folder, self.rbm)

    def log_likelihood(self, windows: WindowsLike) -> Float64[np.ndarray, " N"]:
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

    def score(self, sentences: Iterable[Sentence], top_words: int = 3) -> Iterator[Score]:
        """Iterate over the free energy of every sentence and its most surprising words."""
        return score_sentences(self.rbm, self.vocabulary, sentences, top_words)

    def sample(
        self, seed: int | np.random.Generator, count: int = 10, sweeps: int = 1000
    ) -> Int32[np.ndarray, "N n"]:
        """Word ids of windows sampled from P(v) by Markov chains; `words` decodes them."""
        steps = self.settings.mh_steps
        return sample_windows(self.rbm, self.vocabulary, seed, count, sweeps, mh_steps=steps)

    def words(self, windows: ArrayLike) -> list[list[str]]:
        """The words of windows of ids."""
        v = check_window_ids(windows, self.rbm.positions, len(self.vocabulary))
        return decode_windows(self.vocabulary, v)


def save(folder: Path, model: TrainedModel) -> None:
    """Save a trained model as a folder."""
    write_model(folder, StoredModel(model.rbm, model.vocabulary, model.settings, model.corpus))


def load(path: str | Path) -> TrainedModel:
    """Load a trained model from its folder."""
    folder = Path(path)
    return TrainedModel(*read_model(folder), folder=folder)
