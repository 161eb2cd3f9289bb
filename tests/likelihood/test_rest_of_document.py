"""The rest of a document, against enumeration of all hidden vectors."""

import itertools

import numpy as np
from scipy import sparse

from tests.likelihood.test_document_completion import documents
from tests.likelihood.test_length_annealing import H, model  # noqa: F401 - a fixture
from wordrbm.likelihood.document_completion import next_word_scores
from wordrbm.likelihood.rest_of_document import rest_probabilities


def slow_probabilities(rbm, document, unseen):
    """``sum_h P(h | v) softmax(b + h W)``, with the unseen words summed out in every term."""
    W, total = rbm.U @ rbm.D.T, 0.0
    length = document.sum() + unseen
    for h in np.array(list(itertools.product((0.0, 1.0), repeat=H))):
        words = np.exp(rbm.b + h @ W)
        mass = np.exp(document @ (h @ W) + length * (h @ rbm.c)) * words.sum() ** unseen
        total = total + mass * words / words.sum()
    return total / total.sum()


def test_probabilities_are_those_of_enumeration(model):  # noqa: F811
    counts = documents(6)
    unseen = np.array([1, 2, 5, 9, 0, 30])
    (found,) = rest_probabilities(model, counts, unseen, sweeps=20_000)
    for row, p in enumerate(found):
        slow = slow_probabilities(model, counts[row].toarray()[0], unseen[row])
        np.testing.assert_allclose(p, slow, atol=0.01)


def test_one_unseen_word_is_the_next_word(model):  # noqa: F811
    counts = documents(1)
    slow = slow_probabilities(model, counts.toarray()[0], 1)
    growth = np.expm1(model.topic_weights() + model.c[:, None])
    exact = np.exp(next_word_scores(model, model.hidden_mean(counts)[0], growth))
    np.testing.assert_allclose(slow, exact)


def test_the_same_seed_gives_the_same_bits_in_blocks(model, monkeypatch):  # noqa: F811
    monkeypatch.setattr("wordrbm.likelihood.rest_of_document.BLOCK", 3)
    counts, unseen = sparse.csr_matrix(documents(7)), np.arange(7)
    first, again, other = (
        list(rest_probabilities(model, counts, unseen, sweeps=5, seed=seed)) for seed in (1, 1, 2)
    )
    assert [len(block) for block in first] == [3, 3, 1]
    np.testing.assert_array_equal(np.concatenate(first), np.concatenate(again))
    assert not np.array_equal(np.concatenate(first), np.concatenate(other))
