"""Documents as ids: tokens, vocabulary, padding, windows and selection; labelled, from disk."""

import numpy as np
import pytest

from tests.reviews import write_reviews
from wordrbm.classification.documents import iter_tokens, read_labelled, tokenize_documents
from wordrbm.errors import WordRBMError
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


def test_the_tokens_of_every_document(tokenized):
    assert [" ".join(tokens) for tokens in tokenized.tokens()] == TEXTS


def test_the_vocabulary_has_the_most_frequent_words(tokenized):
    vocabulary = tokenized.vocabulary(3, 2)
    assert list(vocabulary.words[1:]) == ["c", "a", "b"]
    assert vocabulary.counts.sum() == tokenized.documents.ids.size
    assert tokenized.encode(vocabulary)[3].tolist() == [1, 1, 1]
    assert len(tokenized.vocabulary(10, 4)) == 2


def test_frequent_numbers_are_words_and_rare_ones_are_masked():
    tokenized = tokenize_documents(["9/10 9/10 8/10 1/10 a a", "7/10 b5 b6"], keep_digits=True)
    vocabulary = tokenized.vocabulary(10, 2)
    assert dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == {
        "<unk>": 0, "#/#": 3, "9/10": 2, "a": 2, "b#": 2,
    }  # fmt: skip
    new = tokenize_documents(["9/10 10/10 b7 c8"], keep_digits=True)
    words = [vocabulary.words[k] for k in new.encode(vocabulary).ids]
    assert words == ["9/10", "#/#", "b#", "<unk>"]


def test_counts_are_those_of_the_documents_as_encoded():
    texts = ["good " * 10 + "8 " * 4 + " ".join(map(str, range(10, 19)))]
    tokenized = tokenize_documents(texts, keep_digits=True)
    for size in (1, 2, 3):
        vocabulary = tokenized.vocabulary(size, 2)
        encoded = np.bincount(tokenized.encode(vocabulary).ids, minlength=len(vocabulary))
        assert encoded.tolist() == vocabulary.counts.tolist()


def test_a_vocabulary_of_masked_words_reads_digits_as_before():
    texts = ["In 1999 he gave 9/10.", "9/10 in 2001"]
    masked, kept = (tokenize_documents(texts, keep_digits=x) for x in (False, True))
    vocabulary = masked.vocabulary(10, 1)
    assert kept.encode(vocabulary).ids.tolist() == masked.encode(vocabulary).ids.tolist()


def test_documents_of_classes_keep_their_digits(tmp_path):
    for name, text in (("bad", "2/10"), ("good", "9/10")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(text)
    assert read_labelled(tmp_path).train.tokenized.words == ["2/10", "9/10"]


def test_training_and_test_documents_by_class(tmp_path):
    sets = read_labelled(write_reviews(tmp_path, count=20, test=8, unlabelled=4))
    assert sets.classes == ("animals", "money")
    assert sets.class_counts() == {"animals": 6, "money": 6}
    assert sets.test.label.tolist() == [0] * 4 + [1] * 4
    tokens = list(sets.train.tokenized.tokens())
    assert len(tokens) == 12
    assert {"bank", "fund", "trader", "firm"} & set(tokens[-1])
    data = sets.encode(3, 1, 2)
    np.testing.assert_array_equal(data.label, sets.train.label)
    assert len(data.documents) == 12


def test_a_test_folder_of_its_own(tmp_path):
    write_reviews(tmp_path / "mine", count=20, test=8, unlabelled=0)
    train, test = tmp_path / "mine" / "train", tmp_path / "mine" / "test"
    assert read_labelled(train).test is None
    assert len(read_labelled(train, test).test.label) == 8
    assert len(read_labelled(train, tmp_path / "mine").test.label) == 8
    (test / "weather").mkdir()
    (test / "weather" / "1.txt").write_text("rain")
    with pytest.raises(WordRBMError, match="and no other"):
        read_labelled(train, test)


def test_too_few_documents_or_words_are_refused(tmp_path):
    sets = read_labelled(write_reviews(tmp_path, count=20, test=8, unlabelled=0))
    with pytest.raises(WordRBMError, match="Class animals has 6 documents with words where 7"):
        sets.encode(3, 1, 7)
    with pytest.raises(WordRBMError, match="No word occurs 1000 times"):
        sets.encode(3, 1000, 2)
    with pytest.raises(WordRBMError, match="--encoding-errors is 'ignore'"):
        read_labelled(tmp_path, encoding_errors="ignore")
