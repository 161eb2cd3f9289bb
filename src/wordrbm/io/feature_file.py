"""Hidden means on disk: an `.npz` of `hidden` (N, H) float32, `line` (N,) and `start` (N,) int64.

How many windows there are is known only at the end, so rows go to files without a name first,
which vanish with the process; then the archive is assembled and renamed into place.
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

ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX = 3  # the system named in the archive, the same on all
COLUMNS = {"hidden": "<f4", "line": "<i8", "start": "<i8"}


class FeatureWriter:
    """Appends rows to unnamed files, then assembles the archive."""

    def __init__(self, path: Path, H: int, files: Mapping[str, BinaryIO]) -> None:
        self.path, self.H, self.files, self.windows = path, H, files, 0

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
                self.files[name].write(values.astype(COLUMNS[name]).tobytes())

    def finish(self) -> None:
        """Assemble the archive, whole or not at all."""
        with atomic_write(self.path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            for name, file in self.files.items():
                shape = (self.windows, self.H) if name == "hidden" else (self.windows,)
                header = {"descr": COLUMNS[name], "fortran_order": False, "shape": shape}
                entry = zipfile.ZipInfo(f"{name}.npy", ZIP_EPOCH)
                entry.create_system, entry.external_attr = UNIX, 0o644 << 16
                file.seek(0)
                with archive.open(entry, "w", force_zip64=True) as member:
                    npy.write_array_header_1_0(member, header)
                    shutil.copyfileobj(file, member, 1 << 20)


@contextmanager
def open_feature_file(path: Path, H: int) -> Iterator[FeatureWriter]:
    """Open a feature file to add rows to; it is assembled on leaving, unless an error is raised."""
    refuse_folder(path)  # before the work and not after it
    with ExitStack() as stack:
        with write_errors(path):
            folder = path.parent
            files = {name: stack.enter_context(TemporaryFile(dir=folder)) for name in COLUMNS}
        writer = FeatureWriter(path, H, files)
        yield writer
        writer.finish()
