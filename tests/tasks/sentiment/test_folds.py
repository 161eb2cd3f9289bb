"""Folds: every document in one, classes in equal parts, groups never cut."""

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.tasks.sentiment.folds import (
    fold_at_random,
    fold_by_group,
    parts_of_folds,
    read_groups,
)


def test_folds_at_random_hold_each_class_in_equal_parts():
    label = np.repeat([0, 1], [60, 30])
    fold = fold_at_random(label, 3)
    assert [np.bincount(label[fold == number]).tolist() for number in range(3)] == [[20, 10]] * 3


def test_no_group_is_in_two_folds():
    rng = np.random.default_rng(1)
    label, group = rng.integers(2, size=400), rng.integers(50, size=400)
    fold = fold_by_group(label, group, 3)
    assert all(len(set(fold[group == number])) == 1 for number in range(50))
    assert np.bincount(fold).min() > 100
    np.testing.assert_array_equal(fold, fold_by_group(label, group, 3))


def test_groups_that_leave_a_class_out_are_refused():
    for group in (np.repeat([0, 1], 10), np.repeat([0, 1, 2], [10, 5, 5])):
        with pytest.raises(WordRBMError, match="finer"):
            fold_by_group(np.repeat([0, 1], 10), group, 3)


def test_equal_lines_are_one_group_across_classes(tmp_path):
    (tmp_path / "g_neg.txt").write_text("a\nb\na\n")
    (tmp_path / "g_pos.txt").write_text("b\nc\n")
    found = read_groups(tmp_path, "g_{}.txt", ("neg", "pos"), [3, 2])
    assert found.tolist() == [0, 1, 0, 1, 2]


def test_bad_groups_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "g_neg.txt").write_text("a\nb\n")
    with pytest.raises(WordRBMError, match="place of the class"):
        read_groups(tmp_path, "g.txt", ("neg",), [2])
    with pytest.raises(WordRBMError, match="is no file"):
        read_groups(tmp_path, "h_{}.txt", ("neg",), [2])
    with pytest.raises(WordRBMError, match="2 lines for 3 documents"):
        read_groups(tmp_path, "g_{}.txt", ("neg",), [3])


def test_parts_of_folds_keep_groups_and_classes_together():
    rng = np.random.default_rng(2)
    label, group = np.arange(300) % 2, rng.integers(60, size=300)
    fold = fold_by_group(label, group, 3)
    part = parts_of_folds(label, group, fold)
    assert set(part.tolist()) == set(range(5))
    assert all(len(set(part[group == g].tolist())) == 1 for g in range(60))
    assert parts_of_folds(label, None, fold) is not None
    few = np.zeros(9, int)
    few[:3] = 1
    assert parts_of_folds(few, None, np.arange(9) % 3) is None
