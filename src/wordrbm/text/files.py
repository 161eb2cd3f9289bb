"""Input files: which there are, and their bytes, decompressed from `.gz` and `.zst`.

Folders are walked in sorted order, hidden names skipped. No input is skipped silently: a name in a
folder that is neither a file nor a folder (a pipe, a device, a broken link) is refused. A link to a
folder is that folder, unless it leads to one that contains it, which would never end.

A compressed stream that ends early, fails its checksum or is followed by other bytes raises instead
of ending. A file is refused once its output exceeds 64 MB and 250 times its input: text compresses
to a third or a tenth, and a file that is all one letter (gzip compresses that a thousand times,
zstd far more) would fill any disk.
"""

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from reprlib import repr as short_repr
from typing import Any, BinaryIO, NoReturn, cast

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile
else:
    from backports.zstd import ZstdError, ZstdFile

BLOCK = 1 << 16
COMPRESSED = (".gz", ".zst")
OTHER_ARCHIVES = (
    ".zip", ".xz", ".bz2", ".7z", ".rar", ".lzma", ".lz4", ".br", ".z", ".tar", ".tgz",
)  # fmt: skip
DECOMPRESSION_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile, ZstdError)
BOMB_BYTES, BOMB_RATIO = 64_000_000, 250
_LARGE_WINDOW = "too much memory"  # in zstd's error for a window above its limit of 128 MB
MAX_PATH_LENGTH = 4095  # bytes, the limit of Linux


def as_paths(inputs: str | Path | Iterable[str | Path]) -> list[Path]:
    """Convert one path or many to a list of `Path`; a string is one path, not many letters."""
    if isinstance(inputs, str | os.PathLike):
        return [_as_path(inputs)]
    if not isinstance(inputs, Iterable) or isinstance(inputs, bytes):
        _refuse_value(inputs, "is no path")
    return [_as_path(value) for value in inputs]


def _as_path(value: Any) -> Path:
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        _refuse_value(value, "is no path")
    path = Path(value)
    text = str(path)
    too_long = len(text) > MAX_PATH_LENGTH
    if "\0" in text or too_long or ("\n" in text and not os.path.lexists(path)):
        _refuse_value(text, "is a text and no path")
    return path


def _refuse_value(value: Any, fault: str) -> NoReturn:
    raise WordRBMError(
        f"{short_repr(value)} {fault}; write the text to a file and give the path of that file."
    )


def find_files(inputs: Sequence[Path], out: Path | None = None) -> list[Path]:
    """List the files of every input, without those of the output folder `out`."""
    files: list[Path] = []
    for path in inputs:
        is_folder = path_status(path).is_folder
        files.extend(_walk(path, out) if is_folder else [_regular_file(path)])
    if not files:
        names = ", ".join(map(str, inputs))
        raise WordRBMError(f"No file was found in {names}; give a file or a folder of files.")
    for path in files:
        _refuse_other_archives(path)  # which would be read as plain text
    return files


def _regular_file(path: Path) -> Path:
    if not path_status(path).is_file:
        raise WordRBMError(
            f"{path} is neither a file nor a folder; check the path, or remove what is there."
        )
    return path


def _walk(folder: Path, out: Path | None) -> Iterator[Path]:
    """The files of a folder, then those of each folder in it."""
    excluded = {os.path.realpath(out)} if out else set[str]()
    pending: list[tuple[Path, frozenset[str]]] = [(folder, frozenset())]
    while pending:
        path, above = pending.pop()
        ancestors = above | {os.path.realpath(path)}
        is_folder = {name: path_status(name).is_folder for name in visible_paths(path)}
        yield from (_regular_file(name) for name in is_folder if not is_folder[name])
        subfolders = [name for name in is_folder if is_folder[name]]
        for name in reversed(subfolders):  # so that the first is popped next
            if (target := os.path.realpath(name)) not in excluded:
                if target in ancestors:
                    raise WordRBMError(
                        f"{name} is a link to a folder that contains it, {target}; remove the link."
                    )
                pending.append((name, ancestors))


def visible_paths(folder: Path) -> list[Path]:
    """What a folder holds, sorted by name, without hidden names."""
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except OSError as error:
        raise WordRBMError(
            f"Could not list {folder}: {error.strerror}; check who may read the folder."
        ) from error


def is_compressed(path: PurePath) -> bool:
    """Whether the suffix of a file says that it is compressed."""
    return path.suffix.lower() in COMPRESSED


def open_decompressed(path: Path, disk: BinaryIO) -> io.BufferedReader:
    """Open the decompressed stream of a file; a plain file is its own stream."""
    if not is_compressed(path):
        return cast(io.BufferedReader, disk)
    if not disk.read(1):
        raise WordRBMError(
            f"{path} has 0 bytes, which no {path.suffix} file has; copy or download it again."
        )
    disk.seek(0)
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


def _refuse_other_archives(path: Path) -> None:
    if (suffix := path.suffix.lower()) in OTHER_ARCHIVES:
        raise WordRBMError(
            f"{path} is a {suffix} file, which cannot be read; unpack it, or compress the text as "
            f"{' or '.join(COMPRESSED)}."
        )
