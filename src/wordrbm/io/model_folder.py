"""The files of a model folder, and the checks they pass before anything is built from them.

model.safetensors   D (K, d), U (n, H, d), b (K,), c (H,), and metadata in JSON
vocabulary.tsv      the K words and their counts, named in the metadata by its SHA-256
metrics.jsonl       scores taken during training
times.jsonl         how long the training took
likelihood.json     log Z, once `wordrbm likelihood` has estimated it
"""

from collections.abc import Iterable
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import Shape, read_metadata
from wordrbm.shapes import Array
from wordrbm.text.vocabulary import Vocabulary

MODEL = "model.safetensors"
VOCABULARY = "vocabulary.tsv"
METRICS = "metrics.jsonl"
TIMES = "times.jsonl"
LIKELIHOOD = "likelihood.json"
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
