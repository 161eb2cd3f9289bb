"""Word vectors by themselves: load them, look them up, compare them, find neighbours.

Similarity is the cosine, ``x[w] . x[u] / (|x[w]| |x[u]|)``.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, final

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from wordrbm.errors import WordRBMError
from wordrbm.inference.whitening import fit_whitening
from wordrbm.io.model_folder import (
    MODEL,
    check_parameters,
    parameter_shapes,
    read_model_metadata,
)
from wordrbm.io.tensors import read_tensors

Neighbours = list[tuple[str, float]]


@final
@dataclass(frozen=True, eq=False)
class Vectors:
    """One vector per word, by word."""

    words: tuple[str, ...]
    matrix: Float[np.ndarray, "K d"]

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of every word."""
        return {word: k for k, word in enumerate(self.words)}

    @cached_property
    def _directions(self) -> Float[np.ndarray, "K d"]:
        """The vectors scaled to length one; a zero vector stays zero."""
        length = np.linalg.norm(self.matrix, axis=1, keepdims=True)
        return self.matrix / np.maximum(length, np.finfo(self.matrix.dtype).tiny)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> Float[np.ndarray, " d"]:
        return self.matrix[self._row(word)]

    def similarity(self, word: str, other: str) -> float:
        """The cosine of the vectors of two words."""
        return float(self._directions[self._row(word)] @ self._directions[self._row(other)])

    def most_similar(self, word: str, count: int = 10, *, among: int | None = None) -> Neighbours:
        """The nearest words, the word itself and the unknown word left out.

        `among` looks only at that many of the most frequent words: rare ones are noisier.
        """
        row = self._row(word)
        return self._ranked(self._directions[row], {0, row}, count, among)

    def nearest(
        self, vector: ArrayLike, count: int = 10, *, among: int | None = None
    ) -> Neighbours:
        """The words nearest to a vector that need not be a word's; the unknown word is left out."""
        try:
            direction = np.asarray(vector, self.matrix.dtype)
        except (TypeError, ValueError):
            raise WordRBMError(
                f"{short_repr(vector)} was found where a vector was expected; give "
                f"{self.matrix.shape[1]} numbers, or use most_similar for a word."
            ) from None
        length = np.linalg.norm(direction)
        if direction.shape != self.matrix.shape[1:] or not 0 < length < np.inf:
            raise WordRBMError(
                f"A vector of shape {direction.shape} and length {length:g} was found; neighbours "
                f"need {self.matrix.shape[1]} finite numbers that are not all zero."
            )
        return self._ranked(direction / length, {0}, count, among)

    def _ranked(
        self, direction: Float[np.ndarray, " d"], excluded: set[int], count: int, among: int | None
    ) -> Neighbours:
        """Rank the rows by their cosine with a direction; row 0 is the unknown word."""
        for name, number in (("count", count), ("among", 1 if among is None else among)):
            if not isinstance(number, int | np.integer) or number < 1:
                raise WordRBMError(
                    f"{name} is {short_repr(number)}, below 1 or no whole number; use 1 or more."
                )
        cosine = self._directions[:among] @ direction
        cosine[[k for k in excluded if k < cosine.size]] = -np.inf
        count = min(count, int(np.isfinite(cosine).sum()))
        best = np.argpartition(-cosine, max(count - 1, 0))[:count]
        best = best[np.lexsort((best, -cosine[best]))]
        return [(self.words[k], float(cosine[k])) for k in best]

    def _row(self, word: str) -> int:
        try:
            return self.index[word]
        except (KeyError, TypeError):  # a list is no word either
            raise WordRBMError(
                f"The word {short_repr(word)} is not in the vocabulary of {len(self)} words; words "
                "are in lower case with digits as #."
            ) from None


def load_vectors(path: str | Path, *, raw: bool = False) -> Vectors:
    """Load the word vectors of a model folder, without samplers, trainer or compiled code.

    Equal to `load(path).vectors`: rows of D, centred and whitened by word frequency; or to
    `load(path).raw_vectors`, the rows of D as trained, if `raw`.
    """
    file = Path(path) / MODEL
    metadata, vocabulary = read_model_metadata(Path(path))
    n, H, d = _sizes(file, metadata)
    D = read_tensors(file, parameter_shapes(len(vocabulary), n, H, d), only=["D"])["D"]
    check_parameters(file, [D])
    matrix = D if raw else fit_whitening(D, vocabulary.probability())(D)
    return Vectors(vocabulary.words, matrix)


def _sizes(path: Path, metadata: dict[str, Any]) -> tuple[int, int, int]:
    """Return n, H and d of the model that the metadata describes."""
    sizes = metadata.get("sizes")
    n, H, d = (sizes.get(name) if isinstance(sizes, dict) else None for name in "nHd")
    if not (isinstance(n, int) and isinstance(H, int) and isinstance(d, int)):
        raise WordRBMError(f"{path} has no sizes in its metadata; train the model again.")
    return n, H, d
