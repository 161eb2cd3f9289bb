"""The exact conditional distribution of a column given the rest of the row.

Given the other columns, an RBM is an RBM of one column whose hidden biases are the input from
the rest, ``a = c + sum_{k != i} U[k] D[v_k]``. Its distribution is a softmax over the values of
that column alone,

    P(v_i = x | rest) = exp(b_x + sum_j softplus(a_j + (U[i] D[x])_j)) / sum over the column

at a cost of O(K_i H d) a row, in memory that does not grow with K_i but for the answer.
"""

import numpy as np
from jaxtyping import Float

from wordrbm.inference.precision import BLANK, evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import word_logits
from wordrbm.shapes import Words


def column_log_probability(
    rbm: WordRepRBM, v: Words, i: int, words: slice
) -> Float[np.ndarray, "B k"]:
    """``log P(v_i = x | rest of the row)`` for all x of column i, whose words are `words`."""
    rest = input_without(rbm, v, i)
    logits = np.stack([_logits(conditional_rbm(rbm, i, words, a)) for a in rest])
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def value_log_probability(
    rbm: WordRepRBM, v: Words, i: int, words: slice
) -> Float[np.ndarray, " B"]:
    """``log P(v_i | rest of the row)`` of the value that each row holds."""
    rest = input_without(rbm, v, i)
    scores = np.empty(len(v))
    for m, word in enumerate(v[:, i].tolist()):
        logits = _logits(conditional_rbm(rbm, i, words, rest[m]))
        scores[m] = logits[word - words.start] - np.logaddexp.reduce(logits)
    return scores


def conditional_rbm(
    rbm: WordRepRBM, i: int, words: slice, rest: Float[np.ndarray, " H"]
) -> WordRepRBM:
    """The RBM of column i alone, whose hidden biases are the input from the rest of the row."""
    U = rbm.U[i : i + 1].astype(np.float64)  # so that the products are in double precision too
    return WordRepRBM(D=rbm.D[words], U=U, b=rbm.b[words], c=rest)


def input_without(rbm: WordRepRBM, v: Words, i: int) -> Float[np.ndarray, "B H"]:
    """The input of every hidden unit without column i, in double precision."""
    rest = v.copy()
    rest[:, i] = BLANK
    return evaluate_in_double(WordRepRBM.hidden_input, rbm, rest)


def _logits(rbm: WordRepRBM) -> Float[np.ndarray, " k"]:
    """``log P*`` of every value of an RBM of one column; its current value does not matter."""
    return np.concatenate([part[0] for _, part in word_logits(rbm, np.zeros((1, 1), int), 0)])
