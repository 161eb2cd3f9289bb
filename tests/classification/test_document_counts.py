"""Documents as counts: which words count, where they come from."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from tests.corpora import prepared
from wordrbm.classification.document_counts import (
    WordSelection,
    count_corpus,
    count_words,
    read_counts,
    select_words,
    take_log_counts,
)
from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import WordRBMError

TEXTS = ["the cat , the dog", "the cat 12", "the dog runs", "the cow , 12"]


def counted(**selection):
    tokenized = tokenize_documents(TEXTS)
    vocabulary = select_words(tokenized, WordSelection(min_count=1, **selection))
    counts = count_words(tokenized.encode(vocabulary), len(vocabulary) - 1)
    return vocabulary.words[1:], counts.toarray()


def test_counts_are_those_of_the_tokens():
    words, counts = counted()
    for text, row in zip(tokenize_documents(TEXTS).tokens(), counts, strict=True):
        assert Counter(text) == {w: n for w, n in zip(words, row, strict=True) if n}


def test_words_that_tell_nothing_are_left_out():
    assert set(counted()[0]) == {"the", "cat", ",", "dog", "#", "runs", "cow"}
    assert set(counted(letters=True)[0]) == {"the", "cat", "dog", "runs", "cow"}
    assert set(counted(letters=True, max_share=0.5)[0]) == {"cat", "dog", "runs", "cow"}
    assert set(counted(letters=True, max_share=0.4)[0]) == {"runs", "cow"}
    assert counted(vocabulary_size=2)[0] == ("the", "#")
    with pytest.raises(WordRBMError, match="at most 10% of the documents"):
        counted(letters=True, max_share=0.1)


def test_spans_of_a_corpus_are_documents(tmp_path):
    corpus = prepared(tmp_path)
    counts, vocabulary = count_corpus(corpus, "train")
    spans = corpus.spans[corpus.spans[:, 2] == 0]
    assert counts.shape == (len(spans), len(vocabulary) - 1)
    start, end, _ = spans[1]
    expected = np.bincount(corpus.ids[start:end], minlength=len(vocabulary))[1:]
    np.testing.assert_array_equal(counts[1].toarray()[0], expected)


def test_a_matrix_of_counts_is_read(tmp_path):
    counts = sparse.csr_matrix([[1, 0, 2], [0, 3, 0]])
    sparse.save_npz(tmp_path / "a.npz", counts)
    found = read_counts(tmp_path / "a.npz", ["x", "y", "z"])
    np.testing.assert_array_equal(found.counts.toarray(), counts.toarray())
    assert found.vocabulary.words == ("<unk>", "x", "y", "z")
    assert found.vocabulary.counts.tolist() == [0, 1, 3, 2]
    assert read_counts(tmp_path / "a.npz").vocabulary.words[1:] == ("0", "1", "2")
    for words in (["x"], ["x", "x", "y"], ["<unk>", "x", "y"]):
        with pytest.raises(WordRBMError, match="all of them different"):
            read_counts(tmp_path / "a.npz", words)


def test_what_is_no_matrix_of_counts_is_one_sentence(tmp_path):
    (tmp_path / "text.npz").write_text("nothing")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "objects.npz", format=np.array([{}], dtype=object), allow_pickle=True)
    sparse.save_npz(tmp_path / "negative.npz", sparse.csr_matrix([[1, -1]]))
    for name in ("text", "other", "objects", "negative"):
        with pytest.raises(WordRBMError, match="no matrix of counts"):
            read_counts(tmp_path / f"{name}.npz")
    sparse.save_npz(tmp_path / "shares.npz", sparse.csr_matrix([[1, 0.25], [0.5, 2]]))
    with pytest.raises(WordRBMError, match=r"shares\.npz holds 0\.25, which is no whole number"):
        read_counts(tmp_path / "shares.npz")
    with pytest.raises(WordRBMError, match="Could not read"):
        read_counts(tmp_path / "nowhere.npz")
    broken = sparse.csr_matrix([[1.0, 2.0]])
    broken.indices[0] = 99
    np.savez(
        tmp_path / "broken.npz", format=np.array(b"csr"), shape=broken.shape, data=broken.data,
        indices=broken.indices, indptr=broken.indptr,
    )  # fmt: skip
    with pytest.raises(WordRBMError, match="no matrix of counts"):
        read_counts(tmp_path / "broken.npz")


def test_log_counts_are_rounded():
    counts = sparse.csr_matrix([[1.0, 2.0, 4.0, 11.0, 100.0]])
    assert take_log_counts(counts).toarray().tolist() == [[1, 1, 2, 2, 5]]
    assert counts.toarray().tolist() == [[1, 2, 4, 11, 100]]
