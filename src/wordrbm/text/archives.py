"""Compressed files: `.gz` and `.zst`, streamed, each fault told, and never without bound.

A stream that ends early, fails its checksum or is followed by other bytes raises instead of
ending. A file is refused once more than 64 MB have come out of it and that is more than 250
times the bytes gone in: text shrinks to a third or a tenth, and a file that is all one letter
(gzip can shrink that a thousand times, zstd far more) would fill any disk.
"""

import gzip
import io
import sys
import zlib
from pathlib import Path, PurePath
from typing import BinaryIO, NoReturn, cast

from wordrbm.errors import WordRBMError

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

BLOCK = 1 << 16
COMPRESSED = (".gz", ".zst")
OTHERS = (".zip", ".xz", ".bz2", ".7z", ".rar", ".lzma", ".lz4", ".br", ".z", ".tar", ".tgz")
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)
BOMB_BYTES, BOMB_RATIO = 64_000_000, 250
_LARGE_WINDOW = "too much memory"  # how zstd says that a window is above its limit of 128 MB


def is_compressed(path: PurePath) -> bool:
    """Whether a file is decompressed as it is read, which its suffix says."""
    return path.suffix.lower() in COMPRESSED


def decompressed(path: Path, disk: BinaryIO) -> io.BufferedReader:
    """The stream of what is in a file."""
    if not is_compressed(path):
        return cast(io.BufferedReader, disk)
    _refuse_empty(path, disk)
    kind = gzip.GzipFile(fileobj=disk) if path.suffix.lower() == ".gz" else ZstdFile(disk)
    return io.BufferedReader(cast(io.RawIOBase, kind), BLOCK)


def refuse_broken(path: Path, position: int, error: Exception) -> NoReturn:
    """Tell why a compressed file cannot be read on; `position` is in the file on disk."""
    if _LARGE_WINDOW in str(error):
        raise WordRBMError(
            f"{path} cannot be decompressed near byte {position:,} of the file, its window being "
            "above 128 MB; compress it again without --long or --ultra."
        ) from error
    raise WordRBMError(
        f"{path} is broken or cut short near byte {position:,} of the file ({error}); copy or "
        "download it again."
    ) from error


def refuse_bomb(path: Path, gone_in: int, come_out: int) -> None:
    """Refuse a file that has grown far more than text can."""
    if come_out > max(BOMB_BYTES, BOMB_RATIO * gone_in) and is_compressed(path):
        raise WordRBMError(
            f"{path} has grown from {gone_in:,} to {come_out:,} bytes at byte {gone_in:,} of the "
            f"file, and text grows at most {BOMB_RATIO} times; if it is text, decompress it first."
        )


def refuse_other_archives(path: Path) -> None:
    """Refuse what would be read as plain text and is none."""
    if (suffix := path.suffix.lower()) in OTHERS:
        raise WordRBMError(
            f"{path} is a {suffix} file, which cannot be read; unpack it, or compress the text as "
            f"{' or '.join(COMPRESSED)}."
        )


def _refuse_empty(path: Path, disk: BinaryIO) -> None:
    if not disk.read(1):
        raise WordRBMError(
            f"{path} has 0 bytes, which no {path.suffix} file has; copy or download it again."
        )
    disk.seek(0)
