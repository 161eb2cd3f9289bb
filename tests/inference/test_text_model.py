"""Texts longer than a window, against a source whose windows are known exactly."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests import reference
from wordrbm.inference.text_model import (
    Factor,
    TextModel,
    factors_covering,
    softmax,
    word_log_scores,
)
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary

K, LENGTH, BLANK = 3, 5, 2


def product_of_windows(rbm, text, blank):
    """P of every word at a blank if all windows that hold it are multiplied."""
    n = rbm.positions
    weights = np.ones(K)
    for k, s in itertools.product(range(K), range(len(text) - n + 1)):
        window = [k if s + i == blank else text[s + i] for i in range(n)]
        weights[k] *= reference.mass(rbm, window) if s <= blank < s + n else 1.0
    return weights / weights.sum()


def attracting(bias, strength):
    """Bigram windows whose words attract their own kind by a strength.

    Both positions are alike, so these windows are those of a Markov chain.
    """
    U = np.stack([strength * np.eye(K)] * 2)
    rbm = WordRepRBM(D=np.eye(K), U=U, b=np.array(bias), c=np.full(K, -strength))
    pair = np.array([reference.mass(rbm, v) for v in itertools.product(range(K), repeat=2)])
    pair = pair.reshape(K, K) / pair.sum()
    a, b, c = np.round(10_000 * pair.sum(axis=1)).astype(int)
    vocabulary = Vocabulary.build([("one", int(b)), ("two", int(c))], int(a))
    return TextModel.from_rbm(rbm, vocabulary), pair


def chain_probability(pair, text):
    """P(text) of the Markov chain with this distribution of two words in a row."""
    single = pair.sum(axis=1)
    return single[text[0]] * np.prod([pair[a, b] / single[a] for a, b in itertools.pairwise(text)])


def cross_entropies(model, pair):
    """The mean of -log P(middle word | rest) by the chain itself, by the model, by the product."""
    losses = np.zeros(3)
    for text in itertools.product(range(K), repeat=LENGTH):
        filled = [chain_probability(pair, [*text[:BLANK], k, *text[BLANK + 1 :]]) for k in range(K)]
        found = softmax(word_log_scores(model, np.array([text]), BLANK))[0]
        product = product_of_windows(model.rbm, text, BLANK)
        answers = np.array([np.array(filled) / sum(filled), found, product])
        losses -= filled[text[BLANK]] * np.log(answers[:, text[BLANK]])
    return losses


def test_words_that_are_independent_keep_their_probabilities():
    model, _ = attracting(np.log([0.2, 0.5, 0.3]), 0.0)
    found = softmax(word_log_scores(model, np.array([[0, 1, 2, 2, 1]]), BLANK))[0]
    np.testing.assert_allclose(found, [0.2, 0.5, 0.3], rtol=1e-12)


def test_words_of_a_markov_chain_lose_less_than_by_the_product_of_windows():
    model, pair = attracting(np.log([0.1, 0.6, 0.3]), 1.0)
    entropy, loss, product = cross_entropies(model, pair)
    assert entropy <= loss < product
    assert loss - entropy < 0.05 * (product - entropy)


def test_a_text_of_one_window_has_the_exact_conditional(trained):
    model = TextModel.from_rbm(trained.rbm, trained.vocabulary)
    for blank in range(3):
        found = softmax(word_log_scores(model, np.array([[1, 2, 3]]), blank))[0]
        expected = reference.cloze(trained.rbm, [1, 2, 3], blank)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("length", [3, 4, 5, 8])
def test_probabilities_of_all_words_sum_to_one(trained, length):
    words = (["the", "cat", "zebra", "on"] * 2)[:length]
    for blank in range(length):
        found = trained.fill([*words[:blank], None, *words[blank + 1 :]], count=5).blanks[0]
        assert sum(p for _, p in found.words) + found.unknown == pytest.approx(1.0, rel=1e-12)


def test_every_word_counts_once():
    for n, T in ((1, 4), (2, 5), (3, 9), (5, 9)):
        for place in range(T):
            factors = factors_covering([place], n, T)
            assert sum(factor.weight for factor in factors) == pytest.approx(1.0)
            assert all(factor.holds(place, n) for factor in factors)


def test_two_windows_share_their_overlap():
    assert factors_covering([1], 3, 4) == [
        Factor(0, None, 1.0),
        Factor(1, None, 1.0),
        Factor(0, 0, -0.5),
        Factor(1, 2, -0.5),
    ]


def test_answers_do_not_depend_on_the_factorisation(trained, rng):
    A = rng.normal(size=(6, 6))
    rbm = trained.rbm
    other = replace(trained, rbm=replace(rbm, D=rbm.D @ A, U=rbm.U @ np.linalg.inv(A).T))
    a, b = (m.fill("on ___ said the cat", 4).blanks[0].words for m in (trained, other))
    assert [word for word, _ in a] == [word for word, _ in b]
    np.testing.assert_allclose([p for _, p in a], [p for _, p in b], rtol=1e-7)
