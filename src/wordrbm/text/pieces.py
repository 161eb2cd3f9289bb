"""A story as a sequence of pieces of bounded size, so that no story is ever held whole.

A piece is cut where it hurts the sentence splitter least: at a blank line, else at a line end,
else at white space; a stretch with none of them is cut when it is far longer than any word.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wordrbm.text.source import Source

PIECE = 1 << 16  # characters gathered before a cut is sought
LONGEST_STRETCH = 1 << 20  # characters without white space that are cut anyway


class Piece(NamedTuple):
    """Part of a story; whether the story ends with it; bytes read and characters replaced so far.

    The bytes are those of the file on disk, the characters those that were no UTF-8.
    """

    text: str
    ends_story: bool
    position: int
    replaced: int


def story(source: Source, texts: Iterable[str]) -> Iterator[Piece]:
    """The pieces of a story whose texts are cut already; the last, which ends it, is empty."""
    yield from unfinished(source, texts)
    yield Piece("", True, source.position(), source.replaced)


def unfinished(source: Source, texts: Iterable[str]) -> Iterator[Piece]:
    """The pieces of a story that goes on after them."""
    for text in texts:
        yield Piece(text, False, source.position(), source.replaced)


def divided(text: str) -> list[str]:
    """A text that is held already: as it is, or cut if it is too long to be one piece."""
    if len(text) <= LONGEST_STRETCH:
        return [text]
    return list(cut(text[at : at + PIECE] for at in range(0, len(text), PIECE)))


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
    after_space = len(text) if text[-1:].isspace() else len(text) - len(_last_word(text))
    if after_space > len(text) // 2:
        return after_space
    return len(text) if len(text) >= LONGEST_STRETCH else 0


def _last_word(text: str) -> str:
    return text.rsplit(maxsplit=1)[-1]  # from the end on: a long text may have no white space
