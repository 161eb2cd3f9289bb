"""JSON lines: a line is one story, an object whose text stands in one field (jsonlines.org)."""

import json
import sys
from collections.abc import Iterator
from reprlib import repr as brief  # a name may be of any length, and not printable
from typing import NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.text.pieces import Piece, divided, story
from wordrbm.text.source import Line, Source


def json_pieces(source: Source, field: str) -> Iterator[Piece]:
    """The text of every line, which had to be held to be parsed; a very long one is cut."""
    for line in source.lines():
        if line.text.strip():
            yield from story(source, divided(_text(source, line, field)))


def _text(source: Source, line: Line, field: str) -> str:
    record = _parse(source, line)
    if not isinstance(record, dict):
        _refuse(source, line, "is not a JSON object", 'write each story as {"text": "..."}')
    if field not in record:
        found = ", ".join(map(brief, sorted(record)[:8])) or "none"
        _refuse(
            source,
            line,
            f"has no field {field!r} (found: {found})",
            "name the field that holds the text with --field",
        )
    text = record[field]
    if not isinstance(text, str):
        kind = type(text).__name__
        _refuse(source, line, f"has {kind} in field {field!r}", "store the text as a string")
    _encodable(source, line, text)
    return _without_nul(source, line, text) if "\0" in text else text


def _parse(source: Source, line: Line) -> object:
    try:
        return json.loads(line.text.removeprefix("\ufeff"))  # as where files were joined
    except json.JSONDecodeError as error:
        fault = f"is not valid JSON at column {error.colno}"
    except RecursionError:
        fault = "is not valid JSON: its brackets are nested too deeply"
    except ValueError:  # the one other that json raises: Python reads no longer integer
        fault = f"holds a number of more than {sys.get_int_max_str_digits():,} digits"
    _refuse(source, line, fault, "mend or remove that line")


def _encodable(source: Source, line: Line, text: str) -> None:
    """JSON can spell half a surrogate pair, which is no character and has no UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        _refuse(source, line, "holds half of a surrogate pair", "mend or remove that line")


def _without_nul(source: Source, line: Line, text: str) -> str:
    r"""JSON can spell NUL as \u0000; it is treated as the byte would be."""
    decoded = source.decode(text.encode("utf-8"), True)
    if decoded.fault:
        remedy = "mend or remove that line, or use --encoding-errors replace"
        _refuse(source, line, "spells NUL, which text never has", remedy)
    source.replaced += decoded.replaced
    return decoded.text


def _refuse(source: Source, line: Line, fault: str, remedy: str) -> NoReturn:
    raise WordRBMError(f"{source.path}, line {line.number} {fault}; {remedy}.")
