"""A feature vector for every window of a text: what the hidden units make of it.

    P(h_j = 1 | v) = sigm(c_j + sum_i (U[i] D[v_i])_j)                 [Dahl 2012, eq. 5]

Computed in double precision and given in single, so a window has the same bits whatever stands
beside it, see `precise.py`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.precise import asked
from wordrbm.using.windows import Places, places
from wordrbm.using.words import Sentence, several


class Features(NamedTuple):
    """Windows, where they were found, and their hidden means."""

    places: Places
    hidden: Float32[np.ndarray, "N H"]


def features(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> Iterator[Features]:
    """The hidden means of all windows, a few thousand at a time, in the order of the text."""
    for found in places(vocabulary, sentences, rbm.positions):
        mean = asked(WordRepRBM.hidden_mean, rbm, found.v)
        yield Features(found, mean.astype(np.float32))


def hidden(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> list[Float32[np.ndarray, "N H"]]:
    """The hidden means of every sentence, one array (windows, H) each."""
    counted = _Counted(several(sentences))
    parts: dict[int, list[Float32[np.ndarray, "N H"]]] = {}
    for found, mean in features(rbm, vocabulary, counted):
        edges = np.flatnonzero(np.diff(found.sentence)) + 1
        for part, first in zip(np.split(mean, edges), [0, *edges.tolist()], strict=True):
            parts.setdefault(int(found.sentence[first]), []).append(part)
    none = [np.empty((0, rbm.c.size), np.float32)]
    return [np.concatenate(parts.pop(number, none)) for number in range(counted.count)]


class _Counted:
    """An iterable that may pass only once, and how many it gave."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.sentences = sentences
        self.count = 0

    def __iter__(self) -> Iterator[Sentence]:
        for sentence in self.sentences:
            self.count += 1
            yield sentence
