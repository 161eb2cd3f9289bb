"""What each rank of periodic mode does between averages: its settings, its batches, its intervals.

W ranks that are averaged make W times fewer updates than one process that reads as much text, and
their mean has W times less noise. Both speak for smaller batches: an update of a rank is its share
of one of exact mode, but no less than a shard. Up to S ranks with S shards make as many updates as
one process.
"""

from collections.abc import Callable
from typing import final

import numpy as np

from wordrbm.shapes import Array, Words
from wordrbm.training.batches import Batches
from wordrbm.training.optimizer import FREQUENCY_EXPONENT
from wordrbm.training.settings import TrainingSettings

SEED_STRIDE = 0x9E3779B97F4A7C15  # ranks of one run, and of runs with near seeds, differ
DOUBLINGS = 4  # of the interval between merges, from frequent to rare rows
TARGET = 2.0  # occurrences of a word at a rank between two merges of its row
OCCURRENCES_PER_READ = 2.0  # by default chains and candidates have as many words as a batch
SCHEDULE = 4  # raised when intervals, batches or the merging of rows change: runs cannot go on


def rank_settings(settings: TrainingSettings, rank: int, world: int) -> TrainingSettings:
    """The settings of the updates that one of `world` ranks makes, with a seed of its own."""
    shards = max(1, round(settings.shards / world))
    batch_size, chains = (
        count // settings.shards * shards for count in (settings.batch_size, settings.chains)
    )
    updates = -(-settings.windows // (batch_size * world))
    changes = {
        "batch_size": batch_size,
        "chains": chains,
        "shards": shards,
        "windows": updates * batch_size,
        "seed": (settings.seed + rank * SEED_STRIDE) % 2**63,
    }
    return settings.model_copy(update=changes)


@final
class AveragingSchedule:
    """After which updates the ranks are averaged: rows of frequent words more often than others.

    There is an exchange after every `base` updates. A row of level l is merged at every 2^l-th of
    them, one of the last level after `every` updates at most, and all before a score. The level of
    a row is the highest at which its word is expected to occur at a rank no more than `TARGET`
    times in between, or 0: so no rank's copy is far out of date, and few rows are sent.
    """

    def __init__(
        self, every: int, is_score_due: Callable[[int], bool] = lambda step: False
    ) -> None:
        self._last = min(DOUBLINGS, every.bit_length() - 1)  # level
        self.base, self._is_score_due = every >> self._last, is_score_due
        self.longest = self.base << self._last  # updates between merges of rows of the last level

    def levels_due(self, step: int) -> int:
        """How many levels are merged after this update, counted from 1."""
        if self._is_score_due(step):
            return self._last + 1
        exchange, rest = divmod(step, self.base)
        return 0 if rest else min(self._last + 1, (exchange & -exchange).bit_length())

    def is_complete(self, step: int) -> bool:
        """Whether all levels are merged after this update: all ranks are the same then."""
        return self.levels_due(step) > self._last

    def row_levels(self, rate_scale: Array) -> Array:
        """The level of each row, by the factors on its learning rate; O(K)."""
        read = rate_scale.astype(np.float64) ** (1.0 / FREQUENCY_EXPONENT) - 1.0
        between = TARGET / np.maximum(self.base * OCCURRENCES_PER_READ * read, 1e-12)
        level = np.floor(np.log2(np.maximum(between, 1.0)))
        return np.minimum(level, self._last).astype(np.int64)


@final
class RankBatches:
    """Every world-th batch of a run, beginning with that of this rank."""

    def __init__(self, batches: Batches, rank: int, world: int, batch_size: int) -> None:
        self._batches, self._rank, self._world, self._size = batches, rank, world, batch_size

    def __call__(self, first: int, size: int) -> Words:
        """The windows at positions first .. first + size - 1 of those that this rank reads."""
        parts, B = [], self._size
        while size > 0:
            block, place = divmod(first, B)
            count = min(size, B - place)
            start = (block * self._world + self._rank) * B + place
            parts.append(self._batches(start, count))
            first, size = first + count, size - count
        return np.concatenate(parts)
