"""Fine-tuning: the hidden units of a pre-trained model and a CRF over them, trained jointly.

    minimised, a sentence at a time:  -log P(y | x; W, V, A, U, c) + c2 (|W|^2 + |V|^2 + |A|^2)

The word vectors D stay fixed, so words that occur in no labelled sentence are still read by the
same units. Sentences are shuffled every epoch and learning rates decay linearly from epoch to
epoch; see `kernels/tagger_finetune.py`. The result is a CRF, and a model of the same shape that is
no longer a model of text.
"""

from dataclasses import replace

import numpy as np

from wordrbm.inference.features import sliding_windows
from wordrbm.kernels.tagger_finetune import (
    Hyperparameters,
    TaggerParameters,
    TrainingSentences,
    sgd_steps,
)
from wordrbm.models import WordRepRBM
from wordrbm.tagging.crf import Callback, LinearChainCRF
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, model_tokens
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel

CHUNKS_PER_EPOCH = 15  # progress is reported, and a stop request noticed, between chunks


def finetune_tagger(
    sentences: EncodedSentences, features: FeatureConfig, c2: float, callback: Callback
) -> tuple[LinearChainCRF, FeatureConfig]:
    """Train a CRF and the hidden units of the model; returns it with the features as trained."""
    model, settings = features.model, features.finetune
    assert model is not None
    assert settings is not None
    data = _training_sentences(sentences, features, model)
    R, L = sentences.sizes
    count = np.bincount(data.attributes, minlength=R).astype(np.float32)
    parameters = _initial_parameters(R, data.dense.shape[1], L, model.rbm)
    grad_squared = TaggerParameters(*(np.ones_like(x) for x in parameters))
    rng, chunk = np.random.default_rng(settings.seed), 0
    for epoch in range(settings.epochs):
        decay = 1.0 - epoch / settings.epochs
        hyper = Hyperparameters(
            settings.rate * decay, settings.hidden_rate * decay, c2, features.hidden_scale
        )
        for order in np.array_split(rng.permutation(len(sentences.words)), CHUNKS_PER_EPOCH):
            with one_blas_thread():
                value = sgd_steps(order, data, model.rbm.D, count, parameters, grad_squared, hyper)
            chunk += 1
            callback(chunk, value)
    W, V = parameters.W.astype(np.float64), parameters.V.astype(np.float64)
    finetuned = replace(model, rbm=_finetuned_rbm(parameters, model.rbm))
    return LinearChainCRF(W, V, parameters.A), features._replace(model=finetuned)


def _training_sentences(
    sentences: EncodedSentences, features: FeatureConfig, model: TrainedModel
) -> TrainingSentences:
    """The sentences as the compiled code reads them; dense features are the vectors alone."""
    batch, n = sentences.batch, model.rbm.positions
    dense = features._replace(model=None).dense_features(sentences.words)
    ids = (model.vocabulary.ids(model_tokens(words)) for words in sentences.words)
    windows = [sliding_windows(sentence, n) for sentence in ids]
    return TrainingSentences(
        batch.attributes, batch.offsets, dense, sentences.label_ids, np.append(0, batch.ends),
        np.ascontiguousarray(np.concatenate(windows)), np.cumsum([0, *map(len, windows)]),
    )  # fmt: skip


def _initial_parameters(R: int, F: int, L: int, rbm: WordRepRBM) -> TaggerParameters:
    """CRF weights of zero, and the hidden units of the model."""
    W, V = np.zeros((R, L), np.float32), np.zeros((F + rbm.c.size, L), np.float32)
    U, c = (np.array(x, np.float32, order="C") for x in (rbm.stacked.T, rbm.c))
    return TaggerParameters(W, V, np.zeros((L, L)), U, c)


def _finetuned_rbm(parameters: TaggerParameters, rbm: WordRepRBM) -> WordRepRBM:
    """The RBM with fine-tuned U and c, in its own precision."""
    n, H, d = rbm.U.shape
    U = parameters.U.reshape(n, d, H).transpose(0, 2, 1).astype(rbm.U.dtype)
    return replace(rbm, U=U, c=parameters.c.astype(rbm.c.dtype))
