"""Plain text: a file is one story."""

from collections.abc import Iterator

from wordrbm.text.pieces import Piece, cut, story
from wordrbm.text.source import Source


def plain_pieces(source: Source) -> Iterator[Piece]:
    """The pieces of the one story that a plain text file is."""
    return story(source, cut(source.blocks()))
