"""Documents read with their classes; folds that hold every class and never split a group."""

import numpy as np
import pytest
from experiments.sentiment.data import (
    DocumentSet,
    ReadOptions,
    assign_folds,
    assign_inner_folds,
    concat_tokenized,
    read_data,
    read_groups,
    restore_order,
)

from tests.reviews import write_reviews
from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import WordRBMError


def test_documents_and_classes_are_read(tmp_path):
    data = read_data(write_reviews(tmp_path), unlabelled=True)
    assert data.classes == ("animals", "money")
    assert (len(data.train), len(data.test), len(data.unlabelled)) == (80, 40, 20)
    np.testing.assert_array_equal(np.bincount(data.train.label), [40, 40])
    tokens = list(data.train.tokenized.tokens())
    assert "br" not in data.train.tokenized.words
    assert {"cat", "dog", "horse", "bird"} & set(tokens[0])
    assert {"bank", "fund", "trader", "firm"} & set(tokens[-1])


def test_documents_are_selected_and_concatenated():
    texts = ["a b c d e f a", "", "b", "c c c", "f e d c b a f e d"]
    tokenized = tokenize_documents(texts)
    selected = DocumentSet(tokenized, np.arange(5)).select(np.array([4, 0]))
    assert list(selected.tokenized.tokens()) == [texts[4].split(), texts[0].split()]
    assert selected.label.tolist() == [4, 0]
    both = concat_tokenized(tokenized, tokenize_documents(["z a", "b"]))
    assert list(both.tokens())[-2:] == [["z", "a"], ["b"]]
    assert both.documents.offsets.tolist() == [*tokenized.documents.offsets.tolist(), 22, 23]
    assert len(both.documents) == 7


def test_a_fifth_is_held_out_without_a_test_set(tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0)
    data = read_data(folder / "train", unlabelled=False)
    assert (len(data.train), len(data.test)) == (96, 24)
    np.testing.assert_array_equal(np.bincount(data.test.label), [12, 12])
    texts = [{tuple(t) for t in part.tokenized.tokens()} for part in (data.train, data.test)]
    assert not texts[0] & texts[1]
    assert read_data(folder / "train", unlabelled=False).digest == data.digest


def test_other_documents_have_another_digest(tmp_path):
    one = read_data(write_reviews(tmp_path / "one"), unlabelled=False)
    other = read_data(write_reviews(tmp_path / "two", test=42), unlabelled=False)
    assert one.digest != other.digest


def test_unlabelled_documents_are_read_only_on_request(tmp_path):
    assert read_data(write_reviews(tmp_path), unlabelled=False).unlabelled is None


def test_too_few_documents_are_refused(tmp_path):
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


def test_an_empty_test_class_and_text_of_one_word_are_refused(tmp_path):
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


def test_groups_stay_together_in_folds_and_in_the_test_set(tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0) / "train"
    for name in ("animals", "money"):
        (folder / f"{name}.groups").write_text("".join(f"film {k // 4}\n" for k in range(60)))
    data = read_data(folder, unlabelled=False, options=ReadOptions(groups="{}.groups"))
    assert len(data.train) + len(data.test) == 120
    assert len(data.test) % 8 == 0  # whole groups, each four documents of either class
    assert all(count % 8 == 0 for count in np.bincount(data.fold))
    assert data.digest != read_data(folder, unlabelled=False).digest


def test_random_folds_are_stratified():
    label = np.repeat([0, 1], [60, 30])
    fold = assign_folds(label, None, 3)
    assert [np.bincount(label[fold == number]).tolist() for number in range(3)] == [[20, 10]] * 3


def test_no_group_is_in_two_folds():
    rng = np.random.default_rng(1)
    label, group = rng.integers(2, size=400), rng.integers(50, size=400)
    fold = assign_folds(label, group, 3)
    assert all(len(set(fold[group == number])) == 1 for number in range(50))
    assert np.bincount(fold).min() > 100
    np.testing.assert_array_equal(fold, assign_folds(label, group, 3))


def test_folds_without_a_class_are_refused():
    for group in (np.repeat([0, 1], 10), np.repeat([0, 1, 2], [10, 5, 5])):
        with pytest.raises(WordRBMError, match="finer"):
            assign_folds(np.repeat([0, 1], 10), group, 3)


def test_equal_lines_are_one_group_across_classes(tmp_path):
    (tmp_path / "g_neg.txt").write_text("a\nb\na\n")
    (tmp_path / "g_pos.txt").write_text("b\nc\n")
    groups = read_groups(tmp_path, "g_{}.txt", ("neg", "pos"), [3, 2])
    assert groups.tolist() == [0, 1, 0, 1, 2]


def test_bad_group_files_are_refused(tmp_path):
    (tmp_path / "g_neg.txt").write_text("a\nb\n")
    with pytest.raises(WordRBMError, match="place of the class"):
        read_groups(tmp_path, "g.txt", ("neg",), [2])
    with pytest.raises(WordRBMError, match="is no file"):
        read_groups(tmp_path, "h_{}.txt", ("neg",), [2])
    with pytest.raises(WordRBMError, match="2 lines for 3 documents"):
        read_groups(tmp_path, "g_{}.txt", ("neg",), [3])


def test_inner_folds_hold_whole_groups_and_every_class():
    rng = np.random.default_rng(2)
    label, group = np.arange(300) % 2, rng.integers(60, size=300)
    fold = assign_folds(label, group, 3)
    inner = assign_inner_folds(label, group, fold)
    assert set(inner.tolist()) == set(range(5))
    assert all(len(set(inner[group == g].tolist())) == 1 for g in range(60))
    assert assign_inner_folds(label, None, fold) is not None
    few = np.zeros(9, int)
    few[:3] = 1
    assert assign_inner_folds(few, None, np.arange(9) % 3) is None


def test_rows_by_fold_are_put_in_the_order_of_documents():
    fold = np.array([2, 0, 1, 0, 2])
    x = np.arange(5.0)
    np.testing.assert_array_equal(restore_order([x[fold == k] for k in range(3)], fold), x)
