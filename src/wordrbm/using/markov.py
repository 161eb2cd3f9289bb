"""The probability of a text, of any length, from a model of windows of n words.

Windows of a text overlap, so their product counts most words n times and is far too sure. A text is
read as a Markov chain of order n - 1 instead, in which two windows in a row share n - 1 words:

    log P(text) = sum over windows of log P(window) - sum over overlaps of log P(overlap)

This is exact for text that is such a chain (the windows and their overlaps are a junction tree),
and for a text of one window. ``log P(window) = -F(window) - log Z``. P(overlap) is a sum over the
word that is missing from the window, which is replaced by the mean word m, whose vector is the mean
of all vectors by frequency and whose bias is zero, at either end:

    log P(overlap)  is, but for a constant,  -(F(m, overlap) + F(overlap, m)) / 2
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.precise import MEAN_WORD, dense_in_double, expected_row, known

Texts = Int[np.ndarray, "B T"]


class Factor(NamedTuple):
    """A window of a text, and how often its -F counts in the log-probability of the text."""

    start: int
    missing: int | None  # the position that the mean word takes; none in a window of the text
    weight: float

    def holds(self, place: int, n: int) -> bool:
        """Whether a place of the text has its own word in this window."""
        return 0 <= place - self.start < n and place - self.start != self.missing

    def words(self, texts: Texts, n: int) -> Words:
        """The words of this window in each of several texts."""
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
    def of(cls, rbm: WordRepRBM, vocabulary: Vocabulary) -> "TextModel":
        """The model of texts that a model of windows makes."""
        return cls(dense_in_double(rbm), expected_row(rbm.D, vocabulary.probability()))

    @property
    def n(self) -> int:
        """The words of a window."""
        return self.rbm.positions

    def known(self, v: Words) -> tuple[WordRepRBM, Words]:
        """The model of the words in `v` only, and `v` in its ids (`precise.known`)."""
        return known(self.rbm, v, self.mean_vector)


def factors_around(places: Collection[int], n: int, T: int) -> list[Factor]:
    """The factors of a text of T words that hold one of some places, windows before overlaps."""
    starts = sorted({start for place in places for start in starts_around(place, n, T)})
    factors = [Factor(start, None, 1.0) for start in starts]
    for start in starts:
        if n > 1 and start + 1 in starts:
            factors += [Factor(start, 0, -0.5), Factor(start + 1, n - 1, -0.5)]
    return [factor for factor in factors if any(factor.holds(place, n) for place in places)]


def starts_around(place: int, n: int, T: int) -> range:
    """Where the windows start that hold a place of a text of T words."""
    return range(max(0, place - n + 1), min(place, T - n) + 1)
