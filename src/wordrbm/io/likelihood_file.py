"""`likelihood.json` in a model folder: log Z as `wordrbm likelihood` estimated it.

It names the model by the SHA-256 of its parameters, so a file left by another model is noticed.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import LIKELIHOOD
from wordrbm.models import WordRepRBM
from wordrbm.storage import write_text

FORMAT = "wordrbm likelihood"
VERSION = 1


def parameter_digest(rbm: WordRepRBM) -> str:
    """The SHA-256 of the names, types, shapes and numbers of the parameters."""
    digest = hashlib.sha256()
    for name, array in sorted(rbm.parameters().items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def write_likelihood(folder: Path, rbm: WordRepRBM, result: Mapping[str, Any]) -> None:
    """Write an estimate of log Z; `result` has at least the number `log_Z`."""
    metadata = {"format": FORMAT, "version": VERSION, "model": parameter_digest(rbm)}
    write_text(
        folder / LIKELIHOOD, json.dumps(metadata | dict(result), indent=1, allow_nan=False) + "\n"
    )


def read_log_Z(folder: Path | None, rbm: WordRepRBM) -> float:
    """Read the log Z of this model; if it is not stored, the error says how to estimate it."""
    argument = folder or "MODEL"
    advice = f"run `wordrbm likelihood {argument} CORPUS` with the corpus it was trained on"
    if folder is None or not (folder / LIKELIHOOD).is_file():
        raise WordRBMError(f"The log Z of this model is not known; {advice}, then load it again.")
    path = folder / LIKELIHOOD
    stored = _read(path)
    log_Z = stored.get("log_Z")
    is_ours = stored.get("format") == FORMAT and stored.get("version") == VERSION
    if not is_ours or not isinstance(log_Z, float) or not math.isfinite(log_Z):
        raise WordRBMError(f"{path} does not hold a log Z that this program can read; {advice}.")
    if stored.get("model") != parameter_digest(rbm):
        raise WordRBMError(f"{path} is of another model than the one beside it; {advice}.")
    return log_Z


def _read(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WordRBMError(
            f"{path} cannot be read: {error.strerror or error}; check who may read it."
        ) from error
    except (ValueError, RecursionError):  # no UTF-8, no JSON, a number too long, nested too deep
        stored = None
    return stored if isinstance(stored, dict) else {}
