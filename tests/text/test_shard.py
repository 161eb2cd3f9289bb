import numpy as np

from wordrbm.text import shard
from wordrbm.text.shard import ShardWriter, shards


def write(folder, *stories):
    writer = ShardWriter(folder)
    for tokens in stories:
        writer.add(tokens, ends_story=True)
    writer.flush()
    return list(shards(folder))


def words_of(found):
    """The tokens of a shard, looked up in its own dictionary."""
    rows = (line.split("\t") for line in found.counts.read_text().splitlines())
    words = {int(number): word for word, number, _ in rows}
    return [words[number] for number in np.fromfile(found.ids, "<i4").tolist()]


def test_a_shard_gives_its_tokens_back(tmp_path):
    (found,) = write(tmp_path, ["b", "a", "b"], [], ["c"])
    assert words_of(found) == ["b", "a", "b", "c"]
    assert np.fromfile(found.ends, "<i8").tolist() == [3, 4]
    assert found.counts.read_text() == "a\t1\t1\nb\t0\t2\nc\t2\t1\n"


def test_a_new_shard_begins_after_many_tokens_or_many_words(tmp_path, monkeypatch):
    monkeypatch.setattr(shard, "SHARD_TOKENS", 6)
    monkeypatch.setattr(shard, "SHARD_WORDS", 3)
    found = write(tmp_path, ["a", "b", "c"], ["a"] * 6, ["a"])
    assert [len(words_of(one)) for one in found] == [3, 6, 1]


def test_a_word_longer_than_any_word_is_the_unknown_one(tmp_path):
    (found,) = write(tmp_path, ["a", "x" * 256, "y" * 257, "z" * 1_000_000])
    assert words_of(found) == ["a", "x" * 256, "<unk>", "<unk>"]
