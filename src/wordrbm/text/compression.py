"""Compressed files: `.gz` and `.zst`, streamed, checked, and bounded.

A stream that ends early, fails its checksum or is followed by other bytes raises instead of
ending. A file is refused once its output exceeds 64 MB and 250 times its input: text compresses
to a third or a tenth, and a file that is all one letter (gzip compresses that a thousand times,
zstd far more) would fill any disk.
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
OTHER_ARCHIVES = (
    ".zip",
    ".xz",
    ".bz2",
    ".7z",
    ".rar",
    ".lzma",
    ".lz4",
    ".br",
    ".z",
    ".tar",
    ".tgz",
)
DECOMPRESSION_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)
BOMB_BYTES, BOMB_RATIO = 64_000_000, 250
_LARGE_WINDOW = "too much memory"  # in zstd's error for a window above its limit of 128 MB


def is_compressed(path: PurePath) -> bool:
    """Whether the suffix of a file says that it is compressed."""
    return path.suffix.lower() in COMPRESSED


def open_decompressed(path: Path, disk: BinaryIO) -> io.BufferedReader:
    """Open the decompressed stream of a file; a plain file is its own stream."""
    if not is_compressed(path):
        return cast(io.BufferedReader, disk)
    _refuse_empty(path, disk)
    is_gzip = path.suffix.lower() == ".gz"
    stream = gzip.GzipFile(fileobj=disk) if is_gzip else ZstdFile(disk)
    return io.BufferedReader(cast(io.RawIOBase, stream), BLOCK)


def refuse_broken(path: Path, position: int, error: Exception) -> NoReturn:
    """Raise for a compressed file that is damaged near byte `position` on disk."""
    if _LARGE_WINDOW in str(error):
        raise WordRBMError(
            f"{path} cannot be decompressed near byte {position:,} of the file, its window being "
            "above 128 MB; compress it again without --long or --ultra."
        ) from error
    raise WordRBMError(
        f"{path} is broken or cut short near byte {position:,} of the file ({error}); copy or "
        "download it again."
    ) from error


def refuse_bomb(path: Path, bytes_in: int, bytes_out: int) -> None:
    """Refuse a compressed file that expands far more than text does."""
    if bytes_out > max(BOMB_BYTES, BOMB_RATIO * bytes_in) and is_compressed(path):
        raise WordRBMError(
            f"{path} expands to {bytes_out:,} bytes at byte {bytes_in:,} of the file, and text "
            f"expands at most {BOMB_RATIO} times; if it is text, decompress it first."
        )


def refuse_other_archives(path: Path) -> None:
    """Refuse an archive format that would otherwise be read as plain text."""
    if (suffix := path.suffix.lower()) in OTHER_ARCHIVES:
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
