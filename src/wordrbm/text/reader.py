"""One input file or standard input, decompressed and decoded: blocks or lines of text.

Everything is UTF-8 without NUL; a byte order mark at the very start is dropped; every line end (LF,
CR LF, CR) is a newline. Errors name the line and the offset in the decompressed bytes. The text
before a bad byte is yielded before the error is raised, so that of two errors in a file the first
is reported, however the file is divided into blocks.

Two ways to decode bytes that are no text: `strict` stops at the first and describes it; `replace`
puts U+FFFD in the place of each, as Python's decoder does (one for every maximal part of a broken
character: Unicode 15.0, section 3.9, "U+FFFD Substitution of Maximal Subparts") and for each NUL,
and counts them. Both hold back a character that a block boundary splits.
"""

import codecs
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple, NoReturn, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors
from wordrbm.text import files
from wordrbm.text.files import BLOCK

STRICT, REPLACE = "strict", "replace"
ENCODING_ERRORS = (STRICT, REPLACE)
MAX_LINE_CHARACTERS = 64_000_000  # of a line that must be held in memory
MAX_LINE_BYTES = 16_000_000  # of a line of `open_lines`
HEAD_BYTES = 256
REPLACEMENT = "\ufffd"
BYTE_ORDER_MARKS = {  # the longer ones first: UTF-32 begins as UTF-16 does
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_UNDERSCORES = re.compile("_{2,}")


class Decoded(NamedTuple):
    """The text of a block, its length in bytes, and what is wrong with the next byte, if any."""

    text: str
    consumed: int
    replaced: int
    fault: str


Decoder: TypeAlias = Callable[[bytes, bool], Decoded]


def check_encoding_errors(value: str) -> None:
    """Raise unless a value of --encoding-errors is known."""
    if value not in ENCODING_ERRORS:
        raise WordRBMError(f"--encoding-errors is {value!r}; use {' or '.join(ENCODING_ERRORS)}.")


def decode_strict(data: bytes, final: bool) -> Decoded:
    """Decode up to the first byte that is no text; `final` says that no byte follows."""
    try:
        text, consumed = codecs.utf_8_decode(data, "strict", final)
        fault = ""
    except UnicodeDecodeError as error:
        text, consumed = data[: error.start].decode("utf-8"), error.start
        fault = f"is not UTF-8 ({error.reason})"
    nul = data.find(b"\0", 0, consumed)
    if nul >= 0:
        fault = "is NUL, which text never has (it may be UTF-16, or no text at all)"
        return Decoded(data[:nul].decode("utf-8"), nul, 0, fault)
    return Decoded(text, consumed, 0, fault)


def decode_replacing(data: bytes, final: bool) -> Decoded:
    """Decode everything, with U+FFFD in the place of what is no text."""
    text, consumed = codecs.utf_8_decode(data, "replace", final)
    # A replacement character that the file itself contains is not one of ours.
    original = data.count(REPLACEMENT.encode(), 0, consumed)
    text = text.replace("\0", REPLACEMENT)
    return Decoded(text, consumed, text.count(REPLACEMENT) - original, "")


DECODERS: dict[str, Decoder] = {STRICT: decode_strict, REPLACE: decode_replacing}


def other_encoding(head: bytes) -> str:
    """The encoding that a byte order mark names, if it is not UTF-8."""
    names = (name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark))
    return next(names, "")


class Line(NamedTuple):
    """One line without its line end, its number from 1, and the bytes read so far."""

    number: int
    text: str
    position: int


class TextReader:
    """An open input file: its decoded text, the position on disk, and the characters replaced.

    `advice` is added to the error for a byte that is no text.
    """

    def __init__(
        self, path: Path, disk: BinaryIO, encoding_errors: str = STRICT, advice: str = ""
    ) -> None:
        self.path, self.disk, self.advice = path, disk, advice
        self.decode = DECODERS[encoding_errors]
        self.stream = files.open_decompressed(path, disk)
        self.decompressed_bytes = self.replaced = 0
        self.line = 1
        self.head = self._read(HEAD_BYTES)

    def position(self) -> int:
        """The number of bytes read from the file on disk."""
        return self.disk.tell()

    def blocks(self) -> Iterator[str]:
        """Yield the text in blocks of about 64 KB."""
        newlines = io.IncrementalNewlineDecoder(None, translate=True)
        block = self.head + self._read(max(BLOCK - len(self.head), 0))
        offset = len(codecs.BOM_UTF8) if block.startswith(codecs.BOM_UTF8) else 0
        data, ended = block[offset:], not block
        while True:
            decoded = self.decode(data, ended)
            self.replaced += decoded.replaced
            text = newlines.decode(decoded.text, final=ended or bool(decoded.fault))
            self.line += text.count("\n")
            yield text
            offset += decoded.consumed
            if decoded.fault:
                self._refuse_byte(offset, decoded.fault)
            if ended:
                return
            block = self._read(BLOCK)
            data, ended = data[decoded.consumed :] + block, not block

    def lines(self) -> Iterator[Line]:
        """Yield every line; one that is too long is refused before it is held in memory."""
        number, parts, size = 1, list[str](), 0
        for block in self.blocks():
            *ended, rest = block.split("\n")
            for text in ended:
                yield Line(number, "".join([*parts, text]), self.position())
                number, parts, size = number + 1, [], 0
            parts.append(rest)
            size += len(rest)
            if size > MAX_LINE_CHARACTERS:
                self._refuse_line(number)
        if size:
            yield Line(number, "".join(parts), self.position())

    def _read(self, size: int) -> bytes:
        try:
            data = self.stream.read(size)
        except files.DECOMPRESSION_ERRORS as error:
            files.refuse_broken(self.path, self.position(), error)
        self.decompressed_bytes += len(data)
        files.refuse_bomb(self.path, self.position(), self.decompressed_bytes)
        return data

    def _refuse_byte(self, offset: int, fault: str) -> NoReturn:
        place = f"{self.path}, line {self.line}: the byte at offset {offset:,}"
        if offset == 0 and (encoding := other_encoding(self.head)):
            raise WordRBMError(
                f"{place} begins a byte order mark of {encoding} where UTF-8 was expected; convert "
                f"the file, for example with iconv -f {encoding} -t UTF-8."
            )
        raise WordRBMError(
            f"{place} {fault}; convert the file, for example with iconv -t UTF-8{self.advice}."
        )

    def _refuse_line(self, number: int) -> NoReturn:
        raise WordRBMError(
            f"{self.path}, line {number}, read up to byte {self.decompressed_bytes:,}, has more "
            f"than {MAX_LINE_CHARACTERS:,} characters; put each document on a line of its own."
        )


@contextmanager
def open_text(path: Path, encoding_errors: str = STRICT, advice: str = "") -> Iterator[TextReader]:
    """Open a file for reading as text, decompressed by its suffix."""
    with read_errors(path):
        disk = path.open("rb")
    with disk:
        with read_errors(path):
            reader = TextReader(path, disk, encoding_errors, advice)
        yield reader


def inner_suffix(path: PurePath) -> str:
    """The suffix that names the format: `.jsonl` for `a.jsonl` and for `a.jsonl.gz`."""
    name = PurePath(path.stem) if files.is_compressed(path) else path
    return name.suffix.lower()


@contextmanager
def open_lines(path: Path | None, encoding_errors: str = STRICT) -> Iterator[Iterator[Line]]:
    """Open a file, or standard input if the path is None or `-`, as an iterator over its lines.

    Each line is yielded as soon as it arrives, as a pipe needs. Runs of underscores become spaces:
    in running text they are no blank to be filled.
    """
    if path is None or str(path) == "-":
        yield _decoded_lines(standard_input(), "standard input", encoding_errors)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise WordRBMError(
            f"{path} cannot be read: {error.strerror}; give a file of lines, or - for standard "
            "input."
        ) from None
    with file:
        yield _decoded_lines(file, str(path), encoding_errors)


def standard_input() -> BinaryIO:
    """The bytes of standard input; raises WordRBMError if it is closed."""
    if sys.stdin is None:
        raise WordRBMError("Standard input is closed; give a file, or send text through a pipe.")
    return sys.stdin.buffer


def _decoded_lines(file: BinaryIO, name: str, encoding_errors: str) -> Iterator[Line]:
    number = position = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number, position = number + 1, position + len(raw)
        place = f"{name}, line {number}"
        if len(raw) > MAX_LINE_BYTES:
            raise WordRBMError(
                f"{place} has more than {MAX_LINE_BYTES:,} bytes; put each sentence or paragraph "
                "on a line of its own."
            )
        decoded = DECODERS[encoding_errors](raw, True)
        if decoded.fault:
            raise WordRBMError(
                f"{place}: byte {decoded.consumed + 1} of the line {decoded.fault}; convert the "
                "text, for example with iconv -t UTF-8."
            )
        text = decoded.text.rstrip("\r\n")
        text = text.removeprefix("\ufeff") if number == 1 else text
        yield Line(number, _UNDERSCORES.sub(" ", text), position)
