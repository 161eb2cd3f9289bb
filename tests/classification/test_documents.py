"""Documents as ids: tokens, vocabulary, padding, windows and selection."""

import numpy as np
import pytest

from wordrbm.classification.documents import iter_tokens, tokenize_documents
from wordrbm.text.tokenizer import tokenize

TEXTS = ["a b c d e f a", "", "b", "c c c", "f e d c b a f e d"]


@pytest.fixture
def tokenized():
    return tokenize_documents(TEXTS)


@pytest.mark.parametrize(
    "document",
    ["He gave it 10.<br />nice", "Corp.<br />its", 'so.<br>"Yes," he said', "a<BR  />b<br\n/>c"],
)
def test_a_document_has_the_tokens_of_the_training_text(document):
    (tokens,) = iter_tokens([document])
    assert tokens == tokenize(document)
    assert "br" not in tokens


def test_short_documents_are_padded_and_empty_ones_are_not(tokenized):
    documents = tokenized.encode(tokenized.vocabulary(10, 2)).pad(3)
    assert documents.lengths.tolist() == [7, 0, 3, 3, 9]
    assert documents[2][1:].tolist() == [0, 0]
    assert len(documents.windows(3, np.array([0, 2, 4]))) == 5 + 1 + 7
    assert len(documents.windows(3)) == 5 + 1 + 1 + 7
    assert documents.nonempty().tolist() == [0, 2, 3, 4]
    selected = documents.select(np.array([4, 1, 2]))
    assert selected.lengths.tolist() == [9, 0, 3]
    np.testing.assert_array_equal(selected[0], documents[4])


def test_documents_are_selected_and_concatenated(tokenized):
    assert [" ".join(tokens) for tokens in tokenized.tokens()] == TEXTS
    selected = tokenized.select(np.array([4, 0]))
    assert list(selected.tokens()) == [TEXTS[4].split(), TEXTS[0].split()]
    both = tokenized.concat(tokenize_documents(["z a", "b"]))
    assert list(both.tokens())[-2:] == [["z", "a"], ["b"]]
    assert both.documents.offsets.tolist() == [*tokenized.documents.offsets.tolist(), 22, 23]
    assert len(both) == 7


def test_the_vocabulary_has_the_most_frequent_words(tokenized):
    vocabulary = tokenized.vocabulary(3, 2)
    assert list(vocabulary.words[1:]) == ["c", "a", "b"]
    assert vocabulary.counts.sum() == tokenized.documents.ids.size
    assert tokenized.encode(vocabulary)[3].tolist() == [1, 1, 1]
    assert len(tokenized.vocabulary(10, 4)) == 2
