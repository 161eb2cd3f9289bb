"""What each rank of periodic mode does between averages: its settings, its batches, its intervals.

W ranks that are averaged make W times fewer updates than one process that reads as much text, and
their mean has W times less noise. Both speak for smaller batches: an update of a rank is its share
of one of exact mode, but no less than a shard. Up to S ranks with S shards make as many updates as
one process.
"""

from typing import final

import numpy as np

from wordrbm.shapes import Words
from wordrbm.training.batches import Batches
from wordrbm.training.settings import TrainingSettings

SEED_STRIDE = 0x9E3779B97F4A7C15  # ranks of one run, and of runs with near seeds, differ
FIRST_INTERVAL = 4  # updates between two averages
GROWTH = 0.02  # of the updates made so far
SCHEDULE = 3  # raised when intervals, batches or shards of ranks change: runs cannot go on with it


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
    """After which updates ranks are averaged: often at first, in the end after `every` updates.

    Ranks drift apart fastest in the first updates. An interval is a share of the updates made so
    far, so it is a function of the update's number, and a resumed run goes on with the same:

        step[k + 1] = step[k] + min(every, max(FIRST_INTERVAL, GROWTH step[k]))
    """

    def __init__(self, every: int) -> None:
        self._every, steps = every, [0]
        while not steps[1:] or steps[-1] - steps[-2] < every:
            interval = max(FIRST_INTERVAL, round(GROWTH * steps[-1]))
            steps.append(steps[-1] + min(every, interval))
        self._growing, self._last = frozenset(steps[1:]), steps[-1]

    def is_due(self, step: int) -> bool:
        """Whether ranks are averaged after this update, counted from 1."""
        if step <= self._last:
            return step in self._growing
        return (step - self._last) % self._every == 0


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
