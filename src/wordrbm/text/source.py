"""The text of one input file, decompressed and decoded, with every fault told by its place.

Everything is UTF-8; a byte order mark at the very start is dropped; every line end (LF, CR LF,
CR) is a newline. Offsets are in the decompressed bytes, which is what a user would look at. The
text before a fault is given before the fault is raised, so that of two faults the first is told,
however the file is cut into blocks.
"""

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple, NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.text import archives
from wordrbm.text.archives import BLOCK
from wordrbm.text.decoding import DECODERS, Decoder, other_encoding

LONGEST_LINE = 64_000_000  # characters of a line that must be held whole
OPENING_BYTES = 256


class Line(NamedTuple):
    """One line of a file, without its line end, and its number from 1."""

    number: int
    text: str


class Source:
    """An open input file: where the reading stands, and what was met on the way."""

    def __init__(self, path: Path, disk: BinaryIO, decode: Decoder, remedy: str = "") -> None:
        self.path, self.disk, self.decode, self.remedy = path, disk, decode, remedy
        self.stream = archives.decompressed(path, disk)
        self.come_out = self.replaced = 0
        self.line = 1
        self.opening = self._read(OPENING_BYTES)

    def position(self) -> int:
        """How many bytes of the file on disk have been read."""
        return self.disk.tell()

    def blocks(self) -> Iterator[str]:
        """The text in blocks of about 64 KB."""
        newlines = io.IncrementalNewlineDecoder(None, translate=True)
        block = self.opening + self._read(max(BLOCK - len(self.opening), 0))
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
                self._refuse(offset, decoded.fault)
            if ended:
                return
            block = self._read(BLOCK)
            data, ended = data[decoded.consumed :] + block, not block

    def lines(self) -> Iterator[Line]:
        """Every line; one too long to be held is refused before it is."""
        number, parts, size = 1, list[str](), 0
        for block in self.blocks():
            *ended, rest = block.split("\n")
            for text in ended:
                yield Line(number, "".join([*parts, text]))
                number, parts, size = number + 1, [], 0
            parts.append(rest)
            size += len(rest)
            if size > LONGEST_LINE:
                self._refuse_line(number)
        if size:
            yield Line(number, "".join(parts))

    def _read(self, size: int) -> bytes:
        try:
            data = self.stream.read(size)
        except archives.BROKEN as error:
            archives.refuse_broken(self.path, self.position(), error)
        self.come_out += len(data)
        archives.refuse_bomb(self.path, self.position(), self.come_out)
        return data

    def _refuse(self, offset: int, fault: str) -> NoReturn:
        place = f"{self.path}, line {self.line}: the byte at offset {offset:,}"
        if offset == 0 and (encoding := other_encoding(self.opening)):
            raise WordRBMError(
                f"{place} begins a byte order mark of {encoding} where UTF-8 was expected; convert "
                f"the file, for example with iconv -f {encoding} -t UTF-8."
            )
        raise WordRBMError(
            f"{place} {fault}; convert the file, for example with iconv -t UTF-8{self.remedy}."
        )

    def _refuse_line(self, number: int) -> NoReturn:
        raise WordRBMError(
            f"{self.path}, line {number}, read up to byte {self.come_out:,}, has more than "
            f"{LONGEST_LINE:,} characters; put each story on a line of its own."
        )


@contextmanager
def opened(path: Path, encoding_errors: str, remedy: str = "") -> Iterator[Source]:
    """Open a file for reading, decompressed by its suffix; bad UTF-8 may have another remedy."""
    with path.open("rb") as disk:
        yield Source(path, disk, DECODERS[encoding_errors], remedy)


def inner_suffix(path: PurePath) -> str:
    """The suffix that tells the format: `.jsonl` for `a.jsonl` and for `a.jsonl.gz`."""
    name = PurePath(path.stem) if archives.is_compressed(path) else path
    return name.suffix.lower()
