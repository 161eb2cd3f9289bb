"""Class models that learn to tell their classes apart, after each has learnt its own.

A document's mean free energies give a probability of each class, and its log is climbed:

    log p(c | v) = -g F_c(v) - log sum_k exp(-g F_k(v)),     d log p / d(-F_k) = g ([k = c] - p_k)

so windows push a class model as windows read do if they are of its class, as dreamt ones do if not,
and the more the less sure the classes were [Larochelle & Bengio 2008]. Words and hidden units are
left out at random meanwhile [Srivastava 2014]. A row of D, a bias, U and c each go as far as the
rate over the root of their summed squares [AdaGrad, Duchi 2011]. A batch costs the same for any K.

References
    H. Larochelle, Y. Bengio. Classification using discriminative RBMs. ICML 2008.
    N. Srivastava et al. Dropout. JMLR 15, 2014.
    J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float32, Float64, Int32, Int64

from wordrbm.artifacts import TrainedModel
from wordrbm.estimators.class_models import ClassModels, Texts
from wordrbm.kernels.apart import masked_units, sum_rows
from wordrbm.models import Gradient, WordRepRBM
from wordrbm.using.precise import one_blas_thread

SALT = 7  # a stream of its own beside those that trained the models
SAMPLE, SURE = 2_000, 2.0  # documents whose spread sets g: one spread is so many nats apart
NARROW = 0.05  # a smaller spread is taken as this: models that hardly differ yet
LEAST = 1e-8  # squares that are there from the beginning


class Apart(NamedTuple):
    """How long, how fast, and what share of words and of hidden units is left out.

    Chosen on a fold of films (docs/decisions.md, 21).
    """

    passes: int = 5
    rate: float = 0.03
    batch: int = 16  # documents
    words_out: float = 0.4
    units_out: float = 0.5


class Windows(NamedTuple):
    """The windows of some documents, and which of them each is in."""

    v: Int32[np.ndarray, "W n"]
    document: Int64[np.ndarray, " W"]
    each: Int64[np.ndarray, " B"]  # windows of each document


class Scale(NamedTuple):
    """From mean free energies to logits: their middles are taken off, and they are times -g."""

    g: float
    middle: Float64[np.ndarray, " C"]


Told = Callable[[int], None]  # after a batch: its windows; raises if the run is told to stop


def told_apart(
    models: ClassModels, texts: Texts, label: Int64[np.ndarray, " N"], how: Apart, tell: Told
) -> tuple[TrainedModel, ...]:
    """The models after some passes over their documents."""
    rng = np.random.default_rng([SALT, models.models[0].settings.seed])
    full = np.flatnonzero(np.diff(texts.ends, prepend=0))
    with one_blas_thread():
        g = gain(models, texts.chosen(rng.permutation(full)[:SAMPLE]))
        learners = [_Learner.of(model.rbm) for model in models.models]
        batches = list(_batches(rng, full, how))
        for number, some in enumerate(batches):
            windows = windows_of(thinned(rng, texts.chosen(some), how.words_out), models.n)
            left = 1.0 - number / len(batches)
            scale = Scale(g, models.middle.sum(axis=1))
            _step(rng, learners, windows, label[some], scale, how._replace(rate=how.rate * left))
            tell(len(windows.v) * len(learners))
    return tuple(replace(own, rbm=x.rbm) for own, x in zip(models.models, learners, strict=True))


def gain(models: ClassModels, texts: Texts) -> float:
    """g: classes a spread of energies apart, document by document, are `SURE` nats apart."""
    energies = models.energies(texts)
    spread = float((energies - energies.mean(axis=1, keepdims=True)).std())
    return SURE / (2.0 * max(spread, NARROW))


def thinned(rng: np.random.Generator, texts: Texts, share: float) -> Texts:
    """The same documents with a share of their words unknown."""
    out = rng.random(len(texts.ids)) < share
    return Texts(np.where(out, np.int32(0), texts.ids), texts.ends)


def windows_of(texts: Texts, n: int) -> Windows:
    """Every window of documents that are not empty."""
    count = np.diff(texts.ends, prepend=0) - n + 1
    document = np.repeat(np.arange(len(texts)), count)
    first = np.arange(len(document)) + (n - 1) * document  # a document ends n - 1 words later
    return Windows(texts.ids[first[:, None] + np.arange(n)], document, count)


def _batches(
    rng: np.random.Generator, full: Int64[np.ndarray, " F"], how: Apart
) -> Iterator[Int64[np.ndarray, " B"]]:
    for _ in range(how.passes):
        order = rng.permutation(full)
        yield from (order[k : k + how.batch] for k in range(0, len(order), how.batch))


def _step(
    rng: np.random.Generator, learners: "list[_Learner]", windows: Windows,
    label: Int64[np.ndarray, " B"], scale: Scale, how: Apart,
) -> None:  # fmt: skip
    """One batch: what the classes say of it, and a step of each model."""
    v, document, count = windows
    mask = _mask(rng, (len(label), learners[0].rbm.c.size), how.units_out)
    seen = [energies(own.rbm, v, document, mask) for own in learners]
    mean = [np.bincount(document, F, len(label)) / count for F, _ in seen]
    weight = pushes(np.stack(mean, axis=1) - scale.middle, label, scale.g) / len(label)
    for own, (_, h), pushed in zip(learners, seen, weight.T, strict=True):
        each = (pushed / count)[document].astype(np.float32)
        own.climb(own.rbm.gradient(v, h, each), how.rate)


def _mask(
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


@final
@dataclass(frozen=True, eq=False)
class _Learner:
    """A model that changes in place, and the summed squares of what each of its parts was told."""

    rbm: WordRepRBM
    squares: dict[str, Float32[np.ndarray, " R"]]

    @classmethod
    def of(cls, rbm: WordRepRBM) -> "_Learner":
        copies = {name: value.copy(order="K") for name, value in rbm.parameters().items()}
        K = len(rbm.b)
        sizes = {"D": K, "b": K, "U": 1, "c": 1}
        squares = {name: np.full(size, LEAST, np.float32) for name, size in sizes.items()}
        return cls(replace(rbm, **copies), squares)

    def climb(self, gradient: Gradient, rate: float) -> None:
        """A step; of a table only the rows that are named are read."""
        for name, value in gradient.dense.items():
            self.squares[name] += np.square(value).mean()
            parameter = self.rbm.parameters()[name]
            parameter += (rate / np.sqrt(self.squares[name])) * value
        words, row = np.unique(gradient.rows["D"].number, return_inverse=True)
        for name, (_, values) in gradient.rows.items():
            total = np.zeros((len(words), values.shape[1]), np.float32)
            sum_rows(row, values, total)
            self.squares[name][words] += np.square(total).mean(axis=1)
            step = np.float32(rate) / np.sqrt(self.squares[name][words])
            self.rbm.table(name)[words] += step[:, None] * total
