"""The measures of a topic model: perplexity, document completion, retrieval, coherence.

Validation documents, split from the training set, choose among models; the test set is read once.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from wordrbm.likelihood.length_annealing import document_perplexity, estimate_log_Z, log_Z_bound
from wordrbm.likelihood.rest_of_document import rest_probabilities
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array
from wordrbm.training.document_trainer import word_frequencies

SHARES = (0.0002, 0.002, 0.02, 0.2)  # retrieved of the training documents, or of the relevant ones
BLOCK = 16  # documents whose next words are scored at once


class Retrieval(NamedTuple):
    """Mean precision at every one of `SHARES`."""

    by_share: list[float]  # of the training documents retrieved, as the published curves have it
    by_recall: list[float]  # of the relevant documents found


def split_validation(counts: Any, size: int) -> tuple[Any, Any]:
    """Training and validation documents, chosen by a fixed seed."""
    order = np.random.default_rng(0).permutation(counts.shape[0])
    return counts[order[size:]], counts[order[:size]]


def measure_perplexity(
    model: ReplicatedSoftmaxRBM, train: Any, documents: Any, particles: int = 128
) -> dict[str, float]:
    """Perplexity per word by annealing, with its checks; nothing without particles.

    Annealing and the bound cost O(K) for every particle, step and topic, and for every document.
    """
    if particles == 0:
        return {}
    lengths = np.asarray(documents.sum(axis=1)).reshape(-1)
    longest, used = int(lengths.max()), np.unique(lengths).astype(int)
    estimate = estimate_log_Z(model, longest, particles=particles, seed=2)
    bound = log_Z_bound(model, train, longest)
    error = estimate.standard_error[lengths.astype(int)] / np.maximum(lengths, 1)
    return {
        "perplexity": document_perplexity(model, documents, estimate.log_Z),
        "perplexity_if_bound": document_perplexity(
            model, documents, np.maximum(estimate.log_Z, bound)
        ),
        "relative_error": float(error.mean()),
        "bound_above_estimate": float((bound - estimate.log_Z)[used].max()),
        "smallest_sample_size": float(estimate.effective_sample_size[used].min()),
        "share_below_ten": float((estimate.effective_sample_size[lengths.astype(int)] < 10).mean()),
    }


def measure_completion(
    model: ReplicatedSoftmaxRBM, documents: Any, *, by_length: bool
) -> dict[str, float]:
    """Perplexity of second halves word by word, and as the rest of a document of known length.

    The latter samples, and costs O(K) for every document, topic and step.
    """
    first, second = split_halves(documents)
    measured = {"completion": completion_perplexity(next_word(model, first), second)}
    if by_length:
        unseen = np.asarray(second.sum(axis=1)).reshape(-1).astype(np.int64)
        rest = rest_probabilities(model, first, unseen)
        measured["completion_by_length"] = completion_perplexity(rest, second)
    return measured


def split_halves(counts: Any) -> tuple[Any, Any]:
    """The words of every document at even places of a fixed shuffle, and those at odd ones."""
    rng, parts = np.random.default_rng(1), ([], [])  # type: tuple[Any, tuple[list[Any], list[Any]]]
    for row in range(counts.shape[0]):
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        words = rng.permutation(
            np.repeat(counts.indices[entries], counts.data[entries].astype(int))
        )
        if words.size > 1:
            for part, start in zip(parts, (0, 1), strict=True):
                part.append(words[start::2])
    first, second = (_as_counts(part, counts.shape[1]) for part in parts)
    return first, second


def _as_counts(documents: list[Array], K: int) -> Any:
    offsets = np.append(0, np.cumsum([words.size for words in documents]))
    words = np.concatenate(documents)
    counts = sparse.csr_matrix((np.ones(words.size), words, offsets), (len(documents), K))
    counts.sum_duplicates()
    return counts


def completion_perplexity(probabilities: Iterator[Array], observed: Any) -> float:
    """``exp(-mean_t mean_i log p(w_i | first half))`` over the second halves."""
    scores, row = [], 0
    for block in probabilities:
        for p in block:
            entries = slice(observed.indptr[row], observed.indptr[row + 1])
            times = observed.data[entries]
            scores.append((times * np.log(p[observed.indices[entries]])).sum() / times.sum())
            row += 1
    return float(np.exp(-np.mean(scores)))


def next_word(model: ReplicatedSoftmaxRBM, counts: Any) -> Iterator[Array]:
    """``P(w | the words of a document)`` over all words, exact, by blocks of documents.

    With s_j = P(h_j = 1 | v) it is ``exp(b_w) prod_j (1 + s_j (exp(c_j + W_jw) - 1))``, normalized.
    """
    growth = np.expm1(model.topic_weights().astype(np.float64) + model.c[:, None])
    for first in range(0, counts.shape[0], BLOCK):
        mean = model.hidden_mean(counts[first : first + BLOCK])
        product = np.tile(np.exp(model.b.astype(np.float64)), (len(mean), 1))
        for j in range(len(growth)):
            product *= 1.0 + mean[:, j, None] * growth[j]
        yield product / product.sum(axis=1, keepdims=True)


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
) -> Retrieval:
    """Mean precision of the nearest training documents by cosine."""
    train, test = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
                   for x in (train, test))  # fmt: skip
    depth = [max(1, round(share * len(train))) for share in SHARES]
    relevant = np.bincount(train_group)
    by_share, by_recall = np.zeros(len(SHARES)), np.zeros(len(SHARES))
    for first in range(0, len(test), 500):
        block = slice(first, first + 500)
        order = np.argsort(-(test[block] @ train.T), axis=1, kind="stable")
        same = train_group[order] == test_group[block, None]
        by_share += [same[:, :count].mean(axis=1).sum() for count in depth]
        found = np.cumsum(same, axis=1)
        for place, share in enumerate(SHARES):
            wanted = np.ceil(share * relevant[test_group[block]])[:, None]
            retrieved = 1 + np.argmax(found >= wanted, axis=1)
            by_recall[place] += (wanted[:, 0] / retrieved).sum()
    return Retrieval((by_share / len(test)).tolist(), (by_recall / len(test)).tolist())
