import pytest

from tests.tasks.tagging.sentences import write_task
from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.columns import read_columns
from wordrbm.tasks.tagging.task import cut, read_task


def test_a_ninth_is_for_choosing_where_nothing_is_said(tmp_path):
    task = read_task(write_task(tmp_path, train=90))
    assert (len(task.train), len(task.valid), len(task.test)) == (80, 10, 20)
    assert sorted(task.both) == sorted(read_columns(tmp_path / "train.txt"))
    assert read_task(tmp_path).digest() == task.digest()


def test_a_published_partition_is_taken_out_of_the_training_file(tmp_path):
    write_task(tmp_path)
    blocks = (tmp_path / "train.txt").read_text().split("\n\n")
    (tmp_path / "part.txt").write_text("\n\n".join(blocks[5:9]))
    task = read_task(tmp_path, tmp_path / "part.txt")
    assert (len(task.train), len(task.valid)) == (56, 4)
    (tmp_path / "dev.txt").write_text("\n\n".join(blocks[:2]))
    assert len(read_task(tmp_path).valid) == 2


def test_sentences_for_choosing_that_are_others_leave_training_whole(tmp_path):
    write_task(tmp_path)
    (tmp_path / "dev.txt").write_text("an DT B-NP\nowl NN I-NP\n")
    task = read_task(tmp_path)
    assert (len(task.train), len(task.valid)) == (60, 1)


def test_what_is_missing_is_told(tmp_path):
    with pytest.raises(WordRBMError, match=r"no train\.txt"):
        read_task(tmp_path)
    write_task(tmp_path)
    (tmp_path / "test.txt").write_text("one two three\nfour five\n")
    with pytest.raises(WordRBMError, match="line 2 has 2 columns where 3"):
        read_task(tmp_path)
    (tmp_path / "train.txt").write_text("one\ntwo\n")
    with pytest.raises(WordRBMError, match="one column"):
        read_task(tmp_path)
    with pytest.raises(WordRBMError, match="cannot be cut"):
        cut(read_columns(tmp_path / "train.txt"))
    (tmp_path / "train.txt").write_text("a X O\n")
    (tmp_path / "test.txt").write_text("a X O\n")
    with pytest.raises(WordRBMError, match="no sentence left"):
        read_task(tmp_path, tmp_path / "train.txt")
