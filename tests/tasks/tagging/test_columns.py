import io

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.columns import read_columns, received_columns


def written(tmp_path, text):
    path = tmp_path / "tags.txt"
    path.write_text(text)
    return path


def test_sentences_and_columns(tmp_path):
    text = "-DOCSTART- -X- O\n\nHe PRP B-NP\nruns\tVBZ  B-VP\n\n\nNow RB O"
    found = read_columns(written(tmp_path, text))
    assert [sentence.words for sentence in found] == [("He", "runs"), ("Now",)]
    assert found[0].labels == ("B-NP", "B-VP")
    assert found[0].columns[1] == ("PRP", "VBZ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a B O\nb O\n", "line 2 has 2 columns where 3 were expected"),
        ("a B O\n\nb B O extra\n", "line 3 has 4 columns"),
        ("\n\n", "holds no token"),
        ("", "holds no token"),
        ("a\x00b O\n", "line 1"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, text, told):
    with pytest.raises(WordRBMError, match=told):
        read_columns(written(tmp_path, text))


def test_the_number_of_columns_can_be_asked_for(tmp_path):
    with pytest.raises(WordRBMError, match="line 1 has 2 columns where 3 were expected"):
        read_columns(written(tmp_path, "a O\n"), columns=3)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(WordRBMError, match="is no file"):
        read_columns(tmp_path / "none.txt")
    with pytest.raises(WordRBMError, match="is no file"):
        read_columns(tmp_path)


def test_only_spaces_and_tabs_part_columns(tmp_path):
    (tmp_path / "a.txt").write_text("10\u00a0000\tCD B-NP\r\n\u2028 X  O \n")
    assert read_columns(tmp_path / "a.txt")[0].words == ("10\u00a0000", "\u2028")


def test_bad_letters_are_told_without_an_option_that_is_not_there(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 O\n")
    with pytest.raises(WordRBMError, match=r"line 1: .*with iconv -t UTF-8\.$"):
        read_columns(tmp_path / "a.txt")


def test_columns_through_a_pipe():
    found = received_columns(io.BytesIO(b"a X\nb Y\n\nc Z"), 2)
    assert [one.words for one in found] == [("a", "b"), ("c",)]
    with pytest.raises(WordRBMError, match="standard input, line 1 has 1 columns where 2"):
        received_columns(io.BytesIO(b"a\n"), 2)
