"""The interface of all models, for samplers and trainers.

Every model here scores a word at a position by one row of a table,

    log P*(v_i = w | h) = bias[i, w] + context_i(h) . table[i, w]

so a model is known by its table, its biases, its hidden biases ``c`` and two linear maps:
``word_input`` from words to hidden units and ``word_context`` back.

A window has n words, so the gradient of a table with one row per word is a list of row numbers and
values, with repeats. Its size does not depend on K.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.fastmath import sigmoid_inplace, softplus_row_sums
from wordrbm.shapes import Array, Hidden, PerWindow, Scores, Words


class Rows(NamedTuple):
    """Values to add to rows of a table; a row may occur many times."""

    number: Int[np.ndarray, " R"]
    values: Float[np.ndarray, "R r"]


class Gradient(NamedTuple):
    """``sum_b weight_b * -dE(v_b, h_b)/dtheta``, by parameter name."""

    dense: Mapping[str, Array]  # of the shape of `AbstractRBM.table`
    rows: Mapping[str, Rows]  # rows of `AbstractRBM.table`


class AbstractRBM(ABC):
    """An RBM over windows of n K-ary units with H binary hidden units.

    Subclasses are final: they hold the parameters and supply the abstract methods. Everything
    below those is derived once, here, and never overridden.
    """

    c: Float[np.ndarray, " H"]  # hidden biases; every model has them

    @property
    @abstractmethod
    def positions(self) -> int:
        """How many words a window has: n."""

    @property
    @abstractmethod
    def word_table(self) -> Float[np.ndarray, "P K r"]:
        """The rows that score words; P is 1 when all positions share them, else n."""

    @property
    @abstractmethod
    def word_bias(self) -> Float[np.ndarray, "P K"]:
        """The bias of every word; P is 1 when all positions share it, else n."""

    @abstractmethod
    def word_input(self, v: Words) -> Hidden:
        """The input of each hidden unit from the words: ``sum_i W(i)[:, v_i]``, a new array."""

    @abstractmethod
    def word_context(self, h: Hidden) -> Float[np.ndarray, "B n r"]:
        """The context vector of each position: ``s_i(w) = bias + context_i . row(w)``."""

    @abstractmethod
    def word_weights(self, i: int, words: slice) -> Float[np.ndarray, "k H"]:
        """``W(i)`` for a block of the vocabulary, one row a word. For exact work."""

    @abstractmethod
    def gradient(self, v: Words, h: Hidden, weight: PerWindow) -> Gradient:
        """``sum_b weight_b * -dE(v_b, h_b)/dtheta``; its cost has no K."""

    @abstractmethod
    def table(self, name: str) -> Array:
        """A parameter as it is stored, a contiguous array: what its gradient is added to.

        Where the gradient is sparse, its rows are rows of this table.
        """

    @abstractmethod
    def shaped(self, name: str, table: Array) -> Array:
        """An array of the shape of `table(name)`, as a view of the parameter's own shape."""

    def parameters(self) -> dict[str, Array]:
        """The parameters by name; the arrays themselves, not copies."""
        return dict(vars(self))

    def word_score(self, v: Words, h: Hidden) -> Scores:
        """``log P*(v_i | h)``, unnormalised, of the words in place. Its cost has no K."""
        p = self.table_index
        rows = self.word_table[p, v]
        return self.word_bias[p, v] + np.einsum("bir,bir->bi", self.word_context(h), rows)

    def all_word_scores(self, h: Hidden) -> Float[np.ndarray, "B n K"]:
        """``log P*(v_i = w | h)`` of every word. Costs O(K): for exact work only."""
        context = self.word_context(h).transpose(1, 0, 2)
        scores = context @ self.word_table.transpose(0, 2, 1) + self.word_bias[:, None, :]
        return scores.transpose(1, 0, 2)

    def energy(self, v: Words, h: Hidden) -> PerWindow:
        """``E(v, h) = -c . h - sum_i s_i(v_i)`` [Dahl 2012, eq. 1 and section 6.1]."""
        return -h @ self.c - self.word_score(v, h).sum(axis=1)

    def hidden_input(self, v: Words) -> Hidden:
        """Total input to each hidden unit: ``c + sum_i W(i)[:, v_i]``."""
        return self.word_input(v) + self.c

    def hidden_mean(self, v: Words) -> Hidden:
        """``P(h_j = 1 | v)``, the logistic of the hidden input [Dahl 2012, eq. 5]."""
        mean = self.word_input(v)
        sigmoid_inplace(mean, self.c)
        return mean

    def free_energy(self, v: Words) -> PerWindow:
        """``F(v) = -log sum_h exp(-E(v, h)) = -sum_i b[v_i] - sum_j softplus(input_j)``."""
        bias = self.word_bias[self.table_index, v].sum(axis=1)
        softplus = np.zeros(len(v))
        softplus_row_sums(self.hidden_input(v), softplus)
        return -bias - softplus

    @property
    def table_index(self) -> Int[np.ndarray, " n"]:
        """Which of the P word tables each position uses."""
        shared = self.word_table.shape[0] == 1
        return np.zeros(self.positions, int) if shared else np.arange(self.positions)
