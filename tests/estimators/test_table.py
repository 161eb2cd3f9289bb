from dataclasses import replace

import numpy as np
import pytest

from tests import reference
from tests.estimators.test_categorical import SMALL
from wordrbm import CategoricalRBM
from wordrbm.errors import WordRBMError
from wordrbm.estimators.table import (
    CategoryCounts,
    Table,
    column_log_probability,
    good_turing_frequencies,
    table_of,
)

TABLE = Table((2, 3, 1), ("0", "1", "2"))


def test_a_value_is_the_word_at_its_place_in_its_column():
    X = np.array([[0, 0, 0], [1, 2, 0]])
    v = TABLE.words(X)
    np.testing.assert_array_equal(v, [[0, 2, 5], [1, 4, 5]])
    assert v.dtype == np.int32
    np.testing.assert_array_equal(TABLE.values(v), X)


def test_columns_have_as_many_values_as_were_seen_or_asked_for():
    X = np.array([[0, 4], [1, 0]])
    assert table_of(X, "ab", None).sizes == (2, 5)
    assert table_of(X, "ab", 7).sizes == (7, 7)
    assert table_of(X, "ab", np.array([3, 5])).sizes == (3, 5)


def test_too_many_values_for_a_word_are_refused():
    with pytest.raises(WordRBMError, match="at most 2,147,483,647 in all"):
        table_of(np.array([[0, 0]]), "ab", [2**40, 1])


@pytest.mark.parametrize("largest", [2**31 - 10, 2**40, 1e30])
def test_a_column_of_ids_is_refused_unless_it_was_asked_for(largest):
    with pytest.raises(WordRBMError, match=r"column a holds .* in a table of 1 rows"):
        table_of(np.array([[largest, 0]]), "ab", None)
    assert table_of(np.array([[20_000_000, 0]]), "ab", 20_000_001).sizes == (20_000_001,) * 2


@pytest.mark.parametrize(
    ("kind", "largest"),
    [("u1", 255), ("i1", 127), ("u2", 65_535), ("f2", 4_096), ("f4", 8_388_607), ("?", 1)],
)
def test_the_largest_number_of_a_narrow_kind_is_a_value_too(kind, largest):
    X = np.array([[0, largest], [largest, 0]], kind)
    table = table_of(X, "ab", None)
    assert table.sizes == (largest + 1,) * 2
    np.testing.assert_array_equal(table.values(table.words(X)), X.astype(int))


def frequencies(v):
    counts = CategoryCounts(TABLE)
    counts.add(v)
    return counts.frequencies()


def test_frequencies_are_of_each_column_by_itself():
    first, second, third = frequencies(np.array([[0, 2, 5], [0, 3, 5], [1, 2, 5]]))
    np.testing.assert_allclose(first, [2 / 3, 1 / 3])
    np.testing.assert_allclose(second, [2 / 4, 1 / 4, 1 / 4])  # an unseen value counts as one
    np.testing.assert_allclose(third, [1.0])


def test_unseen_values_share_what_values_seen_once_have():
    counts = np.array([6, 1, 1] + [0] * 8)
    np.testing.assert_allclose(
        good_turing_frequencies(counts), np.array([6, 1, 1] + [0.25] * 8) / 10
    )


TWO_COLUMNS = Table((3, 2), ("'a'", "'b'"))


def test_values_are_counted_and_the_new_ones_returned():
    counts = CategoryCounts(TWO_COLUMNS)
    assert counts.add(np.array([[0, 3], [0, 4]], np.int32)).tolist() == [0, 3, 4]
    assert counts.add(np.array([[2, 4], [0, 4]], np.int32)).tolist() == [2]
    np.testing.assert_allclose(
        np.exp(counts.log_frequency(np.array([0, 2, 4]))), [3 / 4, 1 / 4, 3 / 4]
    )


def test_proposals_are_due_when_the_rows_needs_refresh():
    counts = CategoryCounts(TWO_COLUMNS)
    counts.add(np.array([[0, 3], [1, 3]], np.int32))
    first, second = counts.frequencies()
    np.testing.assert_allclose(first.sum() + second.sum(), 2.0)
    assert (first > 0).all()
    counts.add(np.array([[2, 4]], np.int32))
    assert not counts.needs_refresh()
    counts.add(np.array([[2, 4]], np.int32))
    assert counts.needs_refresh()
    assert counts.frequencies()[0][2] > first[2]


def test_a_new_value_starts_at_its_frequency():
    """Else it would start as one that never occurs, and the chains would lag behind the model."""
    model = CategoricalRBM(**SMALL, n_categories=50, word_rate=1e-9, random_state=1)
    model.partial_fit(np.arange(20)[:, None] % 10)
    model.partial_fit(np.full((60, 1), 40))
    np.testing.assert_allclose(model.rbm_.b[40], np.log(60 / 80), rtol=1e-5)
    proposed = np.exp(model._trainer.transition.log_q)
    assert proposed[40] > 0.5


PARTS = [slice(0, 2), slice(2, 5)]  # the words of each column


@pytest.mark.parametrize("i", [0, 1])
def test_a_column_given_the_rest_is_the_referees(wordrep, i):
    """The referee's cloze over all words, kept to the column."""
    v = np.array([[0, 2], [1, 4], [1, 3]])
    for row, log_p in zip(v, column_log_probability(wordrep, v, i, PARTS[i]), strict=True):
        p = reference.cloze(wordrep, row, i)[PARTS[i]]
        np.testing.assert_allclose(np.exp(log_p), p / p.sum(), rtol=1e-9)


def test_products_are_in_double_precision(wordrep):
    narrow = {name: x.astype(np.float32) for name, x in wordrep.parameters().items()}
    wide = {name: x.astype(np.float64) for name, x in narrow.items()}
    v = np.array([[0, 2], [1, 4]])
    a, b = (
        list(column_log_probability(replace(wordrep, **numbers), v, 1, PARTS[1]))
        for numbers in (narrow, wide)
    )
    np.testing.assert_allclose(a, b, rtol=1e-12)
