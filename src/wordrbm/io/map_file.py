"""The words of a model in the plane, as a file of its folder: `map.safetensors`.

It is computed once (`analysis/embedding_map.py`) and names the model by the SHA-256 of its
parameters, so that a map left by another model is noticed and made again.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32, UInt8

from wordrbm.errors import WordRBMError
from wordrbm.io.model_file import parameter_digest
from wordrbm.io.model_folder import MAP
from wordrbm.io.tensors import Shape, read_metadata, read_tensors, write_tensors
from wordrbm.models import WordRepRBM

KIND = "map"


class WordMap(NamedTuple):
    """The P most frequent words in the plane, in the order of their ids.

    The first `embedded` of them were placed by the method, the others by their neighbours.
    """

    xy: Float32[np.ndarray, "P 2"]  # from -1 to 1
    cluster: UInt8[np.ndarray, " P"]
    neighbours: Int32[np.ndarray, "P k"]  # ids of the nearest among the embedded words
    labels: tuple[tuple[str, ...], ...]  # of each cluster, its most typical words
    embedded: int
    method: str  # "t-SNE" or "PCA"
    seed: int


def write_map(folder: Path, rbm: WordRepRBM, word_map: WordMap) -> None:
    """Write the map of a model into its folder, whole or not at all."""
    arrays = {name: getattr(word_map, name) for name in ("xy", "cluster", "neighbours")}
    metadata = {
        "kind": KIND,
        "model": parameter_digest(rbm),
        "labels": [list(words) for words in word_map.labels],
        "embedded": word_map.embedded,
        "method": word_map.method,
        "seed": word_map.seed,
    }
    write_tensors(folder / MAP, arrays, metadata)


def read_map(folder: Path, rbm: WordRepRBM) -> WordMap | None:
    """Read the map of a model; None if there is none, or one of another model."""
    path = folder / MAP
    if not path.is_file():
        return None
    try:
        metadata = read_metadata(path)
        if metadata.get("kind") != KIND or metadata.get("model") != parameter_digest(rbm):
            return None
        shapes: dict[str, Shape] = {x: tuple(shape) for x, shape in metadata["shapes"].items()}
        arrays = read_tensors(path, shapes)
        word_map = WordMap(
            arrays["xy"].astype(np.float32),
            arrays["cluster"].astype(np.uint8),
            arrays["neighbours"].astype(np.int32),
            tuple(tuple(map(str, words)) for words in metadata["labels"]),
            int(metadata["embedded"]),
            str(metadata["method"]),
            int(metadata["seed"]),
        )
        _check(word_map, len(rbm.b))
    except (KeyError, TypeError, ValueError, AttributeError, WordRBMError) as error:
        raise WordRBMError(
            f"{path} is damaged ({str(error)[:200]}); remove it, and the map is computed again."
        ) from None
    return word_map


def _check(word_map: WordMap, K: int) -> None:
    """Raise a ValueError unless the arrays fit each other and a vocabulary of K words."""
    P, embedded = len(word_map.xy), word_map.embedded
    if word_map.xy.shape != (P, 2) or word_map.cluster.shape != (P,) or not 0 < P <= K:
        raise ValueError("its arrays do not fit the vocabulary")
    if word_map.neighbours.ndim != 2 or len(word_map.neighbours) != P or not 0 < embedded <= P:
        raise ValueError("its neighbours do not fit its words")
    inside = (word_map.neighbours >= 0) & (word_map.neighbours < embedded)
    if not inside.all() or not (np.abs(word_map.xy) <= 1.0).all():
        raise ValueError("a place or a neighbour is out of range")
    if word_map.cluster.size and int(word_map.cluster.max()) >= len(word_map.labels):
        raise ValueError("a cluster has no label")
