"""Every window of a text and its location, a few thousand windows at a time.

A sentence of T words has T - n + 1 windows of n consecutive words, none if T < n; no window
crosses sentences. Sentences are read once, in order, so they may come from a generator.
"""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.inference.inputs import Sentence, check_iterable, token_ids, tokens_of
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary

WINDOWS_PER_BLOCK = 4096  # held in memory at once


class LocatedWindows(NamedTuple):
    """Windows of a text with the sentence and the start of each, both counted from 0."""

    sentence: Int64[np.ndarray, " N"]
    start: Int64[np.ndarray, " N"]
    v: Int32[np.ndarray, "N n"]


def sliding_windows(ids: Int32[np.ndarray, " T"], n: int) -> Words:
    """Return every window of n consecutive words; none if there are fewer words."""
    if ids.size < n:
        return np.empty((0, n), np.int32)
    return np.lib.stride_tricks.sliding_window_view(ids, n)


def iter_windows(
    vocabulary: Vocabulary, sentences: Iterable[Sentence], n: int
) -> Iterator[LocatedWindows]:
    """Iterate over the windows of all sentences, at most `WINDOWS_PER_BLOCK` at a time."""
    numbered = zip(count(), check_iterable(sentences), strict=False)
    return _merge_short(_sentence_windows(vocabulary, numbered, n))


def _sentence_windows(
    vocabulary: Vocabulary, numbered: Iterable[tuple[int, Sentence]], n: int
) -> Iterator[LocatedWindows]:
    """Yield at most a block of one sentence at a time; a short sentence yields nothing."""
    for number, sentence in numbered:
        v = sliding_windows(token_ids(vocabulary, tokens_of(sentence)), n)
        for first in range(0, len(v), WINDOWS_PER_BLOCK):
            start = np.arange(first, min(first + WINDOWS_PER_BLOCK, len(v)))
            block = v[first : first + WINDOWS_PER_BLOCK]
            yield LocatedWindows(np.full(start.size, number), start, block)


def _merge_short(parts: Iterable[LocatedWindows]) -> Iterator[LocatedWindows]:
    """Merge parts up to a block, so that many short sentences are evaluated at once."""
    pending: list[LocatedWindows] = []
    size = 0
    for part in parts:
        if size + len(part.v) > WINDOWS_PER_BLOCK:
            yield _concatenate(pending)
            pending, size = [], 0
        pending.append(part)
        size += len(part.v)
    if pending:
        yield _concatenate(pending)


def _concatenate(parts: list[LocatedWindows]) -> LocatedWindows:
    return LocatedWindows(*(np.concatenate(column) for column in zip(*parts, strict=True)))
