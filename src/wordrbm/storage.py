"""Writes that are whole or absent: a temporary file beside the target, fsync, replace, fsync."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wordrbm.errors import WordRBMError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; on leaving, it takes the place of `path` in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with told(path):
        try:
            temporary.touch()
            mode = temporary.stat().st_mode  # what the user's umask gives; some writers tighten it
            yield temporary
            temporary.chmod(mode)
            sync(temporary)
            os.replace(temporary, path)
            sync(path.parent)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Let a failed write be told in a sentence."""
    try:
        yield
    except OSError as error:
        raise WordRBMError(
            f"Could not write {path}: {error.strerror or error}; free some space or choose "
            "another folder, what was there before is untouched."
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder and those above it, or say why it cannot be."""
    with told(path):
        path.mkdir(parents=True, exist_ok=True)


def sync(path: Path) -> None:
    """Ask the disk to keep a file or a folder's list of names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a small text file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
