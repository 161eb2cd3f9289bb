"""Class models that learn to tell their classes apart, after each has learnt its own.

A document's mean free energies give a probability of each class, and its log is climbed:

    log p(c | v) = -g F_c(v) - log sum_k exp(-g F_k(v)),     d log p / d(-F_k) = g ([k = c] - p_k)

so windows push a class model as windows read do if they are of its class, as dreamt ones do if not,
and the more the less sure the classes were [Larochelle & Bengio 2008]. Words and hidden units are
left out at random meanwhile [Srivastava et al. 2014]. A batch costs the same for any K.

References
    H. Larochelle, Y. Bengio. Classification using discriminative RBMs. ICML 2008.
    N. Srivastava et al. Dropout. JMLR 15, 2014.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int32, Int64

from wordrbm.estimators.adagrad import Climber
from wordrbm.estimators.class_models import ClassModels, Texts, centred
from wordrbm.estimators.document_batches import Windows, batches, stretched, thinned, windows_in
from wordrbm.kernels.apart import masked_units
from wordrbm.models import WordRepRBM
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel

SALT = 7  # a stream of its own beside those that trained the models
SAMPLE, SURE = 2_000, 2.0  # documents whose spread sets g: one spread is so many nats apart
NARROW = 0.05  # a smaller spread is taken as this: models that hardly differ yet
LEAST_STEPS = 300  # the first ones are long: after a few of them models are worse than before
MOST_PASSES = 1_000


class Apart(NamedTuple):
    """How long, how fast, and what share of words and of hidden units is left out.

    Chosen on a fold of films (docs/decisions.md, 21). Few documents are gone over more often.
    """

    passes: int = 5
    rate: float = 0.03
    batch: int = 16  # documents
    words_out: float = 0.4
    units_out: float = 0.5


class Scale(NamedTuple):
    """From mean free energies to logits: their middles are taken off, and they are times -g."""

    g: float
    middle: Float64[np.ndarray, " C"]


Told = Callable[[int], None]  # so many windows more are read; raises if the run is told to stop


def told_apart(
    models: ClassModels, texts: Texts, label: Int64[np.ndarray, " N"], how: Apart, tell: Told
) -> ClassModels:
    """The models after some passes over their documents, with a new middle."""
    found = _passed(models, texts, label, how, tell)
    return centred(found, texts, label, lambda: tell(0))


def _passed(
    models: ClassModels, texts: Texts, label: Int64[np.ndarray, " N"], how: Apart, tell: Told
) -> tuple[TrainedModel, ...]:
    rng = np.random.default_rng([SALT, models.models[0].settings.seed])
    full = np.flatnonzero(np.diff(texts.ends, prepend=0))
    with one_blas_thread():
        g = gain(models, texts.chosen(rng.permutation(full)[:SAMPLE]))
        scale, climbers = Scale(g, models.middle.sum(axis=1)), _climbers(models)
        order = batches(rng, full, how.batch, passes_over(len(full), how))
        for number, some in enumerate(order):
            read = thinned(rng, stretched(rng, texts.chosen(some)), how.words_out)
            windows, left = windows_in(read, models.n), 1.0 - number / len(order)
            step(rng, climbers, windows, label[some], scale, how._replace(rate=how.rate * left))
            tell(len(windows.v) * len(climbers))
    return tuple(replace(own, rbm=x.rbm) for own, x in zip(models.models, climbers, strict=True))


def passes_over(documents: int, how: Apart) -> int:
    """As many as asked for, more if that would be too few steps."""
    return max(how.passes, -(-LEAST_STEPS // -(-documents // how.batch)))


def gain(models: ClassModels, texts: Texts) -> float:
    """g: classes a spread of energies apart, document by document, are `SURE` nats apart."""
    energies = models.energies(texts)
    spread = float((energies - energies.mean(axis=1, keepdims=True)).std())
    return SURE / (2.0 * max(spread, NARROW))


def step(
    rng: np.random.Generator, climbers: Sequence[Climber], windows: Windows,
    label: Int64[np.ndarray, " B"], scale: Scale, how: Apart,
) -> None:  # fmt: skip
    """One batch: what the classes say of it, and a step of each model."""
    v, document, count = windows
    mask = mask_of(rng, (len(label), climbers[0].rbm.c.size), how.units_out)
    seen = [energies(own.rbm, v, document, mask) for own in climbers]
    mean = [np.bincount(document, F, len(label)) / count for F, _ in seen]
    weight = pushes(np.stack(mean, axis=1) - scale.middle, label, scale.g) / len(label)
    for own, (_, h), pushed in zip(climbers, seen, weight.T, strict=True):
        each = (pushed / count)[document].astype(np.float32)
        own.climb(own.rbm.gradient(v, h, each), how.rate)


def mask_of(
    rng: np.random.Generator, shape: tuple[int, int], share: float
) -> Float32[np.ndarray, "B H"]:
    """0 for the units left out of a document; the others stand in for them."""
    return ((rng.random(shape) >= share) / (1.0 - share)).astype(np.float32)


def energies(
    rbm: WordRepRBM, v: Int32[np.ndarray, "W n"], document: Int64[np.ndarray, " W"],
    mask: Float32[np.ndarray, "B H"],
) -> tuple[Float64[np.ndarray, " W"], Float32[np.ndarray, "W H"]]:  # fmt: skip
    """F of every window with units left out, and the hidden means that its gradient takes."""
    x, total = rbm.word_input(v), np.zeros(len(v))
    masked_units(x, rbm.c, mask, document, total)
    return -rbm.b[v].sum(axis=1) - total, x


def pushes(
    mean: Float64[np.ndarray, "B C"], label: Int64[np.ndarray, " B"], g: float
) -> Float64[np.ndarray, "B C"]:
    """``d log p / d(-F)`` of the right class: g for that class, less g p for all."""
    logit = -g * (mean - mean.min(axis=1, keepdims=True))
    p = np.exp(logit)
    return g * (np.eye(mean.shape[1])[label] - p / p.sum(axis=1, keepdims=True))


def _climbers(models: ClassModels) -> list[Climber]:
    return [Climber.of(model.rbm) for model in models.models]
