"""Pass one, in a worker: the stories of a few files become shards of provisional ids.

A shard is three files, numbered by job and by place within the job:

    00007-002.ids     int32, a token's place in the shard's own dictionary
    00007-002.ends    int64, where stories end, counted in the shard's tokens
    00007-002.counts  word TAB provisional id TAB count, sorted by word (UTF-8 = code point order)

A new shard begins every few million tokens, with a new dictionary, so memory is bounded whatever
the corpus. A story may run on into the next shard: it simply does not end in the first.
"""

import itertools
from array import array
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from wordrbm.text.corpus import pieces
from wordrbm.text.tokens import tokenize

SHARD_TOKENS = 8_000_000


class Job(NamedTuple):
    """The files one worker reads, in order, and where the job stands among all jobs."""

    number: int
    files: tuple[Path, ...]
    size: int  # bytes on disk


class Shard(NamedTuple):
    """The three files of a shard."""

    ids: Path
    ends: Path
    counts: Path


class Meter(NamedTuple):
    """How far a job is: bytes of its files read, and tokens made of them."""

    bytes: int
    tokens: int


def run(job: Job, folder: Path, field: str) -> Iterator[Meter]:
    """Tokenise the files of a job into shards, telling after each piece how far it is."""
    writer = _Writer(job.number, folder)
    finished, last = 0, max(job.size - 1, 0)  # the last byte is done when the shards are written
    for path in job.files:
        for piece in pieces(path, field):
            writer.add(tokenize(piece.text), ends_story=piece.ends_story)
            yield Meter(min(finished + piece.position, last), writer.total)
        finished += path.stat().st_size
    writer.flush()
    yield Meter(job.size, writer.total)


def shards(folder: Path) -> Iterator[Shard]:
    """The shards in a folder, in the order of the text."""
    for ids in sorted(folder.glob("*.ids")):
        yield Shard(ids, ids.with_suffix(".ends"), ids.with_suffix(".counts"))


class _Writer:
    """Gathers tokens and writes a shard whenever enough have gathered."""

    def __init__(self, job: int, folder: Path) -> None:
        self.job, self.folder = job, folder
        self.total = self.story = self.written = 0
        self._begin()

    def _begin(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        self.ids, self.ends = array("i"), array("q")

    def add(self, tokens: list[str], *, ends_story: bool) -> None:
        """Take a piece of a story; a story without a token leaves no trace."""
        self.ids.extend(map(self.numbers.__getitem__, tokens))
        self.total += len(tokens)
        self.story += len(tokens)
        if ends_story and self.story:
            self.ends.append(len(self.ids))
            self.story = 0
        if len(self.ids) >= SHARD_TOKENS:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered as a shard and begin the next."""
        if not self.ids and not self.ends:
            return
        stem = self.folder / f"{self.job:06}-{self.written:06}"
        ids = np.array(self.ids, "<i4")
        ids.tofile(stem.with_suffix(".ids"))
        np.array(self.ends, "<i8").tofile(stem.with_suffix(".ends"))
        self._write_counts(stem.with_suffix(".counts"), np.bincount(ids))
        self.written += 1
        self._begin()

    def _write_counts(self, path: Path, counts: Int[np.ndarray, " W"]) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for word in sorted(self.numbers):
                number = self.numbers[word]
                file.write(f"{word}\t{number}\t{counts[number]}\n")
