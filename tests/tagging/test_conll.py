import io

import pytest

from tests.tagging.sentences import write_task
from wordrbm.errors import WordRBMError
from wordrbm.tagging.conll import read_conll, read_conll_stream, read_splits, split_dev


def written(tmp_path, text):
    path = tmp_path / "tags.txt"
    path.write_text(text)
    return path


def test_sentences_and_columns(tmp_path):
    text = "-DOCSTART- -X- O\n\nHe PRP B-NP\nruns\tVBZ  B-VP\n\n\nNow RB O"
    sentences = read_conll(written(tmp_path, text))
    assert [sentence.words for sentence in sentences] == [("He", "runs"), ("Now",)]
    assert sentences[0].labels == ("B-NP", "B-VP")
    assert sentences[0].columns[1] == ("PRP", "VBZ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a B O\nb O\n", "line 2 has 2 columns where 3 were expected"),
        ("a B O\n\nb B O extra\n", "line 3 has 4 columns"),
        ("\n\n", "holds no token"),
        ("", "holds no token"),
        ("a\x00b O\n", "line 1"),
    ],
)
def test_a_malformed_line_is_reported_by_number(tmp_path, text, message):
    with pytest.raises(WordRBMError, match=message):
        read_conll(written(tmp_path, text))


def test_the_number_of_columns_can_be_given(tmp_path):
    with pytest.raises(WordRBMError, match="line 1 has 2 columns where 3 were expected"):
        read_conll(written(tmp_path, "a O\n"), columns=3)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="is not a file"):
        read_conll(tmp_path / "none.txt")
    with pytest.raises(WordRBMError, match="is not a file"):
        read_conll(tmp_path)


def test_only_spaces_and_tabs_separate_columns(tmp_path):
    (tmp_path / "a.txt").write_text("10\u00a0000\tCD B-NP\r\n\u2028 X  O \n")
    assert read_conll(tmp_path / "a.txt")[0].words == ("10\u00a0000", "\u2028")


def test_a_decoding_error_names_no_option_of_another_command(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 O\n")
    with pytest.raises(WordRBMError, match=r"line 1: .*with iconv -t UTF-8\.$"):
        read_conll(tmp_path / "a.txt")


def test_columns_from_a_pipe():
    sentences = read_conll_stream(io.BytesIO(b"a X\nb Y\n\nc Z"), 2)
    assert [sentence.words for sentence in sentences] == [("a", "b"), ("c",)]
    with pytest.raises(WordRBMError, match="standard input, line 1 has 1 column where 2"):
        read_conll_stream(io.BytesIO(b"a\n"), 2)


def test_without_a_dev_file_a_ninth_of_training_is_held_out(tmp_path):
    splits = read_splits(write_task(tmp_path, train=90))
    assert (len(splits.train), len(splits.dev), len(splits.test)) == (80, 10, 20)
    assert sorted(splits.train_and_dev) == sorted(read_conll(tmp_path / "train.txt"))
    assert read_splits(tmp_path).digest() == splits.digest()


def test_a_published_dev_partition_is_removed_from_training(tmp_path):
    write_task(tmp_path)
    blocks = (tmp_path / "train.txt").read_text().split("\n\n")
    (tmp_path / "part.txt").write_text("\n\n".join(blocks[5:9]))
    splits = read_splits(tmp_path, tmp_path / "part.txt")
    assert (len(splits.train), len(splits.dev)) == (56, 4)
    (tmp_path / "dev.txt").write_text("\n\n".join(blocks[:2]))
    assert len(read_splits(tmp_path).dev) == 2


def test_other_dev_sentences_leave_training_as_it_is(tmp_path):
    write_task(tmp_path)
    (tmp_path / "dev.txt").write_text("an DT B-NP\nowl NN I-NP\n")
    splits = read_splits(tmp_path)
    assert (len(splits.train), len(splits.dev)) == (60, 1)


def test_missing_or_unusable_files_are_refused(tmp_path):
    with pytest.raises(WordRBMError, match=r"no train\.txt"):
        read_splits(tmp_path)
    with pytest.raises(WordRBMError, match="nowhere is neither a file nor a folder"):
        read_splits(tmp_path / "nowhere")
    write_task(tmp_path)
    (tmp_path / "test.txt").write_text("one two three\nfour five\n")
    with pytest.raises(WordRBMError, match=r"line 2 has 2 columns where 3 .*train\.txt has 3"):
        read_splits(tmp_path)
    (tmp_path / "train.txt").write_text("one\ntwo\n")
    with pytest.raises(WordRBMError, match="one column"):
        read_splits(tmp_path)
    with pytest.raises(WordRBMError, match="are too few"):
        split_dev(read_conll(tmp_path / "train.txt"))
    (tmp_path / "train.txt").write_text("a X O\n")
    (tmp_path / "test.txt").write_text("a X O\n")
    with pytest.raises(WordRBMError, match="no sentence left"):
        read_splits(tmp_path, tmp_path / "train.txt")


def test_a_training_file_alone_and_files_by_name(tmp_path):
    write_task(tmp_path)
    alone = read_splits(tmp_path / "train.txt")
    assert (len(alone.train), len(alone.dev), alone.test) == (54, 6, [])
    named = read_splits(tmp_path / "train.txt", test=tmp_path / "test.txt")
    assert len(named.test) == 20
    assert named.digest() == read_splits(tmp_path).digest() != alone.digest()
