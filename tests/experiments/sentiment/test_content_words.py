"""Documents without punctuation and frequent words."""

import numpy as np
from experiments.sentiment.content_words import drop_words, frequent_words, without_frequent
from experiments.sentiment.data import DocumentSet

from wordrbm.classification.documents import tokenize_documents

TEXTS = ["The film , the film ! 9/10", "the the plot ?", ". ,", "a film"]


def test_frequent_words_and_punctuation_are_dropped():
    tokenized = tokenize_documents(TEXTS, keep_digits=True)
    assert frequent_words(tokenized, 2) == {"the", "film"}
    shorter = drop_words(tokenized, frozenset({"the", "film"}))
    assert list(shorter.tokens()) == [["!", "9/10"], ["plot", "?"], [], ["a"]]


def test_the_words_are_those_of_the_training_documents(data):
    shorter = without_frequent(data, 3)
    words = frequent_words(data.train.tokenized, 3)
    for name in ("train", "test", "unlabelled"):
        before, after = getattr(data, name), getattr(shorter, name)
        assert isinstance(after, DocumentSet)
        np.testing.assert_array_equal(after.label, before.label)
        kept = [[x for x in tokens if x not in words and x.isalnum()]
                for tokens in before.tokenized.tokens()]  # fmt: skip
        assert list(after.tokenized.tokens()) == kept
    assert without_frequent(data, 0) is data
