"""Compiled loops: arrays in, arrays out. Importing this package drops stale compiled code.

numba caches compiled code beside its source and recompiles it when that one file has changed, but
a compiled function contains the functions it calls, from other files: without this, a user who
updates the package in place would run parts of the old one.
"""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
STAMP = "wordrbm-kernels.stamp"


def drop_stale_cache(folder: Path = FOLDER) -> None:
    """Remove numba's indices if a source has changed since they were begun, and stamp them anew.

    Where the folder cannot be written to, numba keeps its cache elsewhere and this does nothing.
    """
    cache, fingerprint = folder / "__pycache__", source_fingerprint(folder)
    with suppress(OSError):
        if (cache / STAMP).is_file() and (cache / STAMP).read_text() == fingerprint:
            return
        for index in cache.glob("*.nbi"):
            index.unlink(missing_ok=True)
        cache.mkdir(exist_ok=True)
        (cache / STAMP).write_text(fingerprint)


def source_fingerprint(folder: Path) -> str:
    """A digest of the names, sizes and modification times of the sources."""
    sources = [(path.name, path.stat()) for path in sorted(folder.glob("*.py"))]
    lines = [f"{name} {status.st_size} {status.st_mtime_ns}" for name, status in sources]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def is_compiled(function: Any) -> bool:
    """Whether numba has compiled code of this function on disk, for some types of arguments.

    With numba's compilation switched off there is nothing to compile.
    """
    if not hasattr(function, "_cache"):
        return True
    return any(Path(function._cache.cache_path).glob(f"*.{function.__name__}-*.nbi"))


drop_stale_cache()
