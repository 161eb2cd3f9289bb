"""The files of a model folder, and the checks they pass before anything is built from them.

model.safetensors   D (K, d), U (n, H, d), b (K,), c (H,), and metadata in JSON
vocabulary.tsv      the K words and their counts, named in the metadata by its SHA-256
metrics.jsonl       scores taken during training, a JSON line per evaluation
times.jsonl         how long the training took, likewise
likelihood.json     log Z, once `wordrbm likelihood` has estimated it
map.safetensors     its words in the plane, once `wordrbm map` or `explore` has computed them

Scores are a function of seed, settings and corpus: two runs write the same bytes, resumed or not.
Times are not, so they have a file of their own.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import Shape, read_metadata
from wordrbm.shapes import Array
from wordrbm.storage import write_errors, write_text
from wordrbm.text.vocabulary import Vocabulary

MODEL = "model.safetensors"
VOCABULARY = "vocabulary.tsv"
METRICS = "metrics.jsonl"
TIMES = "times.jsonl"
LIKELIHOOD = "likelihood.json"
MAP = "map.safetensors"
KIND = "wordrep"


def read_model_metadata(folder: Path) -> tuple[dict[str, Any], Vocabulary]:
    """Read the metadata and the vocabulary of a model, which must belong together."""
    metadata = read_metadata(folder / MODEL)
    kind = metadata.get("kind")
    if kind != KIND:
        raise WordRBMError(f"{folder / MODEL} is a {short_repr(kind)}, not a word model.")
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    if vocabulary.digest() != metadata.get("vocabulary"):
        raise WordRBMError(
            f"{folder / VOCABULARY} is not the vocabulary {MODEL} was trained with; "
            "put back the file that `wordrbm train` wrote."
        )
    return metadata, vocabulary


def parameter_shapes(K: int, n: int, H: int, d: int) -> dict[str, Shape]:
    """Return the shapes of the parameters of a model with these sizes."""
    return {"D": (K, d), "U": (n, H, d), "b": (K,), "c": (H,)}


def check_parameters(path: Path, arrays: Iterable[Array]) -> None:
    """Raise unless the arrays are finite and of one floating-point type."""
    arrays = list(arrays)
    dtypes = {str(array.dtype) for array in arrays}
    if len(dtypes) > 1 or not np.issubdtype(arrays[0].dtype, np.floating):
        raise WordRBMError(f"{path} holds arrays of {sorted(dtypes)}, not of one kind of float.")
    if not all(np.isfinite(array).all() for array in arrays):
        raise WordRBMError(f"{path} holds numbers that are not finite; train the model again.")


def append_metrics(path: Path, record: dict[str, Any]) -> None:
    """Append a JSON line and fsync."""
    with write_errors(path), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read the complete lines of a metrics file; a line cut short by a crash is skipped."""
    try:
        if not path.is_file() and path.exists():
            raise WordRBMError(f"{path} is no file; put back what the run wrote, or remove it.")
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise WordRBMError(
            f"{path} cannot be read: {error.strerror}; give the folder of a run."
        ) from error
    records = []
    for line in lines:
        with suppress(ValueError, RecursionError):  # no JSON, a number too long, nested too deep
            records.append(json.loads(line))
    return [record for record in records if isinstance(record, dict) and _step(record) >= 0]


def _step(record: dict[str, Any]) -> int:
    step = record.get("step")
    return step if isinstance(step, int) else -1


def truncate_metrics(path: Path, step: int) -> None:
    """Remove the lines after an update, so that a resumed run does not write them twice."""
    records = [record for record in read_metrics(path) if _step(record) <= step]
    write_text(path, "".join(json.dumps(record) + "\n" for record in records))
