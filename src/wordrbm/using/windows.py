"""Every window of a text, and where it was found, a few thousand at a time.

A sentence of T words has T - n + 1 windows of n consecutive words, none if T < n; no window
crosses sentences. Sentences are read once, in order, so they may come from a generator.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.words import Sentence, ids_of, several, words_of

GATHERED = 4096  # windows held at once


class Places(NamedTuple):
    """Windows of a text, and where each was found, both counted from 0."""

    sentence: Int64[np.ndarray, " N"]
    start: Int64[np.ndarray, " N"]
    v: Int32[np.ndarray, "N n"]


def windows_of(ids: Int32[np.ndarray, " T"], n: int) -> Words:
    """Every window of n consecutive words; none if there are fewer words."""
    if ids.size < n:
        return np.empty((0, n), np.int32)
    return np.lib.stride_tricks.sliding_window_view(ids, n)


def places(vocabulary: Vocabulary, sentences: Iterable[Sentence], n: int) -> Iterator[Places]:
    """The windows of all sentences, at most `GATHERED` at a time."""
    numbered = zip(count(), several(sentences), strict=False)
    return _gathered(_pieces(vocabulary, numbered, n))


def _pieces(
    vocabulary: Vocabulary, numbered: Iterable[tuple[int, Sentence]], n: int
) -> Iterator[Places]:
    """Part of one sentence at a time; a sentence without windows gives nothing."""
    for number, sentence in numbered:
        v = windows_of(ids_of(vocabulary, words_of(sentence)), n)
        for first in range(0, len(v), GATHERED):
            start = np.arange(first, min(first + GATHERED, len(v)))
            yield Places(np.full(start.size, number), start, v[first : first + GATHERED])


def _gathered(pieces: Iterable[Places]) -> Iterator[Places]:
    held: list[Places] = []
    size = 0
    for piece in pieces:
        if size + len(piece.v) > GATHERED:
            yield _joined(held)
            held, size = [], 0
        held.append(piece)
        size += len(piece.v)
    if held:
        yield _joined(held)


def _joined(pieces: list[Places]) -> Places:
    return Places(*(np.concatenate(column) for column in zip(*pieces, strict=True)))
