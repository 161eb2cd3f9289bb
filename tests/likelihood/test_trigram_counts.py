"""The count model against counting by hand, with dictionaries."""

from collections import Counter

import numpy as np
import pytest

from tests.corpora import prepared
from wordrbm.likelihood.trigram_counts import TrigramModel


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"), stories=12, vocabulary_size=15)


def stories(corpus):
    return [corpus.ids[start:end].tolist() for start, end, part in corpus.spans if part == 0]


def by_hand(corpus):
    """p(w | context) by dictionaries and the formula of the module's head."""
    grams = {
        n: Counter(tuple(s[k : k + n]) for s in stories(corpus) for k in range(len(s) - n + 1))
        for n in (2, 3)
    }
    q = corpus.vocabulary.probability()

    def p(word, context):
        if not context:
            return q[word]
        found = grams[len(context) + 1]
        total = sum(count for gram, count in found.items() if gram[:-1] == context)
        lower = p(word, context[1:])
        if not total:
            return lower
        once = sum(count == 1 for count in found.values())
        twice = sum(count == 2 for count in found.values())
        discount = (once + 1) / (once + 2 * twice + 2)
        different = sum(gram[:-1] == context for gram in found)
        return (max(found[(*context, word)] - discount, 0) + discount * different * lower) / total

    return p


def test_the_joint_is_the_product_of_the_factors(corpus, rng):
    model, p = TrigramModel.count(corpus), by_hand(corpus)
    v = rng.integers(len(corpus.vocabulary), size=(30, 4))
    expected = [
        sum(np.log(p(w, tuple(window[max(0, i - 2) : i]))) for i, w in enumerate(window))
        for window in v.tolist()
    ]
    np.testing.assert_allclose(model.log_joint(v), expected)


def test_every_conditional_sums_to_one(corpus):
    p = by_hand(corpus)
    K = len(corpus.vocabulary)
    for context in [(), (1,), (1, 2), (0, 3)]:
        assert sum(p(word, context) for word in range(K)) == pytest.approx(1.0)


def test_cloze_tries_every_word(corpus, rng):
    model = TrigramModel.count(corpus)
    v = rng.integers(len(corpus.vocabulary), size=(3, 3))
    scores = model.cloze_log_probability(v)
    for m, i in np.ndindex(3, 3):
        total = 0.0
        for k in range(len(corpus.vocabulary)):
            tried = v[m : m + 1].copy()
            tried[0, i] = k
            total += np.exp(model.log_joint(tried)[0])
        expected = model.log_joint(v[m : m + 1])[0] - np.log(total)
        assert scores[m, i] == pytest.approx(expected)
