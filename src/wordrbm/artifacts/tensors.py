"""Named arrays on disk: one safetensors file with one JSON head, checked before it is believed.

The head is the single metadata entry ``wordrbm``: format, version, kind, sizes and settings.
Names, types and shapes are compared with what the reader expects before any array is loaded. A file
may come from anywhere, so whatever a sentence quotes of it is cut short.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as brief
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
LONGEST_HEADER = 2**20  # bytes; ours take about two thousand, and JSON costs many times its length
DTYPES = {
    "F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8,
}  # fmt: skip
# A number too long, a text nested too deep and a shape of too many axes are errors of three kinds.
UNREADABLE = (SafetensorError, OSError, ValueError, RecursionError)


def write_tensors(path: Path, tensors: Mapping[str, Array], head: Mapping[str, Any]) -> None:
    """Write the arrays and the head, whole or not at all."""
    contiguous = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    shapes = {name: list(array.shape) for name, array in contiguous.items()}
    full = {"format": FORMAT, "version": VERSION, **head, "shapes": shapes}
    with atomic_write(path) as temporary:
        try:
            save_file(contiguous, temporary, metadata={"wordrbm": json.dumps(full, sort_keys=True)})
        except SafetensorError as error:  # how a full disk is told there
            raise OSError(str(error)) from error


def read_head(path: Path) -> dict[str, Any]:
    """The head of a file, after checking that it is one of ours and not from the future."""
    try:
        if not path.is_file():
            raise WordRBMError(f"{path} was not found; give the folder that `wordrbm train` wrote.")
        _refuse_long_header(path)
        with safe_open(path, framework="numpy") as file:
            head = json.loads((file.metadata() or {}).get("wordrbm", "null"))
    except UNREADABLE as error:
        _refuse(path, f"cannot be read ({str(error)[:100]!r})")
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        _refuse(path, "was not written by wordrbm")
    if head.get("version") != VERSION:
        _refuse(path, f"has version {brief(head.get('version'))}, this program reads {VERSION}")
    return head


def read_tensors(path: Path, shapes: Mapping[str, Shape]) -> dict[str, Array]:
    """The arrays, which must be exactly those named; a shape is checked before it is loaded."""
    try:
        with safe_open(path, framework="numpy") as file:
            found, names = set(file.keys()), sorted(shapes)
            if found != set(names):
                _refuse(path, f"holds {brief(sorted(found))} where {names} were expected")
            for name in names:
                part = file.get_slice(name)
                shape, kind = tuple(part.get_shape()), part.get_dtype()
                if shape != shapes[name] or kind not in DTYPES:
                    fault = f"{name} as {kind} {brief(shape)} where {shapes[name]} was expected"
                    _refuse(path, f"holds {fault}")
            return {name: file.get_tensor(name) for name in names}
    except UNREADABLE as error:
        _refuse(path, f"cannot be read ({str(error)[:100]!r})")


def _refuse_long_header(path: Path) -> None:
    """The length of the header is the file's first eight bytes; nothing else is read for it."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if length > LONGEST_HEADER:
        _refuse(path, f"cannot be read (a header of {length} bytes is promised)")


def _refuse(path: Path, found: str) -> NoReturn:
    raise WordRBMError(f"{path} {found}; a whole file of a wordrbm run was expected.")
