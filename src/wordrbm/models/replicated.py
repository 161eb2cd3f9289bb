"""The replicated softmax: an RBM of whole documents, as a topic model.

    E(v, h) = -sum_k n_k b_k - N c . h - h . W n,   W = U D^T              [Salakhutdinov 2009]

``n_k`` is the count of word k in the document and N its number of words. Given h, all N words are
independent draws from one softmax, so with the words summed out

    Z_N = sum_h exp(N A(h)),   A(h) = c . h + log sum_k exp(b_k + h . W_k)

Every hidden unit is a topic. A document of N words is a window of the word-representation RBM
whose positions share U and whose hidden biases are ``N c`` (`at_length`). With U the identity,
W is full: `D` holds its columns.

References
    R. Salakhutdinov, G. Hinton. Replicated softmax: an undirected topic model. NIPS 2009.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from wordrbm.models.wordrep import WordRepRBM
from wordrbm.shapes import Hidden, PerWindow, Probability

VOCAB_BLOCK = 4096  # words scored in one product


@final
@dataclass(frozen=True, eq=False)
class ReplicatedSoftmaxRBM:
    """Parameters of the replicated softmax; documents are rows of a sparse matrix of counts."""

    D: Float[np.ndarray, "K d"]  # word vectors
    U: Float[np.ndarray, "H d"]  # topics in the space of word vectors; the identity if W is full
    b: Float[np.ndarray, " K"]  # word biases
    c: Float[np.ndarray, " H"]  # hidden biases, each counted N times

    def at_length(self, N: int) -> WordRepRBM:
        """The RBM over documents of N words, as windows in which the order has no meaning."""
        return WordRepRBM(self.D, np.repeat(self.U[None], N, axis=0), self.b, self.c * N)

    def topic_weights(self) -> Float[np.ndarray, "H K"]:
        """``W = U D^T``, the weight of every word in every topic. Costs O(K)."""
        return self.U @ self.D.T

    def hidden_input(self, counts: Any) -> Hidden:
        """``N c + W n`` of every document."""
        length = np.asarray(counts.sum(axis=1), np.float64).reshape(-1, 1)
        return np.asarray(counts @ self.D, np.float64) @ self.U.T + length * self.c

    def hidden_mean(self, counts: Any) -> Hidden:
        """``P(h_j = 1 | v)``: the topics of every document, by one product."""
        return np.exp(-np.logaddexp(0.0, -self.hidden_input(counts)))

    def free_energy(self, counts: Any) -> PerWindow:
        """``F(v) = -sum_k n_k b_k - sum_j softplus(N c_j + (W n)_j)``, of words in order."""
        bias = np.asarray(counts @ self.b.astype(np.float64)).reshape(-1)
        return -bias - np.logaddexp(0.0, self.hidden_input(counts)).sum(axis=1)

    def energy(self, counts: Any, h: Hidden) -> PerWindow:
        """``E(v, h)``."""
        bias = np.asarray(counts @ self.b.astype(np.float64)).reshape(-1)
        return -bias - (h * self.hidden_input(counts)).sum(axis=1)

    def log_normalizer(self, h: Hidden) -> PerWindow:
        """``A(h)``, so that ``P(h) = exp(N A(h)) / Z_N`` at length N. Costs O(K)."""
        total, context = np.full(len(h), -np.inf), h.astype(np.float64) @ self.U
        for first in range(0, self.b.size, VOCAB_BLOCK):
            words = slice(first, first + VOCAB_BLOCK)
            scores = context @ self.D[words].T.astype(np.float64) + self.b[words]
            total = np.logaddexp(total, np.logaddexp.reduce(scores, axis=1))
        return h @ self.c.astype(np.float64) + total


def init_replicated(
    rng: np.random.Generator,
    *,
    H: int,
    d: int | None,
    word_probability: Probability,
    mean_length: float,
    hidden_bias: float,
    vectors: Float[np.ndarray, "K d"] | None = None,
) -> ReplicatedSoftmaxRBM:
    """A fresh model of the given word frequencies; W is full if d is None.

    ``hidden_bias`` is the bias of a document of mean length. ``vectors`` are the first word
    vectors, small random ones if None.
    """
    U = np.eye(H) if d is None else rng.normal(0.0, d**-0.5, (H, d))
    D = rng.normal(0.0, 0.02, (word_probability.size, U.shape[1])) if vectors is None else vectors
    return ReplicatedSoftmaxRBM(
        D=D.astype(np.float32),
        U=U.astype(np.float32),
        b=np.log(word_probability).astype(np.float32),
        c=np.full(H, hidden_bias / mean_length, np.float32),
    )
