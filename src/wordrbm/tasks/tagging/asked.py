"""What a grid is asked for: representations by row, their scales and penalties, and their mark."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.tasks.tagging.cells import Cell
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.task import Task

Kinds = Mapping[str, Representation]  # by the names of rows; scales are those of the grid


class Asked(NamedTuple):
    """What is tried: rows, and the scales and penalties of each."""

    kinds: Kinds
    scales: Sequence[float]
    hidden_scales: Sequence[float]
    penalties: Sequence[float]
    jobs: int

    def cells(self, row: str) -> list[Cell]:
        """The cells of a row; a scale that it does not use is not varied."""
        kind = self.kinds[row]
        vectors = any(one.vectors is not None for one in kind.parts)
        units = any(one.model is not None for one in kind.parts)
        scales = self.scales if vectors else (0.0,)
        hidden = self.hidden_scales if units else (0.0,)
        return [Cell(row, s, h, c2) for s in scales for h in hidden for c2 in self.penalties]


def digest(task: Task, kind: Representation) -> str:
    """A SHA-256 of the sentences, the vectors, the model and how its units learn."""
    found = hashlib.sha256(task.digest().encode())
    found.update(b"together" * len(kind.members))
    for one in kind.parts:
        tuning = repr(one.tuning).encode() if one.tuning else b""
        for part in (_of_vectors(one.vectors), _of_model(one.model), tuning):
            found.update(part)
    return found.hexdigest()


def _of_vectors(vectors: Vectors | None) -> bytes:
    if vectors is None:
        return b""
    words = "\n".join(vectors.words).encode()
    return hashlib.sha256(words + vectors.matrix.tobytes()).digest()


def _of_model(model: TrainedModel | None) -> bytes:
    if model is None:
        return b""
    found = hashlib.sha256(model.vocabulary.digest().encode())
    for name, x in model.rbm.parameters().items():
        found.update(name.encode() + x.tobytes())
    return found.digest()
