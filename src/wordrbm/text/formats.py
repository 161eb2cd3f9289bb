"""File formats: a file becomes a stream of documents, each in chunks of bounded size.

A plain text file is one document; so is a line of JSON lines (jsonlines.org), an object with the
text in one field; so is a Gigaword <DOC>. The suffix names the format (before `.gz` or `.zst`),
except that Gigaword's own files have none and are known by their first bytes. Anything else is
plain text. A new format is a function from a `TextReader` to chunks, and a case of `read_chunks`.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from reprlib import repr as short_repr  # a name may be of any length, and not printable
from typing import NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors
from wordrbm.text import gigaword
from wordrbm.text.chunks import Chunk, document_chunks, split_blocks, split_long
from wordrbm.text.reader import STRICT, Line, TextReader, inner_suffix, open_text

JSON_LINES = (".jsonl", ".ndjson")
SGML = (".sgml", ".sgm")
DEFAULT_FIELD = "text"
REPLACE_ADVICE = ", or use --encoding-errors replace"


def iter_documents(
    files: Iterable[Path], field: str = DEFAULT_FIELD, encoding_errors: str = STRICT
) -> Iterator[str]:
    """Yield every document of some files as one string."""
    for path in files:
        with open_text(path, encoding_errors, REPLACE_ADVICE) as reader:
            parts: list[str] = []
            for chunk in read_chunks(reader, field):
                parts.append(chunk.text)
                if chunk.ends_document:
                    yield "".join(parts)
                    parts = []


def read_chunks(reader: TextReader, field: str = DEFAULT_FIELD) -> Iterator[Chunk]:
    """Yield the documents of an open file in chunks; `field` has the text of JSON lines."""
    with read_errors(reader.path):
        suffix = inner_suffix(reader.path)
        if suffix in JSON_LINES:
            yield from _json_chunks(reader, field)
        elif suffix in SGML or gigaword.is_gigaword(reader.head):
            yield from gigaword.gigaword_chunks(reader)
        else:
            yield from document_chunks(split_blocks(reader.blocks()))


def _json_chunks(reader: TextReader, field: str) -> Iterator[Chunk]:
    for line in reader.lines():
        if line.text.strip():
            yield from document_chunks(split_long(_json_text(reader, line, field)))


def _json_text(reader: TextReader, line: Line, field: str) -> str:
    record = _parse(reader, line)
    if not isinstance(record, dict):
        _refuse(reader, line, "is not a JSON object", 'write each document as {"text": "..."}')
    if field not in record:
        names = ", ".join(map(short_repr, sorted(record)[:8])) or "none"
        fault = f"has no field {field!r} (found: {names})"
        _refuse(reader, line, fault, "name the field that holds the text with --field")
    text = record[field]
    if not isinstance(text, str):
        kind = type(text).__name__
        _refuse(reader, line, f"has {kind} in field {field!r}", "store the text as a string")
    _refuse_surrogates(reader, line, text)
    return _decode_nul(reader, line, text) if "\0" in text else text


def _parse(reader: TextReader, line: Line) -> object:
    try:
        return json.loads(line.text.removeprefix("\ufeff"))  # as where files were concatenated
    except json.JSONDecodeError as error:
        fault = f"is not valid JSON at column {error.colno}"
    except RecursionError:
        fault = "is not valid JSON: its brackets are nested too deeply"
    except ValueError:  # the one other that json raises: Python reads no longer integer
        fault = f"holds a number of more than {sys.get_int_max_str_digits():,} digits"
    _refuse(reader, line, fault, "mend or remove that line")


def _refuse_surrogates(reader: TextReader, line: Line, text: str) -> None:
    """Refuse half a surrogate pair, which JSON can spell: it is no character and has no UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        _refuse(reader, line, "holds half of a surrogate pair", "mend or remove that line")


def _decode_nul(reader: TextReader, line: Line, text: str) -> str:
    r"""Treat a NUL that JSON spells as \u0000 as the byte would be: refuse or replace it."""
    decoded = reader.decode(text.encode("utf-8"), True)
    if decoded.fault:
        advice = f"mend or remove that line{reader.advice}"
        _refuse(reader, line, "spells NUL, which text never has", advice)
    reader.replaced += decoded.replaced
    return decoded.text


def _refuse(reader: TextReader, line: Line, fault: str, advice: str) -> NoReturn:
    raise WordRBMError(f"{reader.path}, line {line.number} {fault}; {advice}.")
