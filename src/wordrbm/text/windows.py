"""Windows of n words inside the spans of a stream, and shuffled batches of them.

Window w lies in the span r with cumulative[r] <= w < cumulative[r + 1] and starts at
starts[r] + w - cumulative[r], so a window is an integer. The shuffled order is endless: position g
is in epoch g // N and is window permute(key(seed, epoch), g % N), so every window comes once an
epoch in an order that is a pure function of seed and g, with nothing to store.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.kernels import shuffle

UNKNOWN_K = 1 << 31  # as many words as there can be ids


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
        cls,
        ids: Int32[np.ndarray, " T"],
        spans: Int64[np.ndarray, "R 3"],
        n: int,
        K: int = UNKNOWN_K,
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
        shuffle.gather_windows(self.ids, self.starts, self.cumulative, index, out)
        self.check_ids(int(out.view(np.uint32).max()) if out.size else 0)
        return out

    def evenly_spaced(self, count: int) -> Int32[np.ndarray, "N n"]:
        """At most `count` windows, evenly spaced over the text: the same ones every time."""
        count = min(count, len(self))
        return self.take(np.linspace(0, len(self) - 1, count).astype(np.int64))

    def shuffle_plan(self, seed: int) -> shuffle.ShufflePlan:
        """The endless order of all windows under a seed, for compiled code."""
        return shuffle.ShufflePlan(self.ids, self.starts, self.cumulative, np.uint64(seed % 2**64))

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
        """The windows at positions first .. first + size - 1 of the shuffle."""
        return read_batch(self.windows, self.seed, first, size)

    @property
    def plan(self) -> shuffle.ShufflePlan:
        """The order of these batches for compiled code."""
        return self.windows.shuffle_plan(self.seed)


def read_batch(windows: Windows, seed: int, first: int, size: int) -> Int32[np.ndarray, "size n"]:
    """The windows at positions first .. first + size - 1; a batch may straddle epochs."""
    if not len(windows):
        raise WordRBMError(
            f"No document holds {windows.n} words in a row; use shorter windows or more text."
        )
    out = np.empty((size, windows.n), np.int32)
    windows.check_ids(shuffle.fill_batch(windows.shuffle_plan(seed), first, out))
    return out
