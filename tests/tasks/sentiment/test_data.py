import numpy as np
import pytest

from tests.tasks.sentiment.reviews import write_reviews
from wordrbm.errors import WordRBMError
from wordrbm.tasks.sentiment.data import Reading, read_data


def test_documents_and_classes_are_read(tmp_path):
    data = read_data(write_reviews(tmp_path), unlabelled=True)
    assert data.classes == ("animals", "money")
    assert (len(data.train), len(data.test), len(data.unlabelled)) == (80, 40, 20)
    np.testing.assert_array_equal(np.bincount(data.train.label), [40, 40])
    tokens = list(data.train.tokens())
    assert "br" not in data.train.read.words
    assert {"cat", "dog", "horse", "bird"} & set(tokens[0])
    assert {"bank", "fund", "trader", "firm"} & set(tokens[-1])


def test_a_fifth_is_set_aside_where_nothing_is_for_testing(tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0)
    data = read_data(folder / "train", unlabelled=False)
    assert (len(data.train), len(data.test)) == (96, 24)
    np.testing.assert_array_equal(np.bincount(data.test.label), [12, 12])
    texts = [{tuple(t) for t in part.tokens()} for part in (data.train, data.test)]
    assert not texts[0] & texts[1]
    assert read_data(folder / "train", unlabelled=False).digest == data.digest


def test_other_documents_have_another_digest(tmp_path):
    one = read_data(write_reviews(tmp_path / "one"), unlabelled=False)
    other = read_data(write_reviews(tmp_path / "two", test=42), unlabelled=False)
    assert one.digest != other.digest


def test_labelled_rows_touch_no_unlabelled_text(tmp_path):
    assert read_data(write_reviews(tmp_path), unlabelled=False).unlabelled is None


def test_too_little_is_told(tmp_path):
    write_reviews(tmp_path, count=8, test=0, unlabelled=0)
    with pytest.raises(WordRBMError, match="4 documents of class animals"):
        read_data(tmp_path, unlabelled=False)
    for number in range(10):
        (tmp_path / "train" / "animals" / f"empty{number}.txt").write_text(" \n")
    with pytest.raises(WordRBMError, match="4 documents of class animals"):
        read_data(tmp_path, unlabelled=False)
    write_reviews(tmp_path, unlabelled=0)
    with pytest.raises(WordRBMError, match="no unlabelled documents"):
        read_data(tmp_path, unlabelled=True)


def test_an_empty_class_for_testing_and_text_of_one_word_are_told(tmp_path):
    write_reviews(tmp_path / "one")
    for path in (tmp_path / "one" / "test" / "money").iterdir():
        path.unlink()
    (tmp_path / "one" / "test" / "money" / "none.jsonl").write_text("")
    with pytest.raises(WordRBMError, match="0 documents of class money for testing"):
        read_data(tmp_path / "one", unlabelled=False)
    for name in ("a", "b"):
        (tmp_path / "two" / name).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "two" / name / f"{number}.txt").write_text("yes")
    with pytest.raises(WordRBMError, match="fewer than 3 different words"):
        read_data(tmp_path / "two", unlabelled=False)


def test_groups_stay_together_in_folds_and_in_what_is_set_aside(tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0) / "train"
    for name in ("animals", "money"):
        (folder / f"{name}.groups").write_text("".join(f"film {k // 4}\n" for k in range(60)))
    data = read_data(folder, unlabelled=False, how=Reading(groups="{}.groups"))
    assert len(data.train) + len(data.test) == 120
    assert len(data.test) % 8 == 0  # whole groups, each four documents of either class
    assert all(count % 8 == 0 for count in np.bincount(data.fold))
    assert data.digest != read_data(folder, unlabelled=False).digest
