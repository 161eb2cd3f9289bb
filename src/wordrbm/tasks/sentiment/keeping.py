"""Files of numbers that an experiment keeps: of which documents they are, and whether whole.

A file says in its head which documents it is of and how it was made; one of others is refused.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import MODEL
from wordrbm.io.tensors import read_metadata, read_tensors
from wordrbm.shapes import Array


def is_of(path: Path, expected: Mapping[str, Any]) -> bool:
    """Whether a file is there; its head must then say what is expected."""
    if not path.exists():
        return False
    found = read_metadata(path)
    if {name: found.get(name) for name in expected} != expected:
        raise WordRBMError(
            f"{path} is of other documents, or was made in another way; use another --out, or "
            "remove it."
        )
    return True


def models_are_in(folder: Path, classes: int) -> bool:
    """Whether a folder has a model for each class."""
    return all((folder / f"class-{c}" / MODEL).exists() for c in range(classes))


def read_finite(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """The arrays of a file, all of whose numbers must be finite."""
    found = read_tensors(path, shapes)
    if not all(np.isfinite(x).all() for x in found.values()):
        raise WordRBMError(f"{path} is damaged; remove it, and run the same command.")
    return found
