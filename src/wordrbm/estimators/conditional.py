"""What a column holds, given the rest of the row, exactly.

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
    """``log P(v_i = x | rest of the row)`` for every x of column i, whose words are given."""
    rest = rest_input(rbm, v, i)
    logits = np.stack([_logits(given_rest(rbm, i, words, a)) for a in rest])
    return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def value_log_probability(
    rbm: WordRepRBM, v: Words, i: int, words: slice
) -> Float[np.ndarray, " B"]:
    """``log P(v_i | rest of the row)`` of the values in place."""
    rest = rest_input(rbm, v, i)
    scores = np.empty(len(v))
    for m, word in enumerate(v[:, i].tolist()):
        logits = _logits(given_rest(rbm, i, words, rest[m]))
        scores[m] = logits[word - words.start] - np.logaddexp.reduce(logits)
    return scores


def given_rest(rbm: WordRepRBM, i: int, words: slice, rest: Float[np.ndarray, " H"]) -> WordRepRBM:
    """The RBM of column i alone when the rest of the row has this to say."""
    U = rbm.U[i : i + 1].astype(np.float64)  # so that the products are in double precision too
    return WordRepRBM(D=rbm.D[words], U=U, b=rbm.b[words], c=rest)


def rest_input(rbm: WordRepRBM, v: Words, i: int) -> Float[np.ndarray, "B H"]:
    """The input of every hidden unit with column i left out, in double precision."""
    rest = v.copy()
    rest[:, i] = BLANK
    return evaluate_in_double(WordRepRBM.hidden_input, rbm, rest)


def _logits(alone: WordRepRBM) -> Float[np.ndarray, " k"]:
    """``log P*`` of every value; the value in place is taken out, so it may be any."""
    return np.concatenate([part[0] for _, part in word_logits(alone, np.zeros((1, 1), int), 0)])
