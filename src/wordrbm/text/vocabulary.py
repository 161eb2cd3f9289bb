"""The words a model knows: a word's id is its line in `vocabulary.tsv`.

    <unk> TAB count     line 0: every token outside the vocabulary
    word  TAB count     most frequent first, equal counts in code point order

UTF-8, every line ended by a newline. Only tab and newline separate, so any other character may
stand in a word and comes back as it was.
"""

import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn, final

import numpy as np
from jaxtyping import Float64, Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.storage import write_text

UNKNOWN = "<unk>"


@final
@dataclass(frozen=True, eq=False)
class Vocabulary:
    """K words, the unknown word first, and how often each was seen."""

    words: tuple[str, ...]
    counts: Int64[np.ndarray, " K"]

    @classmethod
    def build(cls, ranked: Iterable[tuple[str, int]], unknown: int) -> "Vocabulary":
        """The unknown word, then words with their counts in the order they are to have."""
        rows = [(UNKNOWN, unknown), *ranked]
        words, counts = zip(*rows, strict=True)
        return cls(words, np.array(counts, np.int64))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of every word."""
        return {word: k for k, word in enumerate(self.words)}

    def ids(self, tokens: Iterable[str]) -> Int32[np.ndarray, " T"]:
        """Tokens as ids, 0 for every token outside."""
        return np.fromiter(map(self.index.get, tokens, itertools.repeat(0)), np.int32)

    def probability(self) -> Float64[np.ndarray, " K"]:
        """How often each word was seen, never zero: max(count, 1) over the sum."""
        seen = np.maximum(self.counts, 1).astype(np.float64)
        return np.asarray(seen / seen.sum())

    def digest(self) -> str:
        """The SHA-256 of the file this vocabulary is, or would be, stored in."""
        return hashlib.sha256(self._text().encode("utf-8")).hexdigest()

    def write(self, path: Path) -> None:
        """Store as `vocabulary.tsv`."""
        for line, word in enumerate(self.words, start=1):
            if not word or "\t" in word or "\n" in word:
                _refuse(path, line, f"would hold {word!r}", "a word with no tab and no newline")
        write_text(path, self._text())

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Load `vocabulary.tsv`, every line checked."""
        lines = _lines(path)
        rows = [_row(path, number, line) for number, line in enumerate(lines, start=1)]
        if not rows or rows[0][0] != UNKNOWN:
            _refuse(path, 1, "does not begin with it", f"the unknown word {UNKNOWN} first")
        vocabulary = cls.build(rows[1:], rows[0][1])
        if len(vocabulary.index) < len(rows):
            _refuse_repeated(path, vocabulary.words)
        return vocabulary

    def _text(self) -> str:
        rows = zip(self.words, self.counts.tolist(), strict=True)
        return "".join(f"{word}\t{count}\n" for word, count in rows)


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise WordRBMError(
            f"Could not read {path}: {error.strerror or error}; check the path."
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        _refuse(path, line, "is not UTF-8", "UTF-8 text")
    lines = text.split("\n")  # not splitlines: a word may hold other separators
    if lines.pop():
        _refuse(path, len(lines) + 1, "is cut short", "a newline at its end")
    return lines


def _row(path: Path, number: int, line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    if not (word and tab and count.isascii() and count.isdigit() and len(count) < 19):
        _refuse(path, number, f"is {line[:60]!r}", "a word, a tab and a count")
    return word, int(count)


def _refuse_repeated(path: Path, words: tuple[str, ...]) -> NoReturn:
    seen: dict[str, int] = {}
    for line, word in enumerate(words, start=1):
        if word in seen:
            _refuse(path, line, f"repeats {word!r} of line {seen[word]}", "every word once")
        seen[word] = line
    raise AssertionError("unreachable: a repeated word was counted but not found")


def _refuse(path: Path, line: int, found: str, expected: str) -> NoReturn:
    raise WordRBMError(
        f"{path}, line {line} {found} where {expected} was expected; prepare the corpus again "
        "or take an untouched copy of the file."
    )
