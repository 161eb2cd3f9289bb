"""A story as a sequence of pieces of bounded size, so that no story is ever held whole.

A piece is cut where it hurts the sentence splitter least: at a blank line, else at a line end,
else at white space; a stretch with none of them is cut when it is far longer than any word.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PIECE = 1 << 16  # characters gathered before a cut is sought
LONGEST_WORD = 1 << 20  # characters without white space that are cut anyway
_SPACE = re.compile(r"\s(?=\S*\Z)")


class Piece(NamedTuple):
    """Part of a story, whether the story ends with it, and bytes of the file read so far."""

    text: str
    ends_story: bool
    position: int


def cut(blocks: Iterable[str]) -> Iterator[str]:
    """Gather blocks of text and cut them again into pieces of about `PIECE` characters."""
    gathered = ""
    for block in blocks:
        gathered += block
        if len(gathered) >= PIECE and (at := cut_point(gathered)):
            yield gathered[:at]
            gathered = gathered[at:]
    yield gathered


def cut_point(text: str) -> int:
    """Where to cut a text: after the last blank line, line end or white space; 0 is nowhere."""
    for mark in ("\n\n", "\n"):
        at = text.rfind(mark)
        if at > len(text) // 2:  # a cut near the start would leave pieces growing
            return at + len(mark)
    if space := _SPACE.search(text, len(text) // 2):
        return space.end()
    return len(text) if len(text) >= LONGEST_WORD else 0
