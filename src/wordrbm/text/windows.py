"""Windows of n words: views into the stream, so a window is an integer.

Window w of a corpus lies in the run r with before[r] <= w < before[r + 1] and starts at
starts[r] + w - before[r]; no window leaves its run. The visit of all windows is endless: visit g
is in epoch g // N and is window permute(key(seed, epoch), g % N), so every window comes once an
epoch in an order that is a pure function of seed and g, with nothing to store.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.kernels import order

ANY_ID = 1 << 31  # as many words as there can be ids


@final
@dataclass(frozen=True, eq=False)
class Windows:
    """Every window of n words in some runs of a stream."""

    ids: Int32[np.ndarray, " T"]
    starts: Int64[np.ndarray, " R"]  # of the runs that hold at least n words
    before: Int64[np.ndarray, " R+1"]  # windows in all earlier runs
    n: int
    K: int = ANY_ID

    @classmethod
    def of(
        cls, ids: Int32[np.ndarray, " T"], runs: Int64[np.ndarray, "R 3"], n: int, K: int = ANY_ID
    ) -> "Windows":
        """The windows of n words, each one of K, in runs (start, end, part)."""
        held = runs[:, 1] - runs[:, 0] - n + 1  # windows in each run
        before = np.zeros(np.count_nonzero(held > 0) + 1, np.int64)
        np.cumsum(held[held > 0], out=before[1:])
        return cls(ids, np.ascontiguousarray(runs[held > 0, 0]), before, n, K)

    def __len__(self) -> int:
        return int(self.before[-1])

    def take(self, index: Int64[np.ndarray, " N"]) -> Int32[np.ndarray, "N n"]:
        """The words of some windows."""
        if index.size and not (index.min() >= 0 and index.max() < len(self)):
            raise IndexError(f"windows are numbered 0 to {len(self) - 1}")
        out = np.empty((index.size, self.n), np.int32)
        order.gather(self.ids, self.starts, self.before, index, out)
        self.refuse_words_beyond(int(out.view(np.uint32).max()) if out.size else 0)
        return out

    def spread(self, count: int) -> Int32[np.ndarray, "N n"]:
        """At most `count` windows, evenly spread over the text: the same ones for every run."""
        count = min(count, len(self))
        return self.take(np.linspace(0, len(self) - 1, count).astype(np.int64))

    def plan(self, seed: int) -> order.Plan:
        """The visit of all windows in the order of this seed."""
        return order.Plan(self.ids, self.starts, self.before, np.uint64(seed % 2**64))

    def refuse_words_beyond(self, largest: int) -> None:
        """The stream stays on disk. Below zero is, without a sign, above all: one look does."""
        if largest >= self.K:
            raise WordRBMError(
                f"A word id is not from 0 to {self.K - 1:,}: the prepared corpus is damaged or was "
                "changed while it was read; prepare it again."
            )


@final
@dataclass(frozen=True, eq=False)
class Visit:
    """The endless visit of some windows in the order of a seed."""

    windows: Windows
    seed: int

    def __call__(self, first: int, size: int) -> Int32[np.ndarray, "size n"]:
        """The windows of visits first .. first + size - 1."""
        return batch(self.windows, self.seed, first, size)

    @property
    def plan(self) -> order.Plan:
        """The same for compiled code."""
        return self.windows.plan(self.seed)


def batch(windows: Windows, seed: int, first: int, size: int) -> Int32[np.ndarray, "size n"]:
    """The windows of visits first .. first + size - 1; a batch may straddle epochs."""
    if not len(windows):
        raise WordRBMError(
            f"No story holds {windows.n} words in a row; use shorter windows or more text."
        )
    out = np.empty((size, windows.n), np.int32)
    windows.refuse_words_beyond(order.visited(windows.plan(seed), first, out))
    return out
