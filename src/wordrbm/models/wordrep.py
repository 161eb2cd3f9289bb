"""Word-representation RBM: one word vector per word, shared by all positions.

The energy of a window ``v`` of n words and a hidden vector ``h`` is

    E(v, h) = - c . h - sum_i ( b[v_i] + h . U[i] D[v_i] )           [Dahl 2012, section 6.1]

It is the K-ary RBM with tied weights ``W(i) = U[i] D^T``: ``D`` holds one vector per word,
``U[i]`` says what position i does with it.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from wordrbm.models.base import AbstractRBM, Gradient, Rows
from wordrbm.shapes import Array, Hidden, PerWindow, Probability, Words


@final
@dataclass(frozen=True, eq=False)
class WordRepRBM(AbstractRBM):
    """Parameters of the word-representation RBM.

    `U` is stored with its positions side by side, as one H x nd matrix (`stacked`), so that the
    products of all positions are one: a U in another memory layout is copied.
    """

    D: Float[np.ndarray, "K d"]  # word vectors
    U: Float[np.ndarray, "n H d"]  # what each position does with a word vector
    b: Float[np.ndarray, " K"]  # word biases, shared by all positions
    c: Float[np.ndarray, " H"]  # hidden biases

    def __post_init__(self) -> None:
        stored = np.ascontiguousarray(self.U.transpose(1, 0, 2))
        object.__setattr__(self, "U", stored.transpose(1, 0, 2))

    def __setstate__(self, state: dict[str, Array]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickling has changed the memory layout of U

    @property
    def positions(self) -> int:
        return self.U.shape[0]

    @property
    def word_table(self) -> Float[np.ndarray, "1 K d"]:
        return self.D[None]

    @property
    def word_bias(self) -> Float[np.ndarray, "1 K"]:
        return self.b[None]

    @property
    def stacked(self) -> Float[np.ndarray, "H nd"]:
        """``U[1] U[2] .. U[n]`` side by side: the positions as one matrix, a view of `U`."""
        n, H, d = self.U.shape
        return self.U.transpose(1, 0, 2).reshape(H, n * d)

    def word_input(self, v: Words) -> Hidden:
        return self._vectors(v) @ self.stacked.T

    def word_context(self, h: Hidden) -> Float[np.ndarray, "B n d"]:
        """``g_i = U[i]^T h``: a word then scores ``b[w] + g_i . D[w]``, d products and not d H."""
        n, _, d = self.U.shape
        return (h @ self.stacked).reshape(-1, n, d)

    def word_weights(self, i: int, words: slice) -> Float[np.ndarray, "k H"]:
        return self.D[words] @ self.U[i].T

    def gradient(self, v: Words, h: Hidden, weight: PerWindow) -> Gradient:
        n, _, d = self.U.shape
        weighted = weight[:, None] * h
        index = v.ravel()
        return Gradient(
            dense={"U": weighted.T @ self._vectors(v), "c": weight @ h},
            rows={
                "D": Rows(index, (weighted @ self.stacked).reshape(-1, d)),
                "b": Rows(index, np.repeat(weight, n)[:, None]),
            },
        )

    def table(self, name: str) -> Array:
        return {"D": self.D, "U": self.stacked, "b": self.b[:, None], "c": self.c}[name]

    def shaped(self, name: str, table: Array) -> Array:
        n, H, d = self.U.shape
        if name == "U":
            return table.reshape(H, n, d).transpose(1, 0, 2)
        return table.reshape(self.parameters()[name].shape)

    def _vectors(self, v: Words) -> Float[np.ndarray, "B nd"]:
        return self.D.take(v, axis=0).reshape(len(v), v.shape[1] * self.D.shape[1])


def init_wordrep(
    rng: np.random.Generator,
    *,
    n: int,
    H: int,
    d: int,
    word_probability: Probability,
    hidden_bias: float = 0.0,
) -> WordRepRBM:
    """A fresh model whose word biases already match the given word frequencies.

    A negative hidden bias starts it sparse: few units are on, so that steps may be larger.
    """
    K = word_probability.size
    return WordRepRBM(
        D=rng.normal(0.0, 0.1, (K, d)).astype(np.float32),
        U=rng.normal(0.0, 0.1, (n, H, d)).astype(np.float32),
        b=np.log(word_probability).astype(np.float32),
        c=np.full(H, hidden_bias, np.float32),
    )
