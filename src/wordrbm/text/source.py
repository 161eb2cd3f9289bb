"""Bytes of one input file, decompressed and decoded, with every fault told by its place.

`.gz` and `.zst` are decompressed by suffix; a stream that ends early raises instead of ending.
Everything is UTF-8; a byte order mark at the very start is dropped. Offsets are in the
decompressed bytes, which is what a user would look at.
"""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, NamedTuple, NoReturn, cast

from wordrbm.errors import WordRBMError

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

BLOCK = 1 << 16
COMPRESSED = (".gz", ".zst")
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)


class Line(NamedTuple):
    """One line of a file, without its line end, and its number from 1."""

    number: int
    text: str


class Source(NamedTuple):
    """An open input file: the file on disk, and the stream of its decompressed bytes."""

    path: Path
    disk: BinaryIO
    stream: io.BufferedReader

    def position(self) -> int:
        """How many bytes of the file on disk have been read, which only progress needs."""
        return self.disk.tell()

    def opening(self) -> bytes:
        """The first bytes, without moving on."""
        return self._guard(lambda: self.stream.peek(256))[:256]

    def lines(self) -> Iterator[Line]:
        """Every line, decoded."""
        number, offset = 0, 0
        while raw := self._guard(self.stream.readline):
            number += 1
            text = _decode(raw, self.path, number, offset)
            yield Line(number, text.rstrip("\r\n"))
            offset += len(raw)

    def blocks(self) -> Iterator[str]:
        """The text in blocks of about 64 KB, with every line end as a newline."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        newlines = io.IncrementalNewlineDecoder(None, translate=True)
        offset, line = 0, 1
        while True:
            block = self._guard(lambda: self.stream.read(BLOCK))
            held = len(decoder.getstate()[0])  # bytes of a character cut by the block before
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                line += block[: max(error.start - held, 0)].count(b"\n")
                _refuse_bytes(self.path, line, offset - held + error.start, error)
            yield newlines.decode(text, final=not block)
            if not block:
                return
            offset, line = offset + len(block), line + block.count(b"\n")

    def _guard(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except BROKEN as error:
            raise WordRBMError(
                f"{self.path} is broken or cut short near byte {self.position():,} of the file "
                f"({error}); copy or download it again."
            ) from error


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open a file for reading, decompressed by its suffix."""
    with path.open("rb") as disk:
        _refuse_empty_archive(path, disk)
        yield Source(path, disk, _decompressed(path, disk))


def _decompressed(path: Path, disk: BinaryIO) -> io.BufferedReader:
    if path.suffix == ".gz":
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=disk)), BLOCK)
    if path.suffix == ".zst":
        return io.BufferedReader(cast(io.RawIOBase, ZstdFile(disk)), BLOCK)
    return cast(io.BufferedReader, disk)


def inner_suffix(path: PurePath) -> str:
    """The suffix that tells the format: `.jsonl` for `a.jsonl` and for `a.jsonl.gz`."""
    name = PurePath(path.stem) if path.suffix in COMPRESSED else path
    return name.suffix.lower()


def _refuse_empty_archive(path: Path, disk: BinaryIO) -> None:
    if path.suffix in COMPRESSED and not disk.read(1):
        raise WordRBMError(
            f"{path} has 0 bytes, which no {path.suffix} file has; copy or download it again."
        )
    disk.seek(0)


def _decode(raw: bytes, path: Path, number: int, offset: int) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        _refuse_bytes(path, number, offset + error.start, error)


def _refuse_bytes(path: Path, line: int, offset: int, error: UnicodeDecodeError) -> NoReturn:
    raise WordRBMError(
        f"{path}, line {line}: the byte at offset {offset:,} is not UTF-8 ({error.reason}); "
        "convert the file, for example with iconv -t UTF-8."
    ) from error
