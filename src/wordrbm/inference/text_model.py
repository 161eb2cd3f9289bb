"""The probability of a text of any length, and of a word in it, from a model of windows.

Windows of a text overlap, so their product counts most words n times and is far too sure. A text is
read as a Markov chain of order n - 1 instead, in which consecutive windows share n - 1 words:

    log P(text) = sum over windows of log P(window) - sum over overlaps of log P(overlap)

This is exact for text that is such a chain (the windows and their overlaps are a junction tree),
and for a text of one window. ``log P(window) = -F(window) - log Z``. P(overlap) is a sum over the
word that is missing from the window, which is replaced by the mean word m, whose vector is the mean
of all vectors by frequency and whose bias is zero, at either end:

    log P(overlap)  is, but for a constant,  -(F(m, overlap) + F(overlap, m)) / 2

The word x at a blank has ``P(x | text)`` proportional to ``P(text with x in place)``, normalised
exactly over the K words; only windows and overlaps that hold the blank matter. Another blank that
is not filled counts as a word whose vector and bias are zero.
"""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple, TypeAlias, final

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.inference.precision import (
    BLANK,
    MEAN_WORD,
    hidden_weights_in_double,
    restrict_to_words,
)
from wordrbm.inference.whitening import expected_row
from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import VOCAB_BLOCK, logits_from_input
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import available_cores, one_blas_thread

VOCABULARY_PARTS = 16  # for threads

Ids: TypeAlias = Int[np.ndarray, " T"]
Texts: TypeAlias = Int[np.ndarray, "B T"]
LogScores: TypeAlias = Float64[np.ndarray, "B K"]


class Factor(NamedTuple):
    """A window of a text, and the weight of its -F in the log-probability of the text."""

    start: int
    missing: int | None  # the window position of the mean word; None in a window of the text
    weight: float

    def holds(self, position: int, n: int) -> bool:
        """Whether the word at a position of the text occurs in this window."""
        return 0 <= position - self.start < n and position - self.start != self.missing

    def words(self, texts: Texts, n: int) -> Words:
        """Return the words of this window in each of several texts."""
        v = texts[:, self.start : self.start + n].copy()
        if self.missing is not None:
            v[:, self.missing] = MEAN_WORD
        return v


@final
@dataclass(frozen=True, eq=False)
class TextModel:
    """A model of windows in double precision, with the vector of the mean word."""

    rbm: WordRepRBM
    mean_vector: Float64[np.ndarray, " d"]

    @classmethod
    def from_rbm(cls, rbm: WordRepRBM, vocabulary: Vocabulary) -> "TextModel":
        """Make a model of texts from a model of windows."""
        mean_vector = expected_row(rbm.D, vocabulary.probability())
        return cls(hidden_weights_in_double(rbm), mean_vector)

    @property
    def n(self) -> int:
        """The number of words in a window."""
        return self.rbm.positions

    def restrict_to_words(self, v: Words) -> tuple[WordRepRBM, Words]:
        """Return the model over the words in `v` only, and `v` in its ids."""
        return restrict_to_words(self.rbm, v, self.mean_vector)


def factors_covering(positions: Collection[int], n: int, T: int) -> list[Factor]:
    """Return the factors of a text of T words that hold a position, windows before overlaps."""
    starts = sorted({
        start for position in positions
        for start in range(max(0, position - n + 1), min(position, T - n) + 1)
    })  # fmt: skip
    factors = [Factor(start, None, 1.0) for start in starts]
    for start in starts:
        if n > 1 and start + 1 in starts:
            factors += [Factor(start, 0, -0.5), Factor(start + 1, n - 1, -0.5)]
    return [factor for factor in factors if any(factor.holds(t, n) for t in positions)]


def text_log_score(
    model: TextModel, texts: Texts, factors: list[Factor]
) -> Float64[np.ndarray, " B"]:
    """``log P(text)`` of each text up to a constant, by some of its factors."""
    score = np.zeros(len(texts))
    for factor in factors:
        rbm, v = model.restrict_to_words(factor.words(texts, model.n))
        score -= factor.weight * rbm.free_energy(v)
    return score


class PositionFactors(NamedTuple):
    """The F factors of B texts that hold a blank at one position of their window."""

    position: int
    weight: Float64[np.ndarray, " F"]
    hidden_input: Float64[np.ndarray, "FB H"]  # from the other words, the first factor first
    log_score: Float64[np.ndarray, " B"]  # the weighted -F of all factors with the blank empty


def word_log_scores(model: TextModel, texts: Texts, blank: int) -> LogScores:
    """``log P(text)`` up to a constant for every word at a blank, by the factors that hold it.

    Factors with the blank at the same window position share their products with the vocabulary.
    """
    factors = factors_covering([blank], model.n, texts.shape[1])
    positions = [_position_factors(model, texts, blank, i, factors) for i in range(model.n)]
    known = [factors for factors in positions if factors.weight.size]
    parts = vocabulary_parts(model.rbm.b.size)
    with one_blas_thread(), ThreadPoolExecutor(min(available_cores(), len(parts))) as pool:
        scores = list(pool.map(partial(_part_log_scores, model, known), parts))
    return np.concatenate(scores, axis=1)


def vocabulary_parts(K: int) -> list[slice]:
    """Cut the vocabulary for threads, on the borders of blocks: digits do not depend on it."""
    size = -(-K // (VOCABULARY_PARTS * VOCAB_BLOCK)) * VOCAB_BLOCK
    return [slice(first, min(first + size, K)) for first in range(0, K, size)]


def _position_factors(
    model: TextModel, texts: Texts, blank: int, i: int, factors: list[Factor]
) -> PositionFactors:
    """Collect the factors in which the blank is at position i of the window."""
    here = [factor for factor in factors if blank - factor.start == i]
    weight = np.array([factor.weight for factor in here])
    v = np.array([factor.words(texts, model.n) for factor in here], texts.dtype)
    v = v.reshape(-1, model.n)
    v[:, i] = BLANK
    rbm, v = model.restrict_to_words(v)
    energy = rbm.free_energy(v).reshape(len(here), len(texts))
    return PositionFactors(i, weight, rbm.hidden_input(v), -weight @ energy)


def _part_log_scores(
    model: TextModel, positions: list[PositionFactors], words: slice
) -> Float64[np.ndarray, "B k"]:
    """The scores of some words of the vocabulary at a blank."""
    constant = reduce(np.add, [factors.log_score for factors in positions])
    scores = np.repeat(constant[:, None], words.stop - words.start, axis=1)
    for i, weight, hidden_input, _ in positions:
        for block, logits in logits_from_input(model.rbm, hidden_input, i, words):
            inside = slice(block.start - words.start, block.stop - words.start)
            weighted = weight @ logits.reshape(weight.size, -1)
            scores[:, inside] += weighted.reshape(len(scores), -1)
    return scores


def softmax(log_scores: LogScores) -> LogScores:
    """``exp(x_k) / sum_j exp(x_j)`` over the words of every row."""
    probability = np.exp(log_scores - log_scores.max(axis=-1, keepdims=True))
    return probability / probability.sum(axis=-1, keepdims=True)
