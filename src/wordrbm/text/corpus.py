"""Paths in, stories out, as a stream.

A plain text file is one story; so is a line of JSON lines; so is a Gigaword document. The
format is told by the suffix (under `.gz` or `.zst`), except that Gigaword's own files have none:
they are known by their opening. Anything else is plain text.
"""

from collections.abc import Iterator
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.text.jsonlines import json_pieces
from wordrbm.text.pieces import Piece, unfinished
from wordrbm.text.plain import plain_pieces
from wordrbm.text.settings import STRICT
from wordrbm.text.sgml import OPENING, sgml_pieces
from wordrbm.text.source import Source, inner_suffix, opened

REPLACED = ", or use --encoding-errors replace"


def pieces(path: Path, field: str, encoding_errors: str = STRICT) -> Iterator[Piece]:
    """The stories of one file, in pieces; one more, empty, tells how the whole file was read."""
    try:
        with opened(path, encoding_errors, REPLACED) as source:
            yield from _read(source, field)
            yield from unfinished(source, [""])
    except OSError as error:
        raise WordRBMError(
            f"Could not read {path}: {error.strerror or error}; check the file."
        ) from error


def _read(source: Source, field: str) -> Iterator[Piece]:
    suffix = inner_suffix(source.path)
    if suffix in (".jsonl", ".ndjson"):
        return json_pieces(source, field)
    opening = source.opening.removeprefix(b"\xef\xbb\xbf")
    if suffix in (".sgml", ".sgm") or OPENING.match(opening):
        return sgml_pieces(source)
    return plain_pieces(source)
