"""The K-ary RBM with separate weights per position.

    E(v, h) = - c . h - sum_i ( b[i, v_i] + h . W[i, v_i] )

``v_i`` is the number of a word rather than its one-hot code, so ``W(i) e_k`` is the row
``W[i, k]`` and p(v_i = k | h) is a softmax over the K words [Dahl 2012, eq. 10].
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from wordrbm.models.base import AbstractRBM, Gradient, Rows
from wordrbm.shapes import Array, Hidden, PerWindow, Probability, Words


@final
@dataclass(frozen=True, eq=False)
class SoftmaxRBM(AbstractRBM):
    """Parameters of the K-ary RBM."""

    W: Float[np.ndarray, "n K H"]  # one row per position and word
    b: Float[np.ndarray, "n K"]  # word biases, one per position
    c: Float[np.ndarray, " H"]  # hidden biases

    @property
    def positions(self) -> int:
        return self.W.shape[0]

    @property
    def word_table(self) -> Float[np.ndarray, "n K H"]:
        return self.W

    @property
    def word_bias(self) -> Float[np.ndarray, "n K"]:
        return self.b

    def word_input(self, v: Words) -> Hidden:
        return self.W[np.arange(self.positions), v].sum(axis=1)

    def word_context(self, h: Hidden) -> Float[np.ndarray, "B n H"]:
        return np.repeat(h[:, None, :], self.positions, axis=1)

    def word_weights(self, i: int, words: slice) -> Float[np.ndarray, "k H"]:
        return self.W[i, words]

    def gradient(self, v: Words, h: Hidden, weight: PerWindow) -> Gradient:
        n, K = self.b.shape
        index = (v + K * np.arange(n)).ravel()
        return Gradient(
            dense={"c": weight @ h},
            rows={
                "W": Rows(index, np.repeat(weight[:, None] * h, n, axis=0)),
                "b": Rows(index, np.repeat(weight, n)[:, None]),
            },
        )

    def table(self, name: str) -> Array:
        W, b = self.W.reshape(-1, self.c.size), self.b.reshape(-1, 1)
        return {"W": W, "b": b, "c": self.c}[name]

    def shaped(self, name: str, table: Array) -> Array:
        return table.reshape(self.parameters()[name].shape)


def init_softmax(
    rng: np.random.Generator, *, n: int, H: int, word_probability: Probability
) -> SoftmaxRBM:
    """A fresh model whose word biases already match the given word frequencies."""
    K = word_probability.size
    return SoftmaxRBM(
        W=rng.normal(0.0, 0.1, (n, K, H)).astype(np.float32),
        b=np.tile(np.log(word_probability), (n, 1)).astype(np.float32),
        c=np.zeros(H, np.float32),
    )
