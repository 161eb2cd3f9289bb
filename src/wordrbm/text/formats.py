"""File formats: a file becomes a stream of documents, each in chunks of bounded size.

A plain text file is one document; so is a line of JSON lines (jsonlines.org), an object with the
text in one field; so is a Gigaword <DOC>. The suffix names the format (before `.gz` or `.zst`),
except that Gigaword's own files have none and are known by their first bytes. Anything else is
plain text. A new format is a function from a `TextReader` to chunks, and a case of `read_chunks`.

A document is split where it hurts the sentence splitter least: at a blank line, else at a line end,
else at white space; text with none of them is split when it is far longer than any word. Thus no
document is ever held in memory as one.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from reprlib import repr as short_repr  # a name may be of any length, and not printable
from typing import NamedTuple, NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors
from wordrbm.text import gigaword
from wordrbm.text.reader import STRICT, Line, TextReader, inner_suffix, open_text

JSON_LINES = (".jsonl", ".ndjson")
SGML = (".sgml", ".sgm")
FIRST_GIGAWORD_TAG = re.compile(rb"(?:\xef\xbb\xbf)?\s*<DOC\s", re.IGNORECASE)
DEFAULT_FIELD = "text"
REPLACE_ADVICE = ", or use --encoding-errors replace"
CHUNK_SIZE = 1 << 16  # characters gathered before a split point is sought
MAX_UNSPLIT = 1 << 20  # characters without white space that are split anyway


class Chunk(NamedTuple):
    """A part of a document, and whether the document ends with it."""

    text: str
    ends_document: bool


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
        elif suffix in SGML or FIRST_GIGAWORD_TAG.match(reader.head):
            yield from _gigaword_chunks(reader)
        else:
            yield from _document_chunks(split_blocks(reader.blocks()))


def _document_chunks(texts: Iterable[str]) -> Iterator[Chunk]:
    """The chunks of one document, whose text is split already; the last is empty and ends it."""
    for text in texts:
        yield Chunk(text, False)
    yield Chunk("", True)


def _gigaword_chunks(reader: TextReader) -> Iterator[Chunk]:
    for text, ends_document in gigaword.story_texts(reader, CHUNK_SIZE):
        for part in split_long(text):
            yield Chunk(part, False)
        if ends_document:
            yield Chunk("", True)


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
    after_space = len(text)
    if not text[-1:].isspace():
        after_space -= len(text.rsplit(maxsplit=1)[-1])  # from the end on: the text may be one word
    if after_space > len(text) // 2:
        return after_space
    return len(text) if len(text) >= MAX_UNSPLIT else 0


def _json_chunks(reader: TextReader, field: str) -> Iterator[Chunk]:
    for line in reader.lines():
        if line.text.strip():
            yield from _document_chunks(split_long(_json_text(reader, line, field)))


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
