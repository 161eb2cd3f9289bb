"""Training on documents: the same bits for any threads, a sound likelihood, no cost in K."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from wordrbm.errors import WordRBMError
from wordrbm.likelihood.length_annealing import document_perplexity, estimate_log_Z
from wordrbm.training.document_trainer import (
    DocumentSettings,
    DocumentTrainer,
    epoch_order,
    word_frequencies,
)

SETTINGS = DocumentSettings(
    hidden=4, batch_size=32, chains=32, shards=4, updates=1200, rate=0.03, seed=3
)


def two_topics(documents=200, K=20, seed=0):
    """Documents of 5 to 14 words, each from one half of the vocabulary for the most part."""
    rng, rows = np.random.default_rng(seed), []
    for _ in range(documents):
        topic, length = rng.integers(2), rng.integers(5, 15)
        words = rng.integers(0, K // 2, length) + np.where(
            rng.random(length) < 0.9, topic, 1 - topic
        ) * (K // 2)
        rows.append(np.bincount(words, minlength=K))
    return sparse.csr_matrix(np.array(rows))


def trained(counts, settings, threads=1):
    trainer = DocumentTrainer.start(counts, settings)
    for state in trainer.train(counts, threads=threads):
        trainer = state
    return trainer


@pytest.mark.parametrize("dimension", [None, 3])
def test_learns_the_topics(dimension):
    counts, held_out = two_topics(), two_topics(seed=1)
    settings = SETTINGS.model_copy(update={"dimension": dimension})
    model = trained(counts, settings).model()
    log_Z = estimate_log_Z(model, 15).log_Z
    q = word_frequencies(counts)
    length = np.asarray(held_out.sum(axis=1)).reshape(-1)
    unigram = np.exp(-((held_out @ np.log(q)) / length).mean())
    assert document_perplexity(model, held_out, log_Z) < 0.85 * unigram


def test_same_bits_for_any_number_of_threads():
    counts = two_topics(60)
    settings = SETTINGS.model_copy(update={"updates": 30})
    one, three = (trained(counts, settings, threads).model() for threads in (1, 3))
    for name in "DUbc":
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_an_update_allocates_nothing_of_the_size_of_the_vocabulary():
    K = 200_000
    small = two_topics(64)
    counts = sparse.csr_matrix((small.data, small.indices, small.indptr), (64, K))
    updates = DocumentTrainer.start(counts, SETTINGS).train(counts)
    next(updates)
    tracemalloc.start()
    next(updates)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < K


def test_the_order_is_a_function_of_seed_and_epoch():
    first = epoch_order(40, 3, 0)
    assert sorted(first) == list(range(40))
    np.testing.assert_array_equal(first, epoch_order(40, 3, 0))
    assert (first != epoch_order(40, 3, 1)).any()


def test_divergence_is_one_sentence():
    settings = SETTINGS.model_copy(update={"rate": 1e6})
    with pytest.raises(WordRBMError, match="lower rate"):
        trained(two_topics(40), settings)
