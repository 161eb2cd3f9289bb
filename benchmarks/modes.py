"""Runs of several processes in exact and in periodic mode, and what their ranks send.

Over a whole run of periodic mode a rank sends more than once intervals have grown. With V(I) the
bytes that it sends at an average after I updates, counted for some I and interpolated linearly,

    bytes an update = sum_k V(I_k) / sum_k I_k

over the intervals I_1, I_2, .. of `AveragingSchedule` in a run of so many windows.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.running import ENDLESS, Text
from benchmarks.volume import bytes_sent, endless_run
from wordrbm.training.exchange import ExactExchange
from wordrbm.training.local_training import AveragingSchedule, RankBatches, rank_settings
from wordrbm.training.periodic import PeriodicExchange

K = 100_000
PERIODS = {"exact": 1, "periodic, N = 100": 100, "periodic, N = 400": 400}  # updates
MODES = tuple(PERIODS)
COUNTED_INTERVALS = (4, 12, 25, 50, 100, 200, 400)  # updates
RUN_WINDOWS = 50_000_000


def windows_read(mode: str, world: int) -> float:
    """How much text an update of all ranks reads, over that of one process."""
    if mode == "exact":
        return 1.0
    return world * rank_settings(ENDLESS, 0, world).batch_size / ENDLESS.batch_size


def updates_of(mode: str, transport: Any, text: Text) -> Any:
    """An endless run of a rank; exact mode has a shard for every rank."""
    if mode != "exact":
        return periodic_updates(PERIODS[mode], transport, text)
    exchange = ExactExchange(transport) if transport.world > 1 else None
    shards = max(ENDLESS.shards, transport.world)
    return endless_run(text, ENDLESS.model_copy(update={"shards": shards}), exchange)


def periodic_updates(every: int, transport: Any, text: Text) -> Any:
    """An endless run of a rank that is averaged with the others after so many updates."""
    exchange = PeriodicExchange(transport, lambda step: step % every == 0)
    settings = rank_settings(ENDLESS, transport.rank, transport.world)
    batches = RankBatches(text.batches, transport.rank, transport.world, settings.batch_size)
    return endless_run(text._replace(batches=batches), settings, exchange)


def bytes_of_averages(world: int, text: Text) -> dict[int, float]:
    """What a rank sends at an average, by the updates made since the last."""
    return {
        every: every * bytes_sent(world, every, partial(periodic_updates, every, text=text))
        for every in COUNTED_INTERVALS
    }


def bytes_over_run(every: int, world: int, average_bytes: Mapping[int, float]) -> float:
    """What a rank sends in an update, the mean over a whole run."""
    schedule, settings = AveragingSchedule(every), rank_settings(ENDLESS, 0, world)
    updates = RUN_WINDOWS // (world * settings.batch_size)
    due = [step for step in range(1, updates + 1) if schedule.is_due(step)]
    sent = np.interp(np.diff([0, *due]), list(average_bytes), list(average_bytes.values()))
    return float(sent.sum()) / due[-1]
