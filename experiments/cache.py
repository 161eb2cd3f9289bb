"""Results on disk: one JSON file each, found by a digest of everything it was computed from.

Arrays of a result are in a safetensors file beside it, models in a folder of the same name.

A result that is on disk is not computed again, so an experiment that was stopped continues with the
same command, and one with more settings computes only those that are new. Settings, data or a
version of the package that differ give another digest, and so another file.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordrbm import __version__
from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import read_tensors, write_tensors
from wordrbm.storage import make_folder, remove_temporaries, write_text
from wordrbm.threads import SharedProgress, run_all

JSON, ARRAYS = ".json", ".safetensors"
MAX_NAME = 80  # characters of a name in a file name
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)

Record = dict[str, Any]  # what JSON can hold, and arrays
Job = Callable[[], Record]


class ResultKey(NamedTuple):
    """The name of a result, for people, and the SHA-256 of what it was computed from."""

    name: str
    digest: str

    @classmethod
    def of(cls, name: str, **inputs: Any) -> "ResultKey":
        """The key of a result that is determined by `inputs`, which JSON can hold."""
        text = json.dumps({"version": __version__, "name": name, **inputs}, sort_keys=True)
        return cls(name, hashlib.sha256(text.encode()).hexdigest())

    @property
    def stem(self) -> str:
        """The name of its file, without a suffix."""
        readable = "".join(x if x.isalnum() or x in ".+" else "-" for x in self.name)[:MAX_NAME]
        return f"{readable}-{self.digest[:12]}"


class ResultCache:
    """A folder of results; the caller holds the lock of the folder above it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_folder(folder)
        remove_temporaries(folder)

    def load(self, key: ResultKey) -> Record | None:
        """The result of a key, or None if it is not on disk."""
        path = self.path(key, JSON)
        if not path.exists():
            return None
        try:
            stored = json.loads(path.read_text("utf-8"))
            if stored["digest"] != key.digest:
                raise ValueError
            arrays = self._load_arrays(key, stored.get("arrays", {}))
            return {**stored["result"], **arrays}
        except (*UNREADABLE, WordRBMError):
            raise self.damaged(key) from None

    def require(self, key: ResultKey) -> Record:
        """The result of a key, which must be on disk."""
        result = self.load(key)
        assert result is not None, key.name
        return result

    def _load_arrays(self, key: ResultKey, shapes: Mapping[str, list[int]]) -> Record:
        if not shapes:
            return {}
        expected = {name: tuple(shape) for name, shape in shapes.items()}
        arrays = read_tensors(self.path(key, ARRAYS), expected)
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise ValueError
        return arrays

    def save(self, key: ResultKey, result: Record) -> None:
        """Write a result, whole or not at all: its arrays first."""
        arrays = {name: x for name, x in result.items() if isinstance(x, np.ndarray)}
        plain = {name: x for name, x in result.items() if name not in arrays}
        stored = {"name": key.name, "digest": key.digest, "result": plain}
        if arrays:
            write_tensors(self.path(key, ARRAYS), arrays, {"digest": key.digest})
            stored["arrays"] = {name: list(array.shape) for name, array in arrays.items()}
        write_text(self.path(key, JSON), json.dumps(stored, indent=1))

    def records(self) -> Iterator[Record]:
        """All results in the folder that can be read."""
        for path in sorted(self.folder.glob("*.json")):
            try:
                yield dict(json.loads(path.read_text("utf-8"))["result"])
            except UNREADABLE:
                continue  # one that is needed is refused by `load`

    def damaged(self, key: ResultKey) -> WordRBMError:
        """What to raise where a result cannot be interpreted."""
        path = self.path(key, JSON)
        return WordRBMError(f"{path} is damaged; remove it and run the same command.")

    def compute(
        self, jobs: Mapping[ResultKey, Job], workers: int, progress: SharedProgress
    ) -> None:
        """Run jobs, `workers` at a time, and save the result of each as soon as it is there."""

        def run_and_save(key: ResultKey, job: Job) -> Callable[[], None]:
            def run() -> None:
                progress.check_stop()
                self.save(key, job())

            return run

        run_all([run_and_save(key, job) for key, job in jobs.items()], workers, progress)
        progress.check_stop()

    def path(self, key: ResultKey, suffix: str = "") -> Path:
        """The file of a key with a suffix; without one, its folder of models."""
        return self.folder / f"{key.stem}{suffix}"
