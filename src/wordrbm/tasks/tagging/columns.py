"""Files of columns: a token a line, its label in the last column, an empty line after a sentence.

As in the CoNLL shared tasks. Columns are separated by spaces or tabs; every line of a file has as
many as its first. A line `-DOCSTART- ...` is no token.
"""

import io
import re
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.reader import TextReader, open_text

BETWEEN = re.compile("[ \t]+")
DOCUMENT = "-DOCSTART-"


class Sentence(NamedTuple):
    """The tokens of a sentence, column by column; the last column are labels, if there are any."""

    columns: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The first column."""
        return self.columns[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """The last column."""
        return self.columns[-1]


def read_columns(path: Path, columns: int | None = None) -> list[Sentence]:
    """Every sentence of a file, of so many columns, or of as many as its first token has."""
    if not path_status(path).is_file:
        raise WordRBMError(f"{path} is no file; give one with a token a line.")
    with open_text(path) as reader:
        return _sentences(reader, columns)


def received_columns(stream: BinaryIO, columns: int) -> list[Sentence]:
    """Every sentence that comes through a pipe; all of it is read before the first is given."""
    data = io.BytesIO(stream.read())
    return _sentences(TextReader(Path("standard input"), data), columns)


def _sentences(reader: TextReader, columns: int | None) -> list[Sentence]:
    sentences: list[Sentence] = []
    tokens: list[list[str]] = []
    for line in reader.lines():
        row = [part for part in BETWEEN.split(line.text) if part]
        if not row or row[0] == DOCUMENT:
            _close(sentences, tokens)
            continue
        columns = columns or len(row)
        if len(row) != columns:
            _refuse(reader.path, line.number, len(row), columns)
        tokens.append(row)
    _close(sentences, tokens)
    if not sentences:
        raise WordRBMError(f"{reader.path} holds no token; give a token a line.")
    return sentences


def _close(sentences: list[Sentence], tokens: list[list[str]]) -> None:
    if tokens:
        sentences.append(Sentence(tuple(zip(*tokens, strict=True))))
        tokens.clear()


def _refuse(path: Path, line: int, found: int, expected: int) -> NoReturn:
    raise WordRBMError(
        f"{path}, line {line} has {found} columns where {expected} were expected; every token has "
        "as many as the first, and an empty line ends a sentence."
    )
