"""Every window of a text, a few thousand at a time, and its hidden features.

A sentence of T words has T - n + 1 windows of n consecutive words, none if T < n; no window
crosses sentences. Sentences are read once, in order, so they may come from a generator.

    P(h_j = 1 | v) = sigm(c_j + sum_i (U[i] D[v_i])_j)                 [Dahl 2012, eq. 5]

Computed in double precision and returned in single, so a window has the same bits whatever windows
are beside it, see `precision.py`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int32, Int64

from wordrbm.inference.inputs import Sentence, check_iterable, token_ids, tokens_of
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.models import WordRepRBM
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


def _sentence_windows(
    vocabulary: Vocabulary, sentences: Iterable[Sentence], n: int
) -> Iterator[LocatedWindows]:
    """Yield at most a block of one sentence at a time; a short sentence yields nothing."""
    for number, sentence in enumerate(sentences):
        v = sliding_windows(token_ids(vocabulary, tokens_of(sentence)), n)
        for first in range(0, len(v), WINDOWS_PER_BLOCK):
            block = v[first : first + WINDOWS_PER_BLOCK]
            start = np.arange(first, first + len(block))
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


class WindowFeatures(NamedTuple):
    """Windows with their locations, and their hidden means."""

    windows: LocatedWindows
    hidden: Float32[np.ndarray, "N H"]


def window_features(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> Iterator[WindowFeatures]:
    """Iterate over the hidden means of all windows in text order, a few thousand at a time."""
    parts = _sentence_windows(vocabulary, check_iterable(sentences), rbm.positions)
    for windows in _merge_short(parts):
        mean = evaluate_in_double(WordRepRBM.hidden_mean, rbm, windows.v)
        yield WindowFeatures(windows, mean.astype(np.float32))


def sentence_features(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence]
) -> list[Float32[np.ndarray, "N H"]]:
    """Return the hidden means of every sentence, one array (windows, H) each."""
    sentences = list(check_iterable(sentences))
    parts = [[np.empty((0, rbm.c.size), np.float32)] for _ in sentences]
    for windows, mean in window_features(rbm, vocabulary, sentences):
        edges = np.flatnonzero(np.diff(windows.sentence)) + 1
        for number, part in zip(windows.sentence[[0, *edges]], np.split(mean, edges), strict=True):
            parts[number].append(part)
    return [np.concatenate(blocks) for blocks in parts]
