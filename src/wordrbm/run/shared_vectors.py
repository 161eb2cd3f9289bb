"""Word vectors of a trained word model for the words of a topic model.

The topic model is ``W = U D``; D begins as the whitened vectors of the word model, scaled like the
random vectors of other topic models. A word that the word model does not have begins at random.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float32

from wordrbm.errors import WordRBMError
from wordrbm.io.vectors import load_vectors

SCALE = 0.02  # standard deviation of a number of a vector


def shared_vectors(
    folder: Path, words: Sequence[str], seed: int, dimension: int | None = None
) -> Float32[np.ndarray, "K d"]:
    """The first vectors of these words; a model of none of them, or another d, is refused."""
    vectors = load_vectors(folder)
    d = vectors.matrix.shape[1]
    if dimension not in (None, d):
        raise WordRBMError(
            f"A dimension of {dimension} was asked for and the vectors of {folder} have {d} "
            "numbers; leave the dimension out."
        )
    row = np.array([vectors.index.get(word, -1) for word in words])
    known = np.flatnonzero(row >= 0)
    if not known.size:
        raise WordRBMError(
            f"{folder} has a vector for none of the {len(words):,} words of the documents; give a "
            "model of text in the same language."
        )
    rng = np.random.default_rng((seed, len(words)))
    first = rng.normal(0.0, SCALE, (len(words), d))
    found = vectors.matrix[row[known]].astype(np.float64)
    first[known] = found * (SCALE / max(float(found.std()), 1e-12))
    return first.astype(np.float32)
