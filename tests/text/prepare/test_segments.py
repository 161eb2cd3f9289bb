from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.text.prepare import segments
from wordrbm.text.prepare.segments import (
    HELDOUT_BLOCK,
    SegmentWriter,
    list_segments,
    make_spans,
    merge_counts,
)


def write(folder, *documents):
    writer = SegmentWriter(folder)
    for tokens in documents:
        writer.add(tokens, ends_document=True)
    writer.flush()
    return list_segments(folder)


def words_of(segment):
    """The tokens of a segment, looked up in its own dictionary."""
    rows = (line.split("\t") for line in segment.counts.read_text().splitlines())
    words = {int(number): word for word, number, _ in rows}
    return [words[number] for number in np.fromfile(segment.ids, "<i4").tolist()]


def test_a_segment_gives_its_tokens_back(tmp_path):
    (segment,) = write(tmp_path, ["b", "a", "b"], [], ["c"])
    assert words_of(segment) == ["b", "a", "b", "c"]
    assert np.fromfile(segment.ends, "<i8").tolist() == [3, 4]
    assert segment.counts.read_text() == "a\t1\t1\nb\t0\t2\nc\t2\t1\n"


def test_a_new_segment_begins_after_many_tokens_or_many_words(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "SEGMENT_TOKENS", 6)
    monkeypatch.setattr(segments, "SEGMENT_WORDS", 3)
    written = write(tmp_path, ["a", "b", "c"], ["a"] * 6, ["a"])
    assert [len(words_of(segment)) for segment in written] == [3, 6, 1]


def test_a_very_long_word_is_the_unknown_one(tmp_path):
    (segment,) = write(tmp_path, ["a", "x" * 256, "y" * 257, "z" * 1_000_000])
    assert words_of(segment) == ["a", "x" * 256, "<unk>", "<unk>"]


count_tables = st.lists(st.dictionaries(st.text("abcé", min_size=1, max_size=2), st.integers(1, 3)))


def write_counts(folder, tables):
    files = []
    for number, table in enumerate(tables):
        rows = enumerate(sorted(table.items()))
        text = "".join(f"{word}\t{k}\t{count}\n" for k, (word, count) in rows)
        files.append(folder / f"{number}.counts")
        files[-1].write_text(text, encoding="utf-8")
    return files


@given(count_tables, st.integers(1, 5), st.integers(1, 4), st.integers(2, 4))
def test_the_most_frequent_words_are_kept(tmp_path_factory, tables, size, least, at_once):
    files = write_counts(tmp_path_factory.mktemp("c"), tables)
    total = Counter()
    for table in tables:
        total.update(table)
    ranked = sorted(total.items(), key=lambda row: (-row[1], row[0]))
    expected = [row for row in ranked if row[1] >= least][:size]
    counted = count_with(files, size, least, at_once)
    assert counted.vocabulary.words == ("<unk>", *[word for word, _ in expected])
    assert counted.vocabulary.counts[1:].tolist() == [count for _, count in expected]
    assert counted.vocabulary.counts.sum() == counted.tokens == total.total()
    assert counted.types == len(total)


def count_with(files, size, least, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "MAX_OPEN_FILES", at_once)
        return merge_counts(files, size, least)


@pytest.mark.parametrize("late", [0, 500, 1_000, 1_500])
def test_the_order_is_that_of_a_full_sort_when_words_are_pruned(tmp_path, late):
    """The frequent words come last, when the table is full of words with count 1."""
    words = {f"w{number:05}": 1 + (number >= 9_000 - late) for number in range(9_000)}
    counted = merge_counts(write_counts(tmp_path, [words]), 1_000, 1)
    ranked = sorted(words.items(), key=lambda row: (-row[1], row[0]))[:1_000]
    assert counted.vocabulary.words[1:] == tuple(word for word, _ in ranked)


def test_a_token_that_reads_as_the_unknown_word_counts_as_unknown(tmp_path):
    counted = merge_counts(write_counts(tmp_path, [{"<unk>": 4, "a": 1}]), 10, 1)
    assert counted.vocabulary.words == ("<unk>", "a")
    assert counted.vocabulary.counts.tolist() == [4, 1]


lengths = st.lists(
    st.integers(1, 3 * HELDOUT_BLOCK + 1) | st.integers(1, 9), min_size=1, max_size=40
)
shares = st.floats(0.001, 0.49) | st.just(0.0) | st.just(5e-324)


def spans_of(lengths, share, at_once=100_000):
    """The spans of documents whose ends come some at a time."""
    ends = np.cumsum(lengths)

    def arrays():
        return (ends[at : at + at_once] for at in range(0, len(ends), at_once))

    return np.concatenate(list(make_spans(arrays, share)))


def slow_spans(lengths, share):
    """The spans by hand: blocks in order, then training neighbours of a document joined."""
    blocks, at = [], 0
    for document, length in enumerate(lengths):
        for start in range(at, at + length, HELDOUT_BLOCK):
            blocks.append([start, min(start + HELDOUT_BLOCK, at + length), document])
        at += length
    period = round(1 / share) if share > 1e-9 else len(blocks) + 1
    for number, block in enumerate(blocks):
        few = len(blocks) < period
        held = number == len(blocks) // 2 if few else number % period == period // 2
        block.append(int(held and share > 0 and len(blocks) > 1))
    spans = []
    for start, end, document, split in blocks:
        if spans and split == 0 and spans[-1][2:] == [document, 0]:
            spans[-1][1] = end
        else:
            spans.append([start, end, document, split])
    return [[start, end, split] for start, end, _, split in spans]


@given(lengths, shares, st.integers(1, 9))
def test_spans_are_those_made_by_hand_however_the_documents_come(lengths, share, at_once):
    spans = spans_of(lengths, share, at_once)
    assert spans.tolist() == slow_spans(lengths, share)
    assert spans.dtype == np.int64


@given(lengths, shares)
def test_spans_fill_the_stream_and_never_cross_a_document(lengths, share):
    spans = spans_of(lengths, share)
    assert spans[0, 0] == 0
    assert spans[-1, 1] == sum(lengths)
    np.testing.assert_array_equal(spans[1:, 0], spans[:-1, 1])
    inside = [set(range(start + 1, end)) for start, end, _ in spans.tolist()]
    assert not set().union(*inside) & set(np.cumsum(lengths).tolist())


def test_about_the_given_fraction_is_held_out():
    spans = spans_of(np.full(10_000, 100), 0.01)
    held = spans[spans[:, 2] == 1]
    assert (held[:, 1] - held[:, 0]).sum() == 10_000


def test_a_single_block_is_never_held_out():
    assert spans_of([5], 0.01).tolist() == [[0, 5, 0]]
