from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.text import counting

shards = st.lists(st.dictionaries(st.text("abcé", min_size=1, max_size=2), st.integers(1, 3)))


def write(folder, shards):
    files = []
    for number, shard in enumerate(shards):
        rows = enumerate(sorted(shard.items()))
        text = "".join(f"{word}\t{k}\t{seen}\n" for k, (word, seen) in rows)
        files.append(folder / f"{number}.counts")
        files[-1].write_text(text, encoding="utf-8")
    return files


@given(shards, st.integers(1, 5), st.integers(1, 4), st.integers(2, 4))
def test_the_most_frequent_words_are_kept(tmp_path_factory, shards, size, least, at_once):
    files = write(tmp_path_factory.mktemp("c"), shards)
    total = Counter()
    for shard in shards:
        total.update(shard)
    ranked = sorted(total.items(), key=lambda row: (-row[1], row[0]))
    expected = [row for row in ranked if row[1] >= least][:size]
    found = count_with(files, size, least, at_once)
    assert found.vocabulary.words == ("<unk>", *[word for word, _ in expected])
    assert found.vocabulary.counts[1:].tolist() == [seen for _, seen in expected]
    assert found.vocabulary.counts.sum() == found.tokens == total.total()
    assert found.types == len(total)


def count_with(files, size, least, at_once):
    before = counting.FILES_AT_ONCE
    counting.FILES_AT_ONCE = at_once
    try:
        return counting.count(files, size, least)
    finally:
        counting.FILES_AT_ONCE = before


@pytest.mark.parametrize("late", [0, 500, 1_000, 1_500])
def test_the_order_is_that_of_a_full_sort_when_more_words_come_than_are_held(tmp_path, late):
    """The frequent words come last, when the places are long taken by words seen once."""
    words = {f"w{number:05}": 1 + (number >= 9_000 - late) for number in range(9_000)}
    found = counting.count(write(tmp_path, [words]), 1_000, 1)
    ranked = sorted(words.items(), key=lambda row: (-row[1], row[0]))[:1_000]
    assert found.vocabulary.words[1:] == tuple(word for word, _ in ranked)


def test_a_token_that_reads_as_the_unknown_word_counts_as_unknown(tmp_path):
    found = counting.count(write(tmp_path, [{"<unk>": 4, "a": 1}]), 10, 1)
    assert found.vocabulary.words == ("<unk>", "a")
    assert found.vocabulary.counts.tolist() == [4, 1]
