"""Spans of the id stream: training or held-out text that a window never leaves.

A span is (start, end, split) with split 0 for training and 1 for held out. Documents are divided
into blocks of at most 2,000 tokens, numbered in order, and every so many-th block is held out,
evenly through the text; training blocks that follow each other in a document are joined again.

Document ends come in arrays and spans leave in arrays, so that a corpus may have any number of
documents; the arrays are read twice, since which blocks are held out depends on how many there are.

No compiled code is imported here: each worker of `prepare` would load it, 0.3 s and 80 MB.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from jaxtyping import Int64

HELDOUT_BLOCK = 2_000  # tokens
TRAIN, HELDOUT = 0, 1

DocumentEnds: TypeAlias = Int64[np.ndarray, " S"]  # of consecutive documents, in the whole stream
Spans: TypeAlias = Int64[np.ndarray, "R 3"]  # start, end, split


def make_spans(ends: Callable[[], Iterable[DocumentEnds]], heldout: float) -> Iterator[Spans]:
    """Yield the spans of documents that fill the stream from 0 on, one array for each of ends."""
    total = sum(int(blocks.sum()) for _, blocks in _block_counts(ends()))
    held, first = heldout_blocks(total, heldout), 0
    for bounds, blocks in _block_counts(ends()):
        yield _spans(bounds, blocks, first, held)
        first += int(blocks.sum())


def heldout_blocks(count: int, fraction: float) -> range:
    """The blocks held out: one in every round(1 / fraction), or the middle one of too few."""
    if fraction == 0.0 or count < 2:
        return range(0)
    period = round(min(1 / fraction, 2.0**62))  # the smallest fraction still gives a number
    if count < period:
        return range(count // 2, count // 2 + 1)
    return range(period // 2, count, period)


def _block_counts(
    arrays: Iterable[DocumentEnds],
) -> Iterator[tuple[DocumentEnds, Int64[np.ndarray, " S"]]]:
    """The bounds of some documents, from the start of the first, and the blocks of each."""
    start = 0
    for ends in arrays:
        bounds = np.concatenate([[start], ends]).astype(np.int64)
        start = int(bounds[-1])
        yield bounds, -(-np.diff(bounds) // HELDOUT_BLOCK)  # rounded up


def _spans(bounds: DocumentEnds, blocks: Int64[np.ndarray, " S"], first: int, held: range) -> Spans:
    document = np.repeat(np.arange(blocks.size), blocks)
    rank = np.arange(document.size) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    start = bounds[document] + rank * HELDOUT_BLOCK
    end = np.minimum(start + HELDOUT_BLOCK, bounds[document + 1])
    index = np.arange(first, first + document.size)
    in_range = (index >= held.start) & (index < held.stop)
    split = (in_range & ((index - held.start) % held.step == 0)).astype(np.int64)
    opens = np.ones(document.size, bool)
    opens[1:] = (rank[1:] == 0) | (split[1:] == HELDOUT) | (split[:-1] == HELDOUT)
    opening = np.flatnonzero(opens)
    closing = np.append(opening[1:], document.size) - 1
    return np.stack([start[opening], end[closing], split[opening]], axis=1)
