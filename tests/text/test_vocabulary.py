import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.errors import WordRBMError
from wordrbm.text.vocabulary import Vocabulary

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n")
odd = st.sampled_from(["\u2028", "\xa0", "a\r", "\r", "\x0b", "\x1c", "\x85", "\ufeff", " ", "#"])
words = st.lists(st.text(characters, min_size=1) | odd, unique=True).filter(
    lambda chosen: "<unk>" not in chosen
)
counts = st.integers(0, 10**18 - 1)


@given(words, st.data())
def test_a_vocabulary_is_read_as_it_was_written(tmp_path_factory, words, data):
    rows = [(word, data.draw(counts)) for word in words]
    vocabulary = Vocabulary.build(rows, unknown=data.draw(counts))
    path = tmp_path_factory.mktemp("v") / "vocabulary.tsv"
    vocabulary.write(path)
    again = Vocabulary.read(path)
    assert again.words == vocabulary.words == ("<unk>", *words)
    np.testing.assert_array_equal(again.counts, vocabulary.counts)
    assert again.digest() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_out_of_vocabulary_tokens_are_the_unknown_word():
    vocabulary = Vocabulary.build([("the", 5), ("cat", 2)], unknown=3)
    ids = vocabulary.ids(["cat", "sat", "the", "<unk>"])
    assert ids.dtype == np.int32
    assert ids.tolist() == [2, 0, 1, 0]
    assert len(vocabulary) == 3


def test_no_word_has_probability_zero():
    vocabulary = Vocabulary.build([("the", 6), ("cat", 3)], unknown=0)
    np.testing.assert_allclose(vocabulary.probability(), [0.1, 0.6, 0.3])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1 does not begin with it where the unknown word <unk> first"),
        (b"the\t5\n", "line 1 does not begin"),
        (b"<unk>\t5\nthe 4\n", "line 2 is 'the 4'"),
        (b"<unk>\t5\nthe\t\n", "line 2 is"),
        (b"<unk>\t5\nthe\t-4\n", "line 2 is"),
        (b"<unk>\t5\nthe\t4\t4\n", "line 2 is"),
        (b"<unk>\t5\n\t4\n", "line 2 is"),
        (b"<unk>\t5\n\n", "line 2 is"),
        (b"<unk>\t5\nthe\t4", "line 2 is cut short"),
        (b"<unk>\t5\nthe\t4\na\t3\nthe\t2\n", "line 4 repeats 'the' of line 2"),
        (b"<unk>\t5\na\t9\n\xff\t4\n", "line 3 is not UTF-8"),
        (b"<unk>\t" + b"9" * 30 + b"\n", "line 1 is"),
    ],
)
def test_a_damaged_file_is_refused_by_line(tmp_path, content, message):
    path = tmp_path / "vocabulary.tsv"
    path.write_bytes(content)
    with pytest.raises(WordRBMError, match=message):
        Vocabulary.read(path)


@pytest.mark.parametrize("word", ["a\tb", "a\nb", ""])
def test_a_word_that_could_not_be_read_again_is_not_written(tmp_path, word):
    with pytest.raises(WordRBMError, match="line 2 would hold"):
        Vocabulary.build([(word, 1)], unknown=0).write(tmp_path / "v.tsv")
    assert not any(tmp_path.iterdir())


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="No such file"):
        Vocabulary.read(tmp_path / "vocabulary.tsv")
