"""One RBM per class of documents: under which of them is a document likeliest?

    log P(v | class c) = -F_c(v) - log Z_c                              [Dahl 2012, section 6.3]

All class models may start from one pre-trained model of all documents: what the classes share is
learnt once, and cancels in a difference of free energies. The Z_c are not known and differ from
run to run, so the energies of a model are centred: its mean over the documents that it was trained
on is subtracted, the mean of the class means, so that every class counts alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float64

from wordrbm.classification.documents import (
    ClassScores,
    DocumentIds,
    Ids,
    Labels,
    TokenizedDocuments,
)
from wordrbm.inference.features import sliding_windows
from wordrbm.kernels.fastmath import softplus_row_sums
from wordrbm.models import WordRepRBM
from wordrbm.run.in_memory import InMemoryTrainer, OnUpdate
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

BLOCK = 4096  # windows at a time: memory does not grow with a document

OnDocument = Callable[[], None]  # called before each document; may raise `Stopped`


@final
@dataclass(frozen=True, eq=False)
class ClassModels:
    """A model for each class, over the same vocabulary and of the same sizes."""

    models: tuple[TrainedModel, ...]
    center: Float64[np.ndarray, " C"]  # subtracted from the free energies of each model

    @property
    def n(self) -> int:
        """Words of a window."""
        return self.models[0].rbm.positions

    def encode(self, tokenized: TokenizedDocuments) -> DocumentIds:
        """Documents as ids; one shorter than a window is filled up with the unknown word."""
        return tokenized.encode(self.models[0].vocabulary).pad(self.n)

    def energies(
        self, documents: DocumentIds, check_stop: OnDocument = lambda: None
    ) -> ClassScores:
        """The centred mean free energy of each document under each model; 0 if it is empty."""
        means = mean_free_energies([model.rbm for model in self.models], documents, check_stop)
        return np.where(np.isnan(means), 0.0, means - self.center)

    def window_energies(self, ids: Ids) -> Float64[np.ndarray, "W C"]:
        """The centred free energy of each window of a document under each model."""
        with one_blas_thread():
            energies = [_energies(model.rbm, ids) for model in self.models]
        return np.stack(energies, axis=1) - self.center


def pretrain(
    documents: DocumentIds, vocabulary: Vocabulary, settings: TrainingSettings, threads: int,
    on_update: OnUpdate,
) -> WordRepRBM:  # fmt: skip
    """Train a model of all documents, whatever their class, to initialise class models."""
    windows = documents.windows(settings.window)
    trainer = InMemoryTrainer.for_text(windows, vocabulary.probability(), settings)
    return trainer.train_from_start(windows, settings, threads, on_update)


def train_class_models(
    documents: DocumentIds,
    label: Labels,
    vocabulary: Vocabulary,
    settings: Sequence[TrainingSettings],
    *,
    init: WordRepRBM | None = None,
    threads: int = 1,
    on_update: OnUpdate = lambda progress: None,
) -> tuple[TrainedModel, ...]:
    """Train a model for each class by its own settings, from a copy of `init` if there is one."""
    q, models = vocabulary.probability(), []
    for c, class_settings in enumerate(settings):
        windows = documents.windows(class_settings.window, np.flatnonzero(label == c))
        trainer = InMemoryTrainer.for_text(windows, q, class_settings, init)
        rbm = trainer.train_from_start(windows, class_settings, threads, on_update)
        models.append(TrainedModel(rbm, vocabulary, class_settings))
    return tuple(models)


def center_energies(
    models: tuple[TrainedModel, ...], documents: DocumentIds, label: Labels,
    check_stop: OnDocument = lambda: None,
) -> ClassModels:  # fmt: skip
    """The models, centred on these documents; empty documents do not count."""
    return ClassModels(models, unit_centers(models, documents, label, check_stop).sum(axis=1))


def unit_centers(
    models: tuple[TrainedModel, ...], documents: DocumentIds, label: Labels,
    check_stop: OnDocument = lambda: None,
) -> Float64[np.ndarray, "C terms"]:  # fmt: skip
    """The terms of the centre of each model: the mean of the class means of `unit_energies`."""
    C, rbms, nonempty = len(models), [model.rbm for model in models], documents.nonempty()
    total = np.zeros((C, C, rbms[0].c.size + 1))  # by class of document, then by model
    with one_blas_thread():
        for number in nonempty.tolist():
            check_stop()
            total[label[number]] += [unit_energies(rbm, documents[number]) for rbm in rbms]
    count = np.bincount(label[nonempty], minlength=C)
    return (total / count[:, None, None]).mean(axis=0)


def unit_energies(rbm: WordRepRBM, ids: Ids) -> Float64[np.ndarray, " terms"]:
    """The terms of a document's mean free energy, summed over windows in double precision.

    ``F(v) = e_0(v) + sum_j e_j(v)``, ``e_0 = -sum_i b[v_i]``, ``e_j = -log(1 + exp x_j(v))`` with x
    the hidden input [Dahl 2012, eq. 4 summed over h].
    """
    v, total = sliding_windows(ids, rbm.positions), np.zeros(rbm.c.size + 1)
    for first in range(0, len(v), BLOCK):
        block = v[first : first + BLOCK]
        total[0] -= rbm.word_bias[rbm.table_index, block].sum(dtype=np.float64)
        sums = np.zeros(rbm.c.size)
        softplus_row_sums(np.ascontiguousarray(rbm.hidden_input(block).T), sums)
        total[1:] -= sums
    return total / len(v)


def mean_free_energies(
    rbms: Sequence[WordRepRBM], documents: DocumentIds, check_stop: OnDocument = lambda: None
) -> ClassScores:
    """The mean free energy of each document's windows under each model; NaN for an empty one."""
    means = np.full((len(documents), len(rbms)), np.nan)
    with one_blas_thread():
        for number in documents.nonempty().tolist():
            check_stop()
            ids = documents[number]
            means[number] = [_energies(rbm, ids).mean() for rbm in rbms]
    return means


def _energies(rbm: WordRepRBM, ids: Ids) -> Float64[np.ndarray, " W"]:
    v = sliding_windows(ids, rbm.positions)
    blocks = range(0, len(v), BLOCK)
    return np.concatenate([rbm.free_energy(v[first : first + BLOCK]) for first in blocks])
