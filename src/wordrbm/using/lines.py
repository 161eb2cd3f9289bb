"""Text that comes as lines, from a file or from standard input, one line held at a time.

UTF-8 without NUL bytes, a byte order mark at the start dropped. A rule of underscores in running
text is no blank: it is left out, as it was from the text the model learnt from.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from wordrbm.errors import WordRBMError

LONGEST = 16_000_000  # bytes of a line
_RULE = re.compile("_{2,}")


class Line(NamedTuple):
    """One line without its end, its number from 1, and the bytes read so far."""

    number: int
    text: str
    position: int


@contextmanager
def lines_from(path: Path | None) -> Iterator[Iterator[Line]]:
    """The lines of a file, or of standard input when there is no path or it is `-`."""
    if path is None or str(path) == "-":
        yield _lines(standard_input(), "standard input")
        return
    with _opened(path) as file:
        yield _lines(file, str(path))


def standard_input() -> BinaryIO:
    """Its bytes; that it is closed is told."""
    if sys.stdin is None:
        raise WordRBMError("Standard input is closed; give a file, or send text through a pipe.")
    return sys.stdin.buffer


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise WordRBMError(
            f"{path} cannot be read: {error.strerror}; give a file of lines, or - for standard "
            "input."
        ) from None


def _lines(file: BinaryIO, name: str) -> Iterator[Line]:
    number = position = 0
    while raw := file.readline(LONGEST + 1):
        number, position = number + 1, position + len(raw)
        if len(raw) > LONGEST:
            raise WordRBMError(
                f"{name}, line {number} has more than {LONGEST:,} bytes; put each sentence or "
                "paragraph on a line of its own."
            )
        yield Line(number, _RULE.sub(" ", _decoded(raw, name, number)), position)


def _decoded(raw: bytes, name: str, number: int) -> str:
    if b"\0" in raw:  # UTF-16 without a mark is valid UTF-8, letter by letter
        raise WordRBMError(
            f"{name}, line {number}: byte {raw.index(0) + 1} of the line is NUL, which no text "
            "has; convert it, for example with iconv -f UTF-16 -t UTF-8."
        )
    try:
        text = raw.decode("utf-8").rstrip("\r\n")
        return text.removeprefix("\ufeff") if number == 1 else text
    except UnicodeDecodeError as error:
        raise WordRBMError(
            f"{name}, line {number}: byte {error.start + 1} of the line is not UTF-8 "
            f"({error.reason}); convert the text, for example with iconv -t UTF-8."
        ) from error
