"""Discriminative fine-tuning of class models: a softmax over negative free energies.

A document's mean free energies give a probability of each class, whose log is maximised:

    log p(c | v) = -g F_c(v) - log sum_k exp(-g F_k(v)),     d log p / d(-F_k) = g ([k = c] - p_k)

Windows of its own class are thus a positive phase for a class model and windows of other classes a
negative phase, weighted by how wrong the prediction was [Larochelle & Bengio 2008]. Words and
hidden units are dropped out at random [Srivastava et al. 2014]. Rows of D and b are updated by
AdaGrad with one accumulator a row [Duchi et al. 2011]. A batch costs the same for any K.

Several fine-tunings from the same models, with other batches and other dropout, stay close enough
for a mean of their parameters, theta = sum_m theta_m / M: it classifies about as well as the mean
of their energies, and is one model for each class [Wortsman et al. 2022].

References
    H. Larochelle, Y. Bengio. Classification using discriminative RBMs. ICML 2008.
    N. Srivastava et al. Dropout. JMLR 15, 2014.
    J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
    M. Wortsman et al. Model soups: averaging weights of multiple fine-tuned models. ICML 2022.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Float32, Float64
from pydantic import Field

from wordrbm.classification.batch_windows import (
    BatchWindows,
    document_windows,
    masked_free_energies,
    window_gradient,
)
from wordrbm.classification.class_models import ClassModels, center_energies
from wordrbm.classification.documents import (
    ClassScores,
    DocumentIds,
    DocumentNumbers,
    Labels,
    offsets_from,
)
from wordrbm.kernels.free_energy import scatter_add
from wordrbm.models import Gradient, WordRepRBM
from wordrbm.run.in_memory import copy_model
from wordrbm.settings import StrictSettings
from wordrbm.threads import one_blas_thread

STREAM = 7  # of random numbers, apart from those that trained the models
SCALE_SAMPLE, TARGET_MARGIN = 2_000, 2.0  # documents; nats between classes at one std of energies
MIN_SPREAD = 0.05  # lower bound on that std: class models that hardly differ yet
MIN_STEPS = 300  # AdaGrad's first steps are large: after only a few, models are worse than before
MAX_EPOCHS, MAX_MEMBERS = 1_000, 100
MAX_WORDS = 4_096  # of a document in one epoch, so that memory does not grow with it
INITIAL_SQUARE = 1e-8  # of AdaGrad's accumulators

OnWindows = Callable[[int], None]  # called with windows processed; may raise `Stopped`


class ClassFinetuning(StrictSettings):
    """Settings of fine-tuning, chosen on held-out films (docs/decisions.md, 21 and 45).

    Few documents take more epochs, so that there are at least `MIN_STEPS` updates.
    """

    epochs: int = Field(default=5, ge=1, le=MAX_EPOCHS)
    rate: float = Field(default=0.03, ge=0)
    batch: int = Field(default=16, ge=1)  # documents
    word_dropout: float = Field(default=0.4, ge=0, lt=1)
    unit_dropout: float = Field(default=0.5, ge=0, lt=1)
    members: int = Field(default=4, ge=1, le=MAX_MEMBERS)  # fine-tunings that are averaged


class EnergyScale(NamedTuple):
    """Mean free energies become logits: ``-inverse_temperature (F - center)``."""

    inverse_temperature: float
    center: Float64[np.ndarray, " C"]


@final
@dataclass(frozen=True, eq=False)
class RowAdaGrad:
    """AdaGrad with one accumulator for each row of D, each word bias, U and c.

    ``theta += rate gradient / sqrt(sum of mean squared gradients)``; only rows that occur in the
    gradient are read or written.
    """

    rbm: WordRepRBM  # updated in place
    grad_squared: dict[str, Float32[np.ndarray, " R"]]

    @classmethod
    def of(cls, rbm: WordRepRBM) -> "RowAdaGrad":
        """An optimizer of a copy of the model."""
        sizes = {"D": len(rbm.b), "b": len(rbm.b), "U": 1, "c": 1}
        squares = {name: np.full(size, INITIAL_SQUARE, np.float32) for name, size in sizes.items()}
        return cls(copy_model(rbm), squares)

    def step(self, gradient: Gradient, rate: float) -> None:
        """Update the model along a gradient of the log-likelihood."""
        for name, value in gradient.dense.items():
            self.grad_squared[name] += np.square(value).mean()
            parameter = self.rbm.table(name)
            parameter += (rate / np.sqrt(self.grad_squared[name])) * value
        words, row = np.unique(gradient.rows["D"].number, return_inverse=True)
        for name, (_, values) in gradient.rows.items():
            total = np.zeros((len(words), values.shape[1]), np.float32)
            scatter_add(row, values, total)
            self.grad_squared[name][words] += np.square(total).mean(axis=1)
            step = np.float32(rate) / np.sqrt(self.grad_squared[name][words])
            self.rbm.table(name)[words] += step[:, None] * total


def finetune_classes(
    models: ClassModels,
    documents: DocumentIds,
    label: Labels,
    settings: ClassFinetuning,
    on_windows: OnWindows = lambda windows: None,
) -> ClassModels:
    """Fine-tune copies of the class models on their documents, average, and centre them again."""
    tuned = [
        finetune_member(models, documents, label, settings, member, on_windows)
        for member in range(settings.members)
    ]
    averages = map(mean_parameters, zip(*tuned, strict=True))
    pairs = zip(models.models, averages, strict=True)
    averaged = tuple(replace(model, rbm=rbm) for model, rbm in pairs)
    return center_energies(averaged, documents, label, lambda: on_windows(0))


def finetune_member(
    models: ClassModels, documents: DocumentIds, label: Labels, settings: ClassFinetuning,
    member: int, on_windows: OnWindows,
) -> list[WordRepRBM]:  # fmt: skip
    """One fine-tuning of the model of each class; its number is a part of the seed."""
    rng = np.random.default_rng([STREAM, models.models[0].settings.seed, member])
    nonempty = documents.nonempty()
    with one_blas_thread():
        sample = documents.select(rng.permutation(nonempty)[:SCALE_SAMPLE])
        scale = EnergyScale(inverse_temperature(models, sample), models.center)
        optimizers = [RowAdaGrad.of(model.rbm) for model in models.models]
        epochs = epochs_for(len(nonempty), settings)
        batches = epoch_batches(rng, nonempty, settings.batch, epochs)
        for number, batch in enumerate(batches):
            cropped = crop_long(rng, documents.select(batch))
            windows = document_windows(drop_words(rng, cropped, settings.word_dropout), models.n)
            mask = dropout_mask(rng, (len(batch), optimizers[0].rbm.c.size), settings.unit_dropout)
            rate = settings.rate * (1.0 - number / len(batches))
            update(optimizers, windows, label[batch], scale, mask, rate)
            on_windows(len(windows.row) * len(optimizers))
    return [optimizer.rbm for optimizer in optimizers]


def mean_parameters(rbms: Sequence[WordRepRBM]) -> WordRepRBM:
    """A model whose every parameter is the mean over models, in their precision."""
    first, *others = [rbm.parameters() for rbm in rbms]
    means = {}
    for name, value in first.items():
        total = value.astype(np.float64)
        for other in others:
            total += other[name]
        means[name] = (total / len(rbms)).astype(value.dtype)
    return replace(rbms[0], **means)


def epochs_for(documents: int, settings: ClassFinetuning) -> int:
    """The epochs of the settings, more if these would be fewer than `MIN_STEPS` updates."""
    return max(settings.epochs, -(-MIN_STEPS // -(-documents // settings.batch)))


def inverse_temperature(models: ClassModels, documents: DocumentIds) -> float:
    """g: a difference of one standard deviation of energies becomes `TARGET_MARGIN` nats."""
    energies = models.energies(documents)
    spread = float((energies - energies.mean(axis=1, keepdims=True)).std())
    return TARGET_MARGIN / (2.0 * max(spread, MIN_SPREAD))


def update(
    optimizers: Sequence[RowAdaGrad], windows: BatchWindows, label: Labels, scale: EnergyScale,
    mask: Float[np.ndarray, "N H"], rate: float,
) -> None:  # fmt: skip
    """One step of every class model on a batch of documents, with the units of `mask` dropped."""
    document, per_document = windows.document, windows.per_document
    passes = [masked_free_energies(x.rbm, windows, mask) for x in optimizers]
    means = [np.bincount(document, F, len(label)) / per_document for F, _ in passes]
    energies = np.stack(means, axis=1) - scale.center
    weights = class_gradients(energies, label, scale.inverse_temperature) / len(label)
    for optimizer, (_, h), weight in zip(optimizers, passes, weights.T, strict=True):
        window_weight = (weight / per_document)[document].astype(np.float32)
        optimizer.step(window_gradient(optimizer.rbm, windows, h, window_weight), rate)


def dropout_mask(
    rng: np.random.Generator, shape: tuple[int, int], rate: float
) -> Float32[np.ndarray, "B H"]:
    """0 for the units dropped from a document, 1 / (1 - rate) for the others."""
    return ((rng.random(shape) >= rate) / (1.0 - rate)).astype(np.float32)


def class_gradients(energies: ClassScores, label: Labels, g: float) -> ClassScores:
    """``d log p(label) / d(-F_k) = g ([k = label] - p_k)`` for each document."""
    logit = -g * (energies - energies.min(axis=1, keepdims=True))
    p = np.exp(logit)
    return g * (np.eye(energies.shape[1])[label] - p / p.sum(axis=1, keepdims=True))


def epoch_batches(
    rng: np.random.Generator, numbers: DocumentNumbers, size: int, epochs: int
) -> list[DocumentNumbers]:
    """The document numbers of every batch of all epochs, each epoch in an order of its own."""
    orders = [rng.permutation(numbers) for _ in range(epochs)]
    return [order[k : k + size] for order in orders for k in range(0, len(order), size)]


def crop_long(
    rng: np.random.Generator, documents: DocumentIds, max_words: int = MAX_WORDS
) -> DocumentIds:
    """A random contiguous part of each document that is longer than `max_words`."""
    lengths = documents.lengths
    if lengths.max(initial=0) <= max_words:
        return documents
    cropped = np.minimum(lengths, max_words)
    first = documents.offsets[:-1] + rng.integers(lengths - cropped + 1)
    offsets = offsets_from(cropped)
    index = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], cropped)
    return DocumentIds(documents.ids[index], offsets)


def drop_words(rng: np.random.Generator, documents: DocumentIds, rate: float) -> DocumentIds:
    """Word dropout: a fraction of the words becomes the unknown word."""
    dropped = rng.random(len(documents.ids)) < rate
    return DocumentIds(np.where(dropped, np.int32(0), documents.ids), documents.offsets)
