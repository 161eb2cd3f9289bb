"""Hidden features of every window of a text.

    P(h_j = 1 | v) = sigm(c_j + sum_i (U[i] D[v_i])_j)                 [Dahl 2012, eq. 5]

Computed in double precision and returned in single, so a window has the same bits whatever windows
are beside it, see `precision.py`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from wordrbm.inference.inputs import Sentence, check_iterable
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.inference.windows import LocatedWindows, iter_windows
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary


class WindowFeatures(NamedTuple):
    """Windows with their locations, and their hidden means."""

    windows: LocatedWindows
    hidden: Float32[np.ndarray, "N H"]


def window_features(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> Iterator[WindowFeatures]:
    """Iterate over the hidden means of all windows in text order, a few thousand at a time."""
    for windows in iter_windows(vocabulary, sentences, rbm.positions):
        mean = evaluate_in_double(WordRepRBM.hidden_mean, rbm, windows.v)
        yield WindowFeatures(windows, mean.astype(np.float32))


def sentence_features(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> list[Float32[np.ndarray, "N H"]]:
    """Return the hidden means of every sentence, one array (windows, H) each."""
    counted = _CountedIterable(check_iterable(sentences))
    parts: dict[int, list[Float32[np.ndarray, "N H"]]] = {}
    for windows, mean in window_features(rbm, vocabulary, counted):
        edges = np.flatnonzero(np.diff(windows.sentence)) + 1
        for part, first in zip(np.split(mean, edges), [0, *edges.tolist()], strict=True):
            parts.setdefault(int(windows.sentence[first]), []).append(part)
    no_windows = [np.empty((0, rbm.c.size), np.float32)]
    return [np.concatenate(parts.pop(number, no_windows)) for number in range(counted.count)]


class _CountedIterable:
    """An iterable of sentences that counts them as they pass; a generator passes only once."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.sentences = sentences
        self.count = 0

    def __iter__(self) -> Iterator[Sentence]:
        for sentence in self.sentences:
            self.count += 1
            yield sentence
