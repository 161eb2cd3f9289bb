"""Fine-tuning: the hidden units of a pre-trained model and a CRF over them, trained jointly.

    minimised, a sentence at a time:  -log P(y | x; W, V, A, U, c) + c2 (|W|^2 + |V|^2 + |A|^2)

The word vectors D stay fixed, so words that occur in no labelled sentence are still read by the
same units. Sentences are shuffled every epoch and learning rates decay linearly from epoch to
epoch; see `kernels/tagger_finetune.py`. The result is a CRF, and a model of the same shape that is
no longer a model of text.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.inference.features import sliding_windows
from wordrbm.kernels.tagger_finetune import (
    Hyperparameters,
    Parameters,
    TrainingSentences,
    sgd_steps,
)
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Array, Words
from wordrbm.tagging.crf import LinearChainCRF, SentenceBatch
from wordrbm.tagging.features import FinetuneSettings, model_tokens
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel

CHUNKS_PER_EPOCH = 15  # progress is reported, and a stop request noticed, between chunks


class LabelledSentences(NamedTuple):
    """Sentences without hidden features, gold labels, and the numbers of attributes and labels."""

    batch: SentenceBatch
    labels: Int32[np.ndarray, " T"]
    sizes: tuple[int, int]


class FinetuneResult(NamedTuple):
    """The CRF, and the model with its fine-tuned hidden units."""

    crf: LinearChainCRF
    model: TrainedModel


def finetune_tagger(
    labelled: LabelledSentences,
    words: Sequence[Sequence[str]],
    model: TrainedModel,
    settings: FinetuneSettings,
    c2: float,
    hidden_scale: float,
    callback: Callable[[int, float], None] = lambda chunk, value: None,
) -> FinetuneResult:
    """Train a CRF and the hidden units of a model on sentences, whose words are given too."""
    batch, labels, (R, L) = labelled
    data = _training_sentences(batch, labels, words, model)
    count = np.bincount(batch.attributes, minlength=R).astype(np.float32)
    parameters = _initial_parameters(R, batch.dense.shape[1], L, model)
    grad_squared = Parameters(*(np.ones_like(x) for x in parameters))
    for chunk, order, decay in _epoch_chunks(len(words), settings):
        hyper = Hyperparameters(
            settings.rate * decay, settings.hidden_rate * decay, c2, hidden_scale
        )
        with one_blas_thread():
            value = sgd_steps(order, data, model.rbm.D, count, parameters, grad_squared, hyper)
        callback(chunk, value)
    return FinetuneResult(_crf(parameters), replace(model, rbm=_rbm(parameters, model.rbm)))


def _epoch_chunks(
    count: int, settings: FinetuneSettings
) -> list[tuple[int, Int64[np.ndarray, " s"], float]]:
    """Every chunk of every epoch: its number, its sentences, the factor on the learning rates."""
    rng = np.random.default_rng(settings.seed)
    chunks: list[tuple[int, Int64[np.ndarray, " s"], float]] = []
    for epoch in range(settings.epochs):
        for order in np.array_split(rng.permutation(count), CHUNKS_PER_EPOCH):
            chunks.append((len(chunks) + 1, order, 1.0 - epoch / settings.epochs))
    return chunks


def _training_sentences(
    batch: SentenceBatch, labels: Array, words: Sequence[Sequence[str]], model: TrainedModel
) -> TrainingSentences:
    windows = [_windows(sentence, model) for sentence in words]
    return TrainingSentences(
        batch.attributes, batch.offsets, np.ascontiguousarray(batch.dense, np.float32),
        labels, np.append(0, batch.ends), np.ascontiguousarray(np.concatenate(windows)),
        np.cumsum([0, *map(len, windows)]),
    )  # fmt: skip


def _windows(words: Sequence[str], model: TrainedModel) -> Words:
    return sliding_windows(model.vocabulary.ids(model_tokens(words)), model.rbm.positions)


def _initial_parameters(R: int, F: int, L: int, model: TrainedModel) -> Parameters:
    """CRF weights of zero, and the hidden units of the model."""
    W, V = np.zeros((R, L), np.float32), np.zeros((F + model.rbm.c.size, L), np.float32)
    U, c = (np.array(x, np.float32, order="C") for x in (model.rbm.stacked.T, model.rbm.c))
    return Parameters(W, V, np.zeros((L, L)), U, c)


def _crf(parameters: Parameters) -> LinearChainCRF:
    W, V, A = parameters.W, parameters.V, parameters.A
    return LinearChainCRF(W.astype(np.float64), V.astype(np.float64), A)


def _rbm(parameters: Parameters, rbm: WordRepRBM) -> WordRepRBM:
    """The RBM with fine-tuned U and c, in its own precision."""
    n, H, d = rbm.U.shape
    U = parameters.U.reshape(n, d, H).transpose(0, 2, 1).astype(rbm.U.dtype)
    return replace(rbm, U=U, c=parameters.c.astype(rbm.c.dtype))
