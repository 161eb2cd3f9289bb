"""Paths in, stories out, as a stream.

A plain text file is one story; so is a line of JSON lines; so is a Gigaword document. The
format is told by the suffix (under `.gz` or `.zst`), except that Gigaword's own files have none:
they are known by their opening. Anything else is plain text.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.text.archives import refuse_other_archives
from wordrbm.text.jsonlines import json_pieces
from wordrbm.text.looking import look
from wordrbm.text.pieces import Piece, unfinished
from wordrbm.text.plain import plain_pieces
from wordrbm.text.settings import STRICT
from wordrbm.text.sgml import OPENING, sgml_pieces
from wordrbm.text.source import Source, inner_suffix, opened


def find_files(inputs: Sequence[Path]) -> list[Path]:
    """The files under every input, folders walked in sorted order, hidden names skipped."""
    files: list[Path] = []
    for path in inputs:
        found = look(path)
        if found.is_folder:
            files.extend(_walk(path))
        elif found.is_file:
            files.append(path)
        else:
            raise WordRBMError(f"{path} is neither a file nor a folder; check the path.")
    if not files:
        names = ", ".join(map(str, inputs))
        raise WordRBMError(f"No file was found in {names}; name a file or a folder of files.")
    for path in files:
        refuse_other_archives(path)
    return files


def pieces(path: Path, field: str, encoding_errors: str = STRICT) -> Iterator[Piece]:
    """The stories of one file, in pieces; one more, empty, tells how the whole file was read."""
    try:
        with opened(path, encoding_errors) as source:
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


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(root) / name for name in sorted(names) if not name.startswith("."))
        yield from (path for path in paths if look(path).is_file)


def _refuse_folder(error: OSError) -> NoReturn:
    raise WordRBMError(
        f"Could not list {error.filename}: {error.strerror}; check who may read the folder."
    ) from error
