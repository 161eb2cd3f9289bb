"""The binary RBM, where the paper begins.

    E(v, h) = - b . v - c . h - h . W v                                  [Dahl 2012, eq. 1]

A binary unit is a K-ary unit with K = 2 whose state 0 has bias 0 and row 0, so the binary RBM
keeps the same contract: a window is the vector v of zeros and ones, n is V.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from wordrbm.models.base import AbstractRBM, Gradient
from wordrbm.shapes import Array, Hidden, PerWindow, Words


@final
@dataclass(frozen=True, eq=False)
class BinaryRBM(AbstractRBM):
    """Parameters of the RBM with V binary visible units."""

    W: Float[np.ndarray, "H V"]
    b: Float[np.ndarray, " V"]  # visible biases
    c: Float[np.ndarray, " H"]  # hidden biases

    @property
    def positions(self) -> int:
        return self.b.size

    @property
    def word_table(self) -> Float[np.ndarray, "V 2 H"]:
        return np.stack([np.zeros_like(self.W.T), self.W.T], axis=1)

    @property
    def word_bias(self) -> Float[np.ndarray, "V 2"]:
        return np.stack([np.zeros_like(self.b), self.b], axis=1)

    def word_input(self, v: Words) -> Hidden:
        return v.astype(self.W.dtype) @ self.W.T

    def word_context(self, h: Hidden) -> Float[np.ndarray, "B V H"]:
        return np.repeat(h[:, None, :], self.positions, axis=1)

    def word_weights(self, i: int, words: slice) -> Float[np.ndarray, "k H"]:
        return self.word_table[i, words]

    def gradient(self, v: Words, h: Hidden, weight: PerWindow) -> Gradient:
        visible = v.astype(self.W.dtype)
        W = (weight[:, None] * h).T @ visible
        return Gradient(dense={"W": W, "b": weight @ visible, "c": weight @ h}, rows={})

    def table(self, name: str) -> Array:
        return self.parameters()[name]

    def shaped(self, name: str, table: Array) -> Array:
        return table
