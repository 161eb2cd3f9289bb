"""Shards: tokens with provisional ids, in files that pass two can join.

A shard is three files in its job's folder, numbered by place within the job:

    000002.ids     int32, a token's place in the shard's own dictionary
    000002.ends    int64, where stories end, counted in the shard's tokens
    000002.counts  word TAB provisional id TAB count, sorted by word (UTF-8 = code point order)

A new shard begins every few million tokens or half a million different words, with a new
dictionary, so memory is bounded whatever the corpus. A story may run on into the next shard: it
simply does not end in the first. A word longer than any word is kept as the unknown one, or a
file of rubbish would fill the dictionary; a vocabulary would not know it either.
"""

import itertools
from array import array
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from wordrbm.storage import sync
from wordrbm.text.vocabulary import UNKNOWN

SHARD_TOKENS = 8_000_000
SHARD_WORDS = 500_000
LONGEST_WORD = 256  # characters


class Shard(NamedTuple):
    """The three files of a shard."""

    ids: Path
    ends: Path
    counts: Path


def shards(folder: Path) -> Iterator[Shard]:
    """The shards in the folder of a job, in the order of the text."""
    for ids in sorted(folder.glob("*.ids")):
        yield _shard(ids)


def sizes(folder: Path) -> dict[str, int]:
    """How many bytes each file of the shards in a folder has."""
    return {path.name: path.stat().st_size for shard in shards(folder) for path in shard}


def _shard(ids: Path) -> Shard:
    return Shard(ids, ids.with_suffix(".ends"), ids.with_suffix(".counts"))


class ShardWriter:
    """Gathers tokens and writes a shard whenever enough have gathered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.total = self.story = self.written = 0
        self._begin()

    def _begin(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        self.ids, self.ends = array("i"), array("q")

    def add(self, tokens: list[str], *, ends_story: bool) -> None:
        """Take a piece of a story; a story without a token leaves no trace."""
        if max(map(len, tokens), default=0) > LONGEST_WORD:
            tokens = [word if len(word) <= LONGEST_WORD else UNKNOWN for word in tokens]
        self.ids.extend(map(self.numbers.__getitem__, tokens))
        self.total += len(tokens)
        self.story += len(tokens)
        if ends_story and self.story:
            self.ends.append(len(self.ids))
            self.story = 0
        if len(self.ids) >= SHARD_TOKENS or len(self.numbers) >= SHARD_WORDS:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered as a shard, to stay, and begin the next."""
        if not self.ids and not self.ends:
            return
        shard = _shard(self.folder / f"{self.written:06}.ids")
        ids = np.array(self.ids, "<i4")
        shard.ids.write_bytes(ids.data)  # numpy's own tofile does not hear of a failed last write
        shard.ends.write_bytes(np.array(self.ends, "<i8").data)
        self._write_counts(shard.counts, np.bincount(ids))
        for path in shard:
            sync(path)
        self.written += 1
        self._begin()

    def _write_counts(self, path: Path, counts: Int[np.ndarray, " W"]) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for word in sorted(self.numbers):
                number = self.numbers[word]
                file.write(f"{word}\t{number}\t{counts[number]}\n")
