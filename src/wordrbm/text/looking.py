"""What stands at a path, and reading it, with every fault of the system told as a sentence.

`Path.is_file` and its like raise for a name too long and in a folder that may not be searched,
and from Python 3.14 on they call such a file missing; the user is to hear which it is.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from wordrbm.errors import WordRBMError

ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # also links to nothing and to themselves


class Found(NamedTuple):
    """What stands at a path; both are false if nothing does, or something else."""

    is_file: bool
    is_folder: bool
    size: int


def look(path: Path) -> Found:
    """Tell a file from a folder from anything else."""
    with reading(path):
        try:
            status = path.stat()
        except ValueError:  # a name that no file can have
            return Found(False, False, 0)
        except OSError as error:
            if error.errno not in ABSENT:
                raise
            return Found(False, False, 0)
    return Found(S_ISREG(status.st_mode), S_ISDIR(status.st_mode), status.st_size)


def read_small(path: Path, most: int) -> bytes:
    """The bytes of a file that is to have at most so many; a pipe or a device is never opened."""
    status = path.stat()
    if not S_ISREG(status.st_mode):
        raise WordRBMError(f"{path} is no file where one was expected; remove what is there.")
    if status.st_size > most:
        raise WordRBMError(
            f"{path} has {status.st_size:,} bytes where at most {most:,} were expected; remove it."
        )
    return path.read_bytes()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Refuse a path that the system will not read."""
    try:
        yield
    except OSError as error:
        raise WordRBMError(
            f"Could not read {path}: {error.strerror or error}; check the path and who may read it."
        ) from error
