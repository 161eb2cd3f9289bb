"""Named arrays on disk: a safetensors file with metadata in JSON, checked before it is loaded.

The metadata is the single entry ``wordrbm``: format, version, kind, sizes and settings. Names,
types and shapes are compared with what the reader expects before any array is loaded. A file may
come from anywhere, so whatever a message quotes of it is cut short.
"""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NoReturn

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from wordrbm.errors import WordRBMError
from wordrbm.shapes import Array
from wordrbm.storage import atomic_write

Shape = tuple[int, ...]
FORMAT = "wordrbm"
VERSION = 1
MAX_HEADER_BYTES = 2**20  # ours take about two thousand, and JSON costs many times its length
DTYPES = {
    "F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8,
}  # fmt: skip
# A number too long, a text nested too deep and a shape of too many axes are errors of three kinds.
UNREADABLE = (SafetensorError, OSError, ValueError, RecursionError)


def write_tensors(path: Path, tensors: Mapping[str, Array], metadata: Mapping[str, Any]) -> None:
    """Write the arrays and their metadata, whole or not at all."""
    contiguous = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    shapes = {name: list(array.shape) for name, array in contiguous.items()}
    full = {"format": FORMAT, "version": VERSION, **metadata, "shapes": shapes}
    with atomic_write(path) as temporary:
        try:
            save_file(contiguous, temporary, metadata={"wordrbm": json.dumps(full, sort_keys=True)})
        except SafetensorError as error:  # raised there for a full disk
            raise OSError(str(error)) from error


def read_metadata(path: Path) -> dict[str, Any]:
    """Read the metadata of a file, which must be of a format and version this program knows."""
    try:
        if not path.is_file():
            raise WordRBMError(
                f"{path} was not found; give the folder that a finished training wrote."
            )
        with path.open("rb") as header:
            length = int.from_bytes(header.read(8), "little")  # of the header, in bytes
        if length > MAX_HEADER_BYTES:
            _refuse(path, f"cannot be read (a header of {length} bytes is promised)")
        with safe_open(path, framework="numpy") as file:
            metadata = json.loads((file.metadata() or {}).get("wordrbm", "null"))
    except UNREADABLE as error:
        _refuse(path, f"cannot be read ({str(error)[:100]!r})")
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        _refuse(path, "was not written by wordrbm")
    if (version := metadata.get("version")) != VERSION:
        _refuse(path, f"has version {short_repr(version)}, this program reads {VERSION}")
    return metadata


def read_tensors(
    path: Path, shapes: Mapping[str, Shape], only: Collection[str] | None = None
) -> dict[str, Array]:
    """Read the arrays of a file, whose names and shapes must be exactly those of `shapes`.

    `only` names the arrays to load, all if None; every shape is checked before one is loaded.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            stored, names = set(file.keys()), sorted(shapes)
            if stored != set(names):
                _refuse(path, f"holds {short_repr(sorted(stored))} where {names} were expected")
            for name in names:
                header = file.get_slice(name)
                shape, dtype = tuple(header.get_shape()), header.get_dtype()
                if shape != shapes[name] or dtype not in DTYPES:
                    fault = f"{name} as {dtype} {short_repr(shape)}"
                    _refuse(path, f"holds {fault} where {shapes[name]} was expected")
            return {name: file.get_tensor(name) for name in (names if only is None else only)}
    except UNREADABLE as error:
        _refuse(path, f"cannot be read ({str(error)[:100]!r})")


def _refuse(path: Path, fault: str) -> NoReturn:
    raise WordRBMError(f"{path} {fault}; a whole file of a wordrbm run was expected.")
