"""The vocabulary of a model: a word's id is its line in `vocabulary.tsv`.

    <unk> TAB count     line 0: every token outside the vocabulary
    word  TAB count     most frequent first, equal counts in code point order

UTF-8, every line ended by a newline. Only tab and newline separate, so a word may contain any
other character.
"""

import hashlib
import itertools
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from reprlib import repr as short_repr
from typing import NoReturn, final

import numpy as np
from jaxtyping import Float64, Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors, write_text

UNKNOWN = "<unk>"
MAX_FILE_BYTES = 2**29  # about thirty million words: more would not fit in memory as a model


@final
@dataclass(frozen=True, eq=False)
class Vocabulary:
    """K words, the unknown word first, and their counts."""

    words: tuple[str, ...]
    counts: Int64[np.ndarray, " K"]

    @classmethod
    def build(cls, ranked: Iterable[tuple[str, int]], unknown: int) -> "Vocabulary":
        """Make a vocabulary of the unknown word and of ranked words with their counts."""
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
        """Tokens as ids, 0 for every out-of-vocabulary token."""
        return np.fromiter(map(self.index.get, tokens, itertools.repeat(0)), np.int32)

    def probability(self) -> Float64[np.ndarray, " K"]:
        """Unigram probabilities, never zero: max(count, 1) over the sum."""
        counts = np.maximum(self.counts, 1).astype(np.float64)
        return np.asarray(counts / counts.sum())

    def digest(self) -> str:
        """The SHA-256 of the file this vocabulary is, or would be, stored in."""
        return hashlib.sha256(self._text().encode("utf-8")).hexdigest()

    def write(self, path: Path) -> None:
        """Write `vocabulary.tsv`."""
        for line, word in enumerate(self.words, start=1):
            if not word or "\t" in word or "\n" in word:
                _refuse(path, line, f"would hold {word!r}", "a word with no tab and no newline")
        write_text(path, self._text())

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Read `vocabulary.tsv`, checking every line."""
        lines = _lines(path)
        rows = [_row(path, number, line) for number, line in enumerate(lines, start=1)]
        if not rows or rows[0][0] != UNKNOWN:
            _refuse(path, 1, "does not begin with it", f"the unknown word {UNKNOWN} first")
        vocabulary = cls.build(rows[1:], rows[0][1])
        for line, word in enumerate(vocabulary.words, start=1):
            if (last := vocabulary.index[word] + 1) != line:
                _refuse(path, last, f"repeats {short_repr(word)} of line {line}", "every word once")
        return vocabulary

    def _text(self) -> str:
        rows = zip(self.words, self.counts.tolist(), strict=True)
        return "".join(f"{word}\t{count}\n" for word, count in rows)


def _lines(path: Path) -> Iterator[str]:
    """Line after line, so that a file of another format is refused at its first bad line."""
    with read_errors(path):
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            raise WordRBMError(
                f"{path} holds {status.st_size:,} bytes where a file of at most {MAX_FILE_BYTES:,} "
                "was expected; take an untouched copy of the file, or prepare with a smaller "
                "vocabulary."
            )
        with path.open("rb") as file:  # bytes: a word may contain other line ends of text
            for number, line in enumerate(file, start=1):
                yield _decode(path, number, line)


def _decode(path: Path, number: int, line: bytes) -> str:
    if not line.endswith(b"\n"):
        _refuse(path, number, "is cut short", "a newline at its end")
    try:
        return line[:-1].decode("utf-8")
    except UnicodeDecodeError:
        _refuse(path, number, "is not UTF-8", "UTF-8 text")


def _row(path: Path, number: int, line: str) -> tuple[str, int]:
    word, tab, count = line.partition("\t")
    digits = count.isascii() and count.isdigit() and len(count) < 19
    if not (word and tab and digits and count == str(int(count))):  # 007 would be written as 7
        _refuse(path, number, f"is {short_repr(line)}", "a word, a tab and a count")
    return word, int(count)


def _refuse(path: Path, line: int, fault: str, expected: str) -> NoReturn:
    raise WordRBMError(
        f"{path}, line {line} {fault} where {expected} was expected; prepare the corpus again "
        "or take an untouched copy of the file."
    )
