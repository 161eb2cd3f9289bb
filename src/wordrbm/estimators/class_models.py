"""One word model for each class of documents: under which of them is a text likeliest?

    log P(v | class c) = -F_c(v) - log Z_c                              [Dahl 2012, section 6.3]

All start from one background model of the documents of every class: what the classes share is
learnt once, and cancels in a difference of energies. The Z_c are not known, and differ from run to
run, so the energies of a model are taken from a middle: the mean of the classes' means over the
documents it was trained on, each class as heavy as every other. So is every term of them, unit by
unit (`unit_energies.py`); the middle of an energy is the sum of those of its terms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float32, Float64, Int32, Int64

from wordrbm.estimators.documents import Read, chosen
from wordrbm.estimators.learning import Tell, further, learnt, text_learner
from wordrbm.estimators.unit_energies import BLOCK, unit_energies, window_unit_energies, windows_of
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.text.windows import Windows
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

Pause = Callable[[], None]  # called before each document, where a run may be told to stop


class Texts(NamedTuple):
    """Documents as ids of a vocabulary, one after another; none is shorter than a window but 0."""

    ids: Int32[np.ndarray, " T"]
    ends: Int64[np.ndarray, " N"]

    def __len__(self) -> int:
        return len(self.ends)

    def each(self) -> Iterator[Int32[np.ndarray, " t"]]:
        """The ids of every document."""
        begin = 0
        for end in self.ends.tolist():
            yield self.ids[begin:end]
            begin = end

    def full(self, pause: Pause) -> Iterator[tuple[int, Int32[np.ndarray, " t"]]]:
        """The number and the ids of every document that is not empty."""
        for number, ids in enumerate(self.each()):
            pause()
            if ids.size:
                yield number, ids

    def chosen(self, number: Int64[np.ndarray, " M"]) -> "Texts":
        """Some of the documents."""
        _, ids, ends = chosen(Read([], self.ids, self.ends), number)
        return Texts(ids, ends)

    def and_then(self, more: "Texts") -> "Texts":
        """These documents, then others."""
        ends = np.append(self.ends, len(self.ids) + more.ends)
        return Texts(np.append(self.ids, more.ids), ends)

    def windows(self, chosen: Int64[np.ndarray, " C"], n: int) -> Windows:
        """Every window of n words in the chosen documents."""
        starts = np.append(0, self.ends[:-1])[chosen]
        runs = np.stack([starts, self.ends[chosen], np.zeros_like(starts)], axis=1)
        return Windows.of(self.ids, runs, n)


def texts_of(read: Read, vocabulary: Vocabulary, n: int) -> Texts:
    """Documents as ids; one of fewer than n words is filled up with the unknown word, 0."""
    ids, length = vocabulary.ids(read.words)[read.ids], np.diff(read.ends, prepend=0)
    missing = np.where(length > 0, np.maximum(n - length, 0), 0)
    filled = np.insert(ids, np.repeat(read.ends, missing), 0)
    return Texts(filled.astype(np.int32), read.ends + np.cumsum(missing))


@final
@dataclass(frozen=True, eq=False)
class ClassModels:
    """A model for each class, of the same words and sizes."""

    models: tuple[TrainedModel, ...]
    middle: Float64[np.ndarray, "C H+1"]

    @property
    def n(self) -> int:
        """The words of a window."""
        return self.models[0].rbm.positions

    def energies(self, texts: Texts, pause: Pause = lambda: None) -> Float64[np.ndarray, "N C"]:
        """The mean free energy of each document under each model, from its middle; 0 if empty."""
        found = mean_energies([model.rbm for model in self.models], texts, pause)
        return np.where(np.isnan(found), 0.0, found - self.middle.sum(axis=1))

    def units(self, texts: Texts, pause: Pause = lambda: None) -> Float32[np.ndarray, "N C H+1"]:
        """The terms of these energies, unit by unit."""
        found = np.zeros((len(texts), *self.middle.shape), np.float32)
        with one_blas_thread():
            for number, ids in texts.full(pause):
                terms = [unit_energies(model.rbm, ids) for model in self.models]
                found[number] = np.stack(terms) - self.middle
        return found

    def window_energies(self, ids: Int32[np.ndarray, " t"]) -> Float64[np.ndarray, "W C"]:
        """The same of every window of one document."""
        with one_blas_thread():
            found = [_energies(model.rbm, ids) for model in self.models]
        return np.stack(found, axis=1) - self.middle.sum(axis=1)

    def window_units(self, ids: Int32[np.ndarray, " t"]) -> Float64[np.ndarray, "W C H+1"]:
        """The terms of every window."""
        with one_blas_thread():
            found = [window_unit_energies(model.rbm, ids) for model in self.models]
        return np.stack(found, axis=1) - self.middle


def train_class_models(
    texts: Texts,
    label: Int64[np.ndarray, " N"],
    vocabulary: Vocabulary,
    settings: Sequence[TrainingSettings],
    *,
    start: WordRepRBM | None = None,
    threads: int = 1,
    tell: Tell = lambda progress: None,
) -> tuple[TrainedModel, ...]:
    """Train the models of classes 0, 1, ... by the settings of each; from `start`, or apart."""
    q = vocabulary.probability()
    models = []
    for c, own in enumerate(settings):
        learner = text_learner(q, own) if start is None else further(start, q, own)
        windows = texts.windows(np.flatnonzero(label == c), own.window)
        rbm = learnt(learner, windows, own, threads, tell)
        models.append(TrainedModel(rbm, vocabulary, own))
    return tuple(models)


def centred(
    models: tuple[TrainedModel, ...],
    texts: Texts,
    label: Int64[np.ndarray, " N"],
    pause: Pause = lambda: None,
) -> ClassModels:
    """The models with the middle of their energies of these documents; the empty do not count."""
    C, rbms = len(models), [model.rbm for model in models]
    total = np.zeros((C, C, rbms[0].c.size + 1))  # by class of document, then by model
    with one_blas_thread():
        for number, ids in texts.full(pause):
            total[label[number]] += [unit_energies(rbm, ids) for rbm in rbms]
    count = np.bincount(label[np.diff(texts.ends, prepend=0) > 0], minlength=C)
    return ClassModels(models, (total / count[:, None, None]).mean(axis=0))


def train_background(
    texts: Texts, vocabulary: Vocabulary, settings: TrainingSettings, threads: int, tell: Tell
) -> WordRepRBM:
    """A model of all documents, whatever their class, for others to start from."""
    learner = text_learner(vocabulary.probability(), settings)
    windows = texts.windows(np.arange(len(texts)), settings.window)
    return learnt(learner, windows, settings, threads, tell)


def mean_energies(
    rbms: Sequence[WordRepRBM], texts: Texts, pause: Pause = lambda: None
) -> Float64[np.ndarray, "N C"]:
    """The mean free energy of each document's windows under each model; NaN for an empty one."""
    found = np.full((len(texts), len(rbms)), np.nan)
    with one_blas_thread():
        for number, ids in texts.full(pause):
            found[number] = [_energies(rbm, ids).mean() for rbm in rbms]
    return found


def _energies(rbm: WordRepRBM, ids: Int32[np.ndarray, " t"]) -> Float64[np.ndarray, " W"]:
    v = windows_of(ids, rbm.positions)
    blocks = range(0, len(v), BLOCK)
    return np.concatenate([rbm.free_energy(v[first : first + BLOCK]) for first in blocks])
