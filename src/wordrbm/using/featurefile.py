"""Hidden means on disk: an `.npz` of `hidden` (N, H) float32, `line` (N,) and `start` (N,) int64.

How many windows there are is known only at the end, so rows go to files without a name first,
which vanish with the process; then the archive is put together and takes its place in one step.
Memory does not grow with N. The same rows give the same bytes: members are stored, not
compressed, and dated 1980.
"""

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

import numpy as np
from jaxtyping import Float32, Int64
from numpy.lib import format as npy

from wordrbm.shapes import Array
from wordrbm.storage import atomic_write, refuse_folder, write_errors

LONG_AGO = (1980, 1, 1, 0, 0, 0)
UNIX = 3  # which system made the archive: said the same on all


class FeatureFile:
    """Rows on their way to an archive."""

    def __init__(self, path: Path, H: int, files: Mapping[str, BinaryIO]) -> None:
        self.path, self.files, self.windows = path, files, 0
        self.kinds: dict[str, tuple[str, tuple[int, ...]]] = {
            "hidden": ("<f4", (H,)), "line": ("<i8", ()), "start": ("<i8", ())
        }  # fmt: skip

    def add(
        self,
        hidden: Float32[np.ndarray, "N H"],
        line: Int64[np.ndarray, " N"],
        start: Int64[np.ndarray, " N"],
    ) -> None:
        """Append the rows of some windows."""
        self.windows += len(hidden)
        columns: dict[str, Array] = {"hidden": hidden, "line": line, "start": start}
        with write_errors(self.path):
            for name, values in columns.items():
                self.files[name].write(values.astype(self.kinds[name][0]).tobytes())

    def finish(self) -> None:
        """Put the archive together, whole or not at all."""
        with atomic_write(self.path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            for name, file in self.files.items():
                self._store(archive, name, file)

    def _store(self, archive: zipfile.ZipFile, name: str, file: BinaryIO) -> None:
        kind, row = self.kinds[name]
        head = {"descr": kind, "fortran_order": False, "shape": (self.windows, *row)}
        entry = zipfile.ZipInfo(f"{name}.npy", LONG_AGO)
        entry.create_system, entry.external_attr = UNIX, 0o644 << 16
        file.seek(0)
        with archive.open(entry, "w", force_zip64=True) as member:
            npy.write_array_header_1_0(member, head)
            shutil.copyfileobj(file, member, 1 << 20)


@contextmanager
def writing(path: Path, H: int) -> Iterator[FeatureFile]:
    """A file to add rows to; if all goes well it is finished on leaving."""
    refuse_folder(path)  # before the work and not after it
    with ExitStack() as stack:
        with write_errors(path):
            files = {
                name: stack.enter_context(TemporaryFile(dir=path.parent))
                for name in ("hidden", "line", "start")
            }
        feature_file = FeatureFile(path, H, files)
        yield feature_file
        feature_file.finish()
