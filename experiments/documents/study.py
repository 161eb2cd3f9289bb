"""The measures of a topic model: perplexity, document completion, retrieval; and their runs.

Validation documents, split from the training set, choose among the models of one run; the test
set is read once, for the chosen one.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from wordrbm.likelihood.length_annealing import (
    document_perplexity,
    estimate_log_Z,
    log_Z_bound,
)
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array
from wordrbm.training.document_trainer import DocumentSettings, DocumentTrainer, word_frequencies

RETRIEVED = (0.0002, 0.002, 0.02, 0.2)
BLOCK = 16  # documents whose next words are scored at once
Report = Callable[[str], None]


def split_validation(counts: Any, size: int) -> tuple[Any, Any]:
    """Training and validation documents, chosen by a fixed seed."""
    order = np.random.default_rng(0).permutation(counts.shape[0])
    return counts[order[size:]], counts[order[:size]]


def train_chosen(
    train: Any, validation: Any, settings: DocumentSettings, every: int, report: Report
) -> tuple[ReplicatedSoftmaxRBM, float, float]:
    """The model with the lowest validation perplexity, that perplexity, and seconds of updates."""
    trainer, best, seconds = DocumentTrainer.start(train, settings), np.inf, 0.0
    longest, model, began = int(validation.sum(axis=1).max()), trainer.model(), time.perf_counter()
    for state in trainer.train(train):
        if state.step % every == 0 or state.step == settings.updates:
            seconds += time.perf_counter() - began
            current = state.model()
            estimate = estimate_log_Z(current, longest, particles=32)
            score = document_perplexity(current, validation, estimate.log_Z)
            report(f"seed {settings.seed}, update {state.step}: validation perplexity {score:.1f}")
            if score < best:
                model, best = current, score
            began = time.perf_counter()
    return model, best, seconds


def measure_perplexity(model: ReplicatedSoftmaxRBM, train: Any, test: Any) -> dict[str, float]:
    """Test perplexity per word by annealing, with its checks."""
    longest = int(test.sum(axis=1).max())
    estimate = estimate_log_Z(model, longest, particles=128, seed=2)
    bound, lengths = log_Z_bound(model, train, longest), np.asarray(test.sum(axis=1)).reshape(-1)
    used = np.unique(lengths).astype(int)
    return {
        "perplexity": document_perplexity(model, test, estimate.log_Z),
        "perplexity_if_bound": document_perplexity(model, test, np.maximum(estimate.log_Z, bound)),
        "bound_above_estimate": float((bound - estimate.log_Z)[used].max()),
        "smallest_sample_size": float(estimate.effective_sample_size[used].min()),
    }


def split_halves(counts: Any) -> tuple[Any, Any]:
    """The words of every document at even places, and at odd ones, by a fixed shuffle."""
    rng, halves = np.random.default_rng(1), ([], [])  # type: tuple[Any, tuple[list[Any], list[Any]]]
    for row in range(counts.shape[0]):
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        words = np.repeat(counts.indices[entries], counts.data[entries].astype(int))
        words = rng.permutation(words)
        for half, start in zip(halves, (0, 1), strict=True):
            half.append(np.bincount(words[start::2], minlength=counts.shape[1]))
    first, second = (sparse.csr_matrix(np.array(half)) for half in halves)
    whole = np.asarray(second.sum(axis=1)).reshape(-1) > 0
    return first[whole], second[whole]


def completion_perplexity(probabilities: Iterator[Array], observed: Any) -> float:
    """``exp(-mean_t mean_i log p(w_i | first half))`` over the second halves."""
    scores, row = [], 0
    for block in probabilities:
        part = observed[row : row + len(block)].toarray()
        scores += ((part * np.log(block)).sum(axis=1) / part.sum(axis=1)).tolist()
        row += len(block)
    return float(np.exp(-np.mean(scores)))


def next_word(model: ReplicatedSoftmaxRBM, counts: Any) -> Iterator[Array]:
    """``P(w | the words of a document)`` over all words, exact, by blocks of documents."""
    W = model.topic_weights().astype(np.float64)
    for first in range(0, counts.shape[0], BLOCK):
        inputs = model.hidden_input(counts[first : first + BLOCK]) + model.c
        gain = np.zeros((len(inputs), W.shape[1]))
        for j in range(len(W)):
            gain += np.logaddexp(0.0, inputs[:, j, None] + W[j])
        scores = gain + model.b
        yield np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])


def mixture(topics: Array, words: Array) -> Iterator[Array]:
    """``sum_k theta_k phi_k`` of every document, by blocks."""
    for first in range(0, len(topics), BLOCK):
        yield topics[first : first + BLOCK] @ words


def unigram_perplexity(train: Any, test: Any) -> float:
    """Per word from word frequencies alone, each document counted once."""
    lengths = np.asarray(test.sum(axis=1)).reshape(-1)
    log_p = test @ np.log(word_frequencies(train))
    return float(np.exp(-(log_p / lengths).mean()))


def retrieval_precision(
    train: Array, train_group: Array, test: Array, test_group: Array
) -> list[float]:
    """Mean precision of the nearest training documents by cosine, at each share `RETRIEVED`."""
    train, test = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
                   for x in (train, test))  # fmt: skip
    depth = [max(1, round(share * len(train))) for share in RETRIEVED]
    hits = np.zeros(len(RETRIEVED))
    for first in range(0, len(test), 500):
        block = slice(first, first + 500)
        order = np.argsort(-(test[block] @ train.T), axis=1, kind="stable")[:, : depth[-1]]
        same = train_group[order] == test_group[block, None]
        hits += [same[:, :count].mean(axis=1).sum() for count in depth]
    return (hits / len(test)).tolist()  # type: ignore[no-any-return]
