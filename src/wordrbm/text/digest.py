"""Which text was read: one SHA-256 for all files, of their bytes as they are on the disk.

digest = SHA-256(the SHA-256 of each file in order, in hexadecimal, each ended by a newline)

No path, no time and nothing of how files are shared out among jobs is in it.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from wordrbm.storage import read_errors, sha256


def digests(files: Iterable[Path]) -> list[str]:
    """The SHA-256 of each file."""
    return [_digest(path) for path in files]


def of_all(found: Iterable[str]) -> str:
    """The one SHA-256 of many."""
    return hashlib.sha256("".join(f"{one}\n" for one in found).encode()).hexdigest()


def _digest(path: Path) -> str:
    with read_errors(path):
        return sha256(path)
