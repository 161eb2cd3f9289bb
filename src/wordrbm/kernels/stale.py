"""Compiled code is stale when any source of this room is not the one it was compiled from."""

import hashlib
from contextlib import suppress
from pathlib import Path

ROOM = Path(__file__).parent
STAMP = "wordrbm-kernels.stamp"


def forget_stale(room: Path = ROOM) -> None:
    """Remove numba's indices if a source has changed since they were begun, and stamp them anew.

    Where the folder cannot be written to, numba keeps its cache elsewhere and this does nothing.
    """
    cache, now = room / "__pycache__", stamp(room)
    with suppress(OSError):
        if (cache / STAMP).is_file() and (cache / STAMP).read_text() == now:
            return
        for index in cache.glob("*.nbi"):
            index.unlink(missing_ok=True)
        cache.mkdir(exist_ok=True)
        (cache / STAMP).write_text(now)


def stamp(room: Path) -> str:
    """A digest of names, sizes and times of change."""
    found = [(path.name, path.stat()) for path in sorted(room.glob("*.py"))]
    told = [f"{name} {at.st_size} {at.st_mtime_ns}" for name, at in found]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()
