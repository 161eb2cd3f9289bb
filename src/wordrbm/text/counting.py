"""The words of all shards, counted together, in memory that grows with the vocabulary only.

Shard counts are sorted by word, so a merge of the files meets all counts of a word side by
side. Of the words met, only the best so far are kept.
"""

import heapq
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from wordrbm.text.vocabulary import UNKNOWN, Vocabulary

FILES_AT_ONCE = 200  # well below what a system lets a process hold open


class Counted(NamedTuple):
    """The vocabulary, and how much text it was made from."""

    vocabulary: Vocabulary
    types: int
    tokens: int


def count(files: list[Path], size: int, min_count: int) -> Counted:
    """Merge sorted count files and keep the `size` most frequent words."""
    with ExitStack() as stack:
        rows = _merged(_narrowed(files), stack)
        best = _Best(size, min_count)
        for word, seen in rows:
            best.add(word, seen)
    ranked = best.ranked()
    unknown = best.tokens - sum(seen for _, seen in ranked)
    return Counted(Vocabulary.build(ranked, unknown), best.types, best.tokens)


class _Best:
    """The most frequent of the words met so far, met in code point order."""

    def __init__(self, size: int, min_count: int) -> None:
        self.size = size
        self.floor = min_count - 1  # a word must be seen more often than this
        self.types = self.tokens = 0
        self.kept: list[tuple[str, int]] = []

    def add(self, word: str, seen: int) -> None:
        """Meet the next word."""
        self.types += 1
        self.tokens += seen
        if seen > self.floor and word != UNKNOWN:
            self.kept.append((word, seen))
            if len(self.kept) >= 2 * self.size + 1000:
                self._prune()

    def ranked(self) -> list[tuple[str, int]]:
        """The words to keep, most frequent first."""
        self._prune()
        return self.kept

    def _prune(self) -> None:
        self.kept.sort(key=lambda row: (-row[1], row[0]))
        del self.kept[self.size :]
        if len(self.kept) == self.size:
            # A later word with as few counts as the last one kept comes after it in order.
            self.floor = max(self.floor, self.kept[-1][1])


def _narrowed(files: list[Path]) -> list[Path]:
    """Merge groups of files into one until few enough are left to be open together."""
    while len(files) > FILES_AT_ONCE:
        groups = [files[at : at + FILES_AT_ONCE] for at in range(0, len(files), FILES_AT_ONCE)]
        files = [_merge_into_one(group) for group in groups]
    return files


def _merge_into_one(files: list[Path]) -> Path:
    path = files[0].with_suffix(f"{files[0].suffix}+")
    with ExitStack() as stack, path.open("w", encoding="utf-8", newline="\n") as out:
        for word, seen in _merged(files, stack):
            out.write(f"{word}\t0\t{seen}\n")
    return path


def _merged(files: list[Path], stack: ExitStack) -> Iterator[tuple[str, int]]:
    opened = [stack.enter_context(path.open(encoding="utf-8", newline="\n")) for path in files]
    rows = heapq.merge(*map(_rows, opened))
    for word, same in groupby(rows, key=lambda row: row[0]):
        yield word, sum(seen for _, seen in same)


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    for line in lines:
        word, _, seen = line.split("\t")
        yield word, int(seen)
