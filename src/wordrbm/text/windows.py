"""Spans of the id stream (training or held out), windows of n words inside them, shuffled batches.

A span is (start, end, split) with split 0 for training and 1 for held out; a window never leaves
its span. Documents are divided into blocks of at most 2,000 tokens, numbered in order, and every
so many-th block is held out, evenly through the text; training blocks that follow each other in a
document are joined again. Document ends come in arrays and spans leave in arrays, so that a corpus
may have any number of documents; the arrays are read twice, since which blocks are held out depends
on how many there are.

Window w lies in the span r with cumulative[r] <= w < cumulative[r + 1] and starts at
starts[r] + w - cumulative[r], so a window is an integer. The shuffled order is endless: position g
is in epoch g // N and is window permute(key(seed, epoch), g % N), so every window comes once an
epoch in an order that is a pure function of seed and g, with nothing to store.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.kernels import order

HELDOUT_BLOCK = 2_000  # tokens
TRAIN, HELDOUT = 0, 1
UNKNOWN_K = 1 << 31  # as many words as there can be ids

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


@final
@dataclass(frozen=True, eq=False)
class Windows:
    """Every window of n words in some spans of a stream."""

    ids: Int32[np.ndarray, " T"]
    starts: Int64[np.ndarray, " R"]  # of the spans that hold at least n words
    cumulative: Int64[np.ndarray, " R+1"]  # windows in all earlier spans
    n: int
    K: int = UNKNOWN_K

    @classmethod
    def of(
        cls, ids: Int32[np.ndarray, " T"], spans: Spans, n: int, K: int = UNKNOWN_K
    ) -> "Windows":
        """The windows of n words, each one of K, in spans (start, end, split)."""
        windows = spans[:, 1] - spans[:, 0] - n + 1  # in each span
        cumulative = np.zeros(np.count_nonzero(windows > 0) + 1, np.int64)
        np.cumsum(windows[windows > 0], out=cumulative[1:])
        return cls(ids, np.ascontiguousarray(spans[windows > 0, 0]), cumulative, n, K)

    def __len__(self) -> int:
        return int(self.cumulative[-1])

    def take(self, index: Int64[np.ndarray, " N"]) -> Int32[np.ndarray, "N n"]:
        """The words of the windows with these indices."""
        if index.size and not (index.min() >= 0 and index.max() < len(self)):
            raise IndexError(f"windows are numbered 0 to {len(self) - 1}")
        out = np.empty((index.size, self.n), np.int32)
        order.gather(self.ids, self.starts, self.cumulative, index, out)
        self.check_ids(int(out.view(np.uint32).max()) if out.size else 0)
        return out

    def evenly_spaced(self, count: int) -> Int32[np.ndarray, "N n"]:
        """At most `count` windows, evenly spaced over the text: the same ones every time."""
        count = min(count, len(self))
        return self.take(np.linspace(0, len(self) - 1, count).astype(np.int64))

    def shuffle_plan(self, seed: int) -> order.Plan:
        """The endless order of all windows under a seed, for compiled code."""
        return order.Plan(self.ids, self.starts, self.cumulative, np.uint64(seed % 2**64))

    def check_ids(self, largest: int) -> None:
        """Raise if the largest id read, as an unsigned number, is no word; the ids are on disk."""
        if largest >= self.K:
            raise WordRBMError(
                f"A word id is not from 0 to {self.K - 1:,}: the prepared corpus is damaged or was "
                "changed while it was read; prepare it again."
            )


@final
@dataclass(frozen=True, eq=False)
class ShuffledBatches:
    """Batches of windows in the endless order of a seed."""

    windows: Windows
    seed: int

    def __call__(self, first: int, size: int) -> Int32[np.ndarray, "size n"]:
        """The windows at positions first .. first + size - 1 of the order."""
        return read_batch(self.windows, self.seed, first, size)

    @property
    def plan(self) -> order.Plan:
        """The order of these batches for compiled code."""
        return self.windows.shuffle_plan(self.seed)


def read_batch(windows: Windows, seed: int, first: int, size: int) -> Int32[np.ndarray, "size n"]:
    """The windows at positions first .. first + size - 1; a batch may straddle epochs."""
    if not len(windows):
        raise WordRBMError(
            f"No document holds {windows.n} words in a row; use shorter windows or more text."
        )
    out = np.empty((size, windows.n), np.int32)
    windows.check_ids(order.visited(windows.shuffle_plan(seed), first, out))
    return out
