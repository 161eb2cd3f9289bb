"""Files and folders: atomic writes, locks, and OS errors as sentences.

A write is complete or absent: a temporary file beside the target, fsync, replace, fsync.
"""

import errno
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from wordrbm.errors import WordRBMError

try:
    import fcntl
except ImportError:  # Windows has no such locks; there a second process is not noticed
    fcntl = None  # type: ignore[assignment]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # also links to nothing and to themselves
# The temporary file of a killed process: ours, or the one that safetensors makes beside it.
_TEMPORARY = re.compile(r"\..+\.\d+\.part|\.tmp[0-9A-Za-z]{6}")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on leaving, it replaces `path` in one step."""
    refuse_folder(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with write_errors(path):
        try:
            temporary.touch()
            mode = temporary.stat().st_mode  # what the user's umask gives; some writers tighten it
            yield temporary
            temporary.chmod(mode)
            fsync(temporary)
            os.replace(temporary, path)
            fsync(path.parent)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def refuse_folder(path: Path) -> None:
    """Refuse to write a file where a folder is."""
    with write_errors(path):
        if not path.name or path.is_dir():
            raise WordRBMError(
                f"{path} is a folder where a file is to be written; give the name of a file."
            )


def is_temporary(path: Path) -> bool:
    """Whether a file is a temporary one of `atomic_write`."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporaries(folder: Path) -> None:
    """Remove the temporary files of killed processes; the caller holds the folder's lock."""
    with write_errors(folder):
        for path in list(folder.iterdir()) if folder.is_dir() else []:
            if is_temporary(path):
                path.unlink(missing_ok=True)


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError while writing a path into a WordRBMError."""
    try:
        yield
    except OSError as error:
        is_full = error.errno in FULL
        advice = "free some space" if is_full else "check who may write there"
        raise WordRBMError(
            f"Could not write {path}: {error.strerror or error}; {advice} or choose another "
            "folder, what was there before is untouched."
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder and its parents."""
    with write_errors(path):
        if path.is_file():
            raise WordRBMError(f"{path} is a file where a folder is to be made; name a folder.")
        path.mkdir(parents=True, exist_ok=True)


def check_output_folder(out: Path, file: str, kind: str) -> None:
    """Raise unless a folder is new or empty; `file` marks a folder that holds one of that kind."""
    status = path_status(out)
    if status.is_file:
        raise WordRBMError(f"{out} is a file; name a folder to train into.")
    if status.is_folder and (out / file).exists():
        raise WordRBMError(f"{out} already holds a trained {kind}; train into another folder.")
    if status.is_folder and any(out.iterdir()):
        raise WordRBMError(f"{out} holds files that are not a {kind}; give a new folder as --out.")


def fsync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def folder_lock(folder: Path, purpose: str) -> Iterator[None]:
    """Lock a folder against other processes; `purpose` names the work in it, as "a prepare"."""
    # The lock is on the folder itself: nothing is left on the disk, and it ends with the process.
    if fcntl is None:
        yield
        return
    with write_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor, folder, purpose)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path, purpose: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat())
    except BlockingIOError:
        free = False
    except OSError:  # a file system without locks: as where there are none
        return
    if not free:  # or it was removed, by a process that has just ended, while we opened it
        raise WordRBMError(
            f"Another process is working in {folder} ({purpose}); wait for it to end or choose "
            "another folder."
        )


def write_text(path: Path, text: str) -> None:
    """Write a small text file, completely or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as hexadecimal."""
    with read_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class PathStatus(NamedTuple):
    """Whether a path is a file or a folder; both are false if it is neither or does not exist."""

    is_file: bool
    is_folder: bool
    size: int


def path_status(path: Path) -> PathStatus:
    """Stat a path, raising WordRBMError if the system refuses.

    `Path.is_file` and its like raise for a name too long and in a folder that may not be searched,
    and from Python 3.14 on they call such a file missing; the user should learn which it is.
    """
    with read_errors(path):
        try:
            status = path.stat()
        except ValueError:  # a name that no file can have
            return PathStatus(False, False, 0)
        except OSError as error:
            if error.errno not in ABSENT:
                raise
            return PathStatus(False, False, 0)
    return PathStatus(S_ISREG(status.st_mode), S_ISDIR(status.st_mode), status.st_size)


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Read a file of at most `max_bytes`; a pipe or a device is never opened."""
    status = path.stat()
    if not S_ISREG(status.st_mode):
        raise WordRBMError(f"{path} is no file where one was expected; remove what is there.")
    if status.st_size > max_bytes:
        raise WordRBMError(
            f"{path} has {status.st_size:,} bytes where at most {max_bytes:,} were expected; "
            "remove it."
        )
    return path.read_bytes()


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Turn an OSError while reading a path into a WordRBMError."""
    try:
        yield
    except OSError as error:
        raise WordRBMError(
            f"Could not read {path}: {error.strerror or error}; check the path and who may read it."
        ) from error
