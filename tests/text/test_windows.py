import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordrbm.errors import WordRBMError
from wordrbm.text.windows import Windows, read_batch

spans_of_lengths = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 3)), min_size=1)


def make(lengths_and_gaps, n):
    """Spans of given lengths with gaps between them, in a stream where a word is its index."""
    spans, at = [], 0
    for length, gap in lengths_and_gaps:
        spans.append((at, at + length, 0))
        at += length + gap
    ids = np.arange(at, dtype=np.int32)
    return spans, Windows.of(ids, np.array(spans, np.int64), n)


def slow_windows(spans, n):
    return [list(range(s, s + n)) for start, end, _ in spans for s in range(start, end - n + 1)]


@settings(deadline=None)  # the first call may compile
@given(spans_of_lengths, st.integers(1, 6))
def test_windows_are_all_those_inside_spans(lengths, n):
    spans, windows = make(lengths, n)
    expected = slow_windows(spans, n)
    assert len(windows) == len(expected)
    taken = windows.take(np.arange(len(windows)))
    assert taken.dtype == np.int32
    assert taken.shape == (len(expected), n)
    assert taken.tolist() == expected


@settings(deadline=None)  # the first call may compile
@given(spans_of_lengths, st.integers(1, 3), st.integers(0, 2**64 - 1), st.integers(0, 50))
def test_every_window_comes_once_an_epoch(lengths, n, seed, epoch):
    spans, windows = make([*lengths, (5, 0)], n)
    N = len(windows)
    seen = read_batch(windows, seed, epoch * N, N)
    assert sorted(seen.tolist()) == slow_windows(spans, n)


@settings(deadline=None)  # the first call may compile
@given(st.integers(0, 500), st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_the_order_does_not_depend_on_the_batch_sizes(first, sizes):
    _, windows = make([(7, 1), (23, 0), (5, 2)], 3)
    expected = read_batch(windows, 11, first, sum(sizes))
    parts, at = [], first
    for size in sizes:
        parts.append(read_batch(windows, 11, at, size))
        at += size
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_a_span_too_short_for_a_window_gives_none():
    _, windows = make([(2, 0), (1, 0)], 3)
    assert len(windows) == 0
    with pytest.raises(WordRBMError, match="No document holds 3 words"):
        read_batch(windows, 1, 0, 4)


@pytest.mark.parametrize("index", [-1, 3])
def test_a_window_that_does_not_exist_is_refused(index):
    _, windows = make([(5, 0)], 3)
    with pytest.raises(IndexError, match="0 to 2"):
        windows.take(np.array([0, index]))


@pytest.mark.parametrize("wrong", [-1, 4, 2**31 - 1, -(2**31)])
def test_an_id_that_is_no_word_is_refused_where_it_is_read(wrong):
    ids, spans = np.array([0, 1, 3, wrong, 2, 0], np.int32), np.array([[0, 6, 0]])
    windows = Windows.of(ids, spans, 3, K=4)
    assert windows.take(np.array([0])).tolist() == [[0, 1, 3]]
    with pytest.raises(WordRBMError, match=r"A word id is not from 0 to 3: .* prepare it again\.$"):
        windows.take(np.array([0, 1]))


def test_where_k_is_not_known_an_id_may_be_anything_but_negative():
    ids, spans = np.array([2**31 - 1, 7, -1], np.int32), np.array([[0, 3, 0]])
    windows = Windows.of(ids, spans, 1)
    assert windows.take(np.array([0, 1])).ravel().tolist() == [2**31 - 1, 7]
    with pytest.raises(WordRBMError, match="not from 0 to"):
        windows.take(np.array([2]))


def test_no_windows_have_no_words():
    _, windows = make([(5, 0)], 3)
    assert windows.take(np.array([], np.int64)).shape == (0, 3)
