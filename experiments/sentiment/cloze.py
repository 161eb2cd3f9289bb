"""Documents scored word by word: the middle word of every window given the words around it.

The free energies of a document's windows count every word n times and need log Z. A conditional
needs none, and explains a word by both of its sides before it counts for a class:

    score of class c = mean of -log P_c(v_i | the other words),  i the middle of a window

Every word of a document counts once, by its mean: a word that is repeated says little more.
The sum over the vocabulary in P_c is estimated by the most frequent words and by others drawn by
frequency and weighted by its inverse. The same words serve all classes and windows, so errors of
the estimate cancel in a difference of classes.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from experiments.cache import Record, ResultCache, ResultKey
from experiments.sentiment.config import GENERATIVE, FoldJob, ModelConfig, fold_jobs
from experiments.sentiment.data import Dataset
from experiments.sentiment.features import TrainTest
from experiments.sentiment.models import (
    JobContext,
    build_vocabulary,
    load_class_models,
    out_of_fold,
)
from wordrbm.classification.batch_windows import document_windows
from wordrbm.classification.calibration import contrast
from wordrbm.classification.class_models import ClassModels, OnDocument
from wordrbm.classification.documents import ClassScores, DocumentIds, DocumentNumbers, Ids
from wordrbm.kernels.free_energy import log_gain
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Array, PerWindow, Probability, Words
from wordrbm.threads import one_blas_thread

HEAD, TAIL = 50, 50  # words summed exactly; words drawn from the others
SEED = 0  # of the draw
BLOCK_WORDS = 4096  # in documents scored at a time
CLOZE = "cloze"


class Candidates(NamedTuple):
    """Words and log weights: ``sum_k exp(log_weight_k + x_k)`` estimates ``sum exp x`` over all."""

    words: Int64[np.ndarray, " S"]
    log_weight: Float64[np.ndarray, " S"]

    @classmethod
    def draw(cls, q: Probability, head: int = HEAD, tail: int = TAIL) -> "Candidates":
        """The `head` most frequent words, and `tail` of the others by frequency."""
        order = np.argsort(-q, kind="stable")
        first, rest = order[:head], order[head:]
        if not rest.size:
            return cls(first, np.zeros(len(first)))
        share = q[rest] / q[rest].sum()
        drawn = np.random.default_rng(SEED).choice(len(rest), tail, p=share)
        weights = np.append(np.zeros(len(first)), -np.log(tail * share[drawn]))
        return cls(np.append(first, rest[drawn]), weights)


def cloze_log_probability(
    rbm: WordRepRBM, v: Words, i: int, candidates: Candidates
) -> PerWindow:  # fmt: skip
    """``log P(v_i | the other words)`` of each window, normalised by candidates."""
    U, b = rbm.U[i].astype(np.float64), rbm.b.astype(np.float64)
    rest = rbm.hidden_input(v).astype(np.float64) - rbm.D[v[:, i]] @ U.T
    gains = _gains(rest, rbm.D[candidates.words] @ U.T)
    scores = gains + b[candidates.words] + candidates.log_weight
    total = np.logaddexp.reduce(scores, axis=1)
    inputs = rest + rbm.D[v[:, i]] @ U.T
    gain = (np.logaddexp(0.0, inputs) - np.logaddexp(0.0, rest)).sum(axis=1)
    return np.asarray(b[v[:, i]] + gain - total)


def _gains(rest: Array, weight: Array) -> Array:
    """What each candidate adds to -F of each window without its word (`kernels/free_energy.py`)."""
    off, on = np.exp(-np.logaddexp(0.0, rest)), np.exp(-np.logaddexp(0.0, -rest))
    gains = np.empty((len(rest), len(weight)))
    with np.errstate(over="ignore"):  # infinity selects the slow path of the kernel
        log_gain(rest, off, on, weight, np.exp(weight), gains)
    return gains


def cloze_scores(
    models: ClassModels, documents: DocumentIds, check_stop: OnDocument
) -> ClassScores:  # fmt: skip
    """Mean ``-log P_c`` of each document's distinct middle words by class; 0 if it is empty."""
    q, middle = models.models[0].vocabulary.probability(), models.n // 2
    candidates = Candidates.draw(q)
    scores = np.zeros((len(documents), len(models.models)))
    with one_blas_thread():
        for numbers in _blocks(documents):
            check_stop()
            windows = document_windows(documents.select(numbers), models.n)
            v = windows.v
            weight = word_weights(windows.document, v[:, middle], len(q))
            for c, model in enumerate(models.models):
                log_p = cloze_log_probability(model.rbm, v, middle, candidates)
                scores[numbers, c] = -np.bincount(windows.document, weight * log_p, len(numbers))
    return scores


def word_weights(document: DocumentNumbers, word: Ids, K: int) -> PerWindow:
    """The weight of each token: those of a word are alike, the words of a document too; sum 1."""
    words, index, tokens = np.unique(
        document * np.int64(K) + word, return_inverse=True, return_counts=True
    )
    distinct = np.bincount(words // K)
    return np.asarray(1.0 / (tokens[index] * distinct[document]))


def _blocks(documents: DocumentIds) -> Iterator[DocumentNumbers]:
    """The numbers of documents that are not empty, about `BLOCK_WORDS` words at a time."""
    nonempty = documents.nonempty()
    block = (np.cumsum(documents.lengths[nonempty]) - 1) // BLOCK_WORDS
    yield from np.split(nonempty, np.flatnonzero(np.diff(block)) + 1)


def cloze_key(job: FoldJob, data: Dataset) -> ResultKey:
    """The key of the cloze scores under a job's generative models."""
    return job.key(data, CLOZE, candidates=[HEAD, TAIL, SEED])


def score_job(job: FoldJob, context: JobContext) -> Record:
    """Load the generative models of a job; the cloze scores of documents under them."""
    data, vocabulary = context.data, build_vocabulary(job.config, context.data)
    models = load_class_models(job, GENERATIVE, data, context.cache)
    train = data.train.encode(vocabulary, models.n).select(data.scored(job.fold))
    splits = {"train": train}
    if job.fold is None:
        splits = {"test": data.test.encode(vocabulary, models.n)}
    return {
        f"{split}.{CLOZE}": cloze_scores(models, documents, context.progress.check_stop)
        for split, documents in splits.items()
    }


def load_cloze(config: ModelConfig, seed: int, data: Dataset, cache: ResultCache) -> TrainTest:
    """Load the contrasts of cloze scores, out-of-fold on training documents."""
    records = [cache.require(cloze_key(job, data)) for job in fold_jobs(config, seed)]
    return TrainTest(*map(contrast, out_of_fold(CLOZE, records, data)))
