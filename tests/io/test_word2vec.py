import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors
from wordrbm.io.word2vec import read_word2vec, write_word2vec


def test_what_is_exported_comes_back(tmp_path):
    matrix = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    write_word2vec(Vectors(("a", "b", "#"), matrix), tmp_path / "v.txt", "word2vec")
    found = read_word2vec(tmp_path / "v.txt")
    assert found.words == ("a", "b", "#")
    np.testing.assert_array_equal(found.matrix, matrix)


def test_a_file_without_a_first_line_of_sizes(tmp_path):
    (tmp_path / "glove.txt").write_text("the 1 2\nthe 3 4\ncat 5 6\n")
    found = read_word2vec(tmp_path / "glove.txt")
    assert found.words == ("the", "cat")
    assert found["the"].tolist() == [1, 2]


@pytest.mark.parametrize("text", ["a 1 2\nb 1\n", "a 1 x\n", "a 1 nan\n", "a 1 2\nb\n"])
def test_a_bad_line_is_told(tmp_path, text):
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(WordRBMError, match=r"line \d is no word with"):
        read_word2vec(tmp_path / "v.txt")


def test_an_empty_file_is_told(tmp_path):
    (tmp_path / "v.txt").write_text("2 3\n")
    with pytest.raises(WordRBMError, match="no vector"):
        read_word2vec(tmp_path / "v.txt")


def test_words_with_spaces_and_vectors_of_one_number(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\nat name@x 3 4\n")
    assert read_word2vec(tmp_path / "v.txt").words == ("a", "at name@x")
    (tmp_path / "v.txt").write_text("a 0.5\nb 2\n")
    assert read_word2vec(tmp_path / "v.txt").matrix.tolist() == [[0.5], [2.0]]


def test_a_cut_off_file_is_told(tmp_path):
    (tmp_path / "v.txt").write_text("3 2\na 1 2\nb 1 2\n")
    with pytest.raises(WordRBMError, match="2 vectors where its first line says 3"):
        read_word2vec(tmp_path / "v.txt")
    with pytest.raises(WordRBMError, match="is no file"):
        read_word2vec(tmp_path / "none.txt")
