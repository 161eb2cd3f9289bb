"""Runs of several processes in exact and in periodic mode, and what their ranks send."""

from functools import partial
from typing import Any

from benchmarks.running import ENDLESS, Text
from benchmarks.volume import bytes_sent, endless_run
from wordrbm.training.exchange import ExactExchange
from wordrbm.training.local_training import AveragingSchedule, RankBatches, rank_settings
from wordrbm.training.periodic import PeriodicExchange

K = 100_000
PERIODS = {"exact": 1, "periodic, N = 100": 100, "periodic, N = 400": 400}  # updates
MODES = tuple(PERIODS)


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
    exchange = PeriodicExchange(transport, AveragingSchedule(every))
    settings = rank_settings(ENDLESS, transport.rank, transport.world)
    batches = RankBatches(text.batches, transport.rank, transport.world, settings.batch_size)
    return endless_run(text._replace(batches=batches), settings, exchange)


def bytes_of(mode: str, world: int, text: Text) -> float:
    """What a rank sends in an update, the mean over a whole period."""
    updates = AveragingSchedule(PERIODS[mode]).longest if mode != "exact" else 5
    return bytes_sent(world, updates, partial(updates_of, mode, text=text))
