"""What a tagger knows of words beside themselves: vectors, hidden units, those of several models.

Of several, each is of a tagger of its own, whose scores are then averaged, see `together.py`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.tasks.tagging.dense import around, units
from wordrbm.tasks.tagging.tuned import Tuning


class Representation(NamedTuple):
    """Vectors, hidden units of a model, neither, or several representations."""

    vectors: Vectors | None = None
    model: TrainedModel | None = None
    scale: float = 0.1  # the standard deviation of a vector's numbers
    hidden_scale: float = 1.0  # what hidden means are multiplied with
    tuning: Tuning | None = None  # how the model's units learn with the tagger, if they do
    members: tuple["Representation", ...] = ()

    @property
    def parts(self) -> "tuple[Representation, ...]":
        """Its members, or itself where it has none."""
        return self.members or (self,)

    def scaled(self, scale: float, hidden_scale: float) -> "Representation":
        """The same with other scales, its members too."""
        members = tuple(one.scaled(scale, hidden_scale) for one in self.members)
        return self._replace(scale=scale, hidden_scale=hidden_scale, members=members)

    def dense(self, words: Sequence[Sequence[str]]) -> Float32[np.ndarray, "T F"]:
        """The features of every token, sentence after sentence."""
        found = [np.zeros((sum(map(len, words)), 0), np.float32)]
        for one in self.parts:
            if one.vectors is not None:
                found.append(around(words, one.vectors, one.scale))
            if one.model is not None:
                found.append(np.float32(one.hidden_scale) * units(words, one.model))
        return np.concatenate(found, axis=1)
