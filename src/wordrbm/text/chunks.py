"""A document as a sequence of chunks of bounded size, so that none is ever held in memory as one.

A document is split where it hurts the sentence splitter least: at a blank line, else at a line end,
else at white space; text with none of them is split when it is far longer than any word.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

CHUNK_SIZE = 1 << 16  # characters gathered before a split point is sought
MAX_UNSPLIT = 1 << 20  # characters without white space that are split anyway


class Chunk(NamedTuple):
    """A part of a document, and whether the document ends with it."""

    text: str
    ends_document: bool


def document_chunks(texts: Iterable[str]) -> Iterator[Chunk]:
    """The chunks of one document, given its split text; the last chunk is empty and ends it."""
    yield from open_chunks(texts)
    yield Chunk("", True)


def open_chunks(texts: Iterable[str]) -> Iterator[Chunk]:
    """The chunks of split text after which the document continues."""
    for text in texts:
        yield Chunk(text, False)


def split_long(text: str) -> list[str]:
    """Split a text in memory if it is too long for one chunk."""
    if len(text) <= MAX_UNSPLIT:
        return [text]
    starts = range(0, len(text), CHUNK_SIZE)
    return list(split_blocks(text[start : start + CHUNK_SIZE] for start in starts))


def split_blocks(blocks: Iterable[str]) -> Iterator[str]:
    """Join blocks of text and split them again into parts of about `CHUNK_SIZE` characters."""
    pending = ""
    for block in blocks:
        pending += block
        if len(pending) >= CHUNK_SIZE and (end := split_point(pending)):
            yield pending[:end]
            pending = pending[end:]
    yield pending


def split_point(text: str) -> int:
    """Where to split a text: after the last blank line, line end or white space; 0 for nowhere."""
    for mark in ("\n\n", "\n"):
        start = text.rfind(mark)
        if start > len(text) // 2:  # splits near the start would leave ever longer remainders
            return start + len(mark)
    after_space = len(text) if text[-1:].isspace() else len(text) - len(_last_word(text))
    if after_space > len(text) // 2:
        return after_space
    return len(text) if len(text) >= MAX_UNSPLIT else 0


def _last_word(text: str) -> str:
    return text.rsplit(maxsplit=1)[-1]  # from the end on: a long text may have no white space
