"""The windows of a run: where batches come from, and the recent windows that jumps propose.

The reservoir of recent windows is refilled as the run goes on. A refill costs as much as reading
its windows, so a reservoir is used for four times as many updates as it took to read it. It is a
function of the step alone, as the order of the data is: a checkpoint need not store it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, final, runtime_checkable

from wordrbm.kernels.bigrams import WordTables
from wordrbm.kernels.shuffle import ShufflePlan
from wordrbm.sampling import Jumps, Reservoir
from wordrbm.shapes import Words
from wordrbm.training.settings import TrainingSettings

RENEWAL = 4  # times the updates in which the windows were read

Batches: TypeAlias = Callable[[int, int], Words]  # (first, size) -> that many windows


@runtime_checkable
class HasShufflePlan(Protocol):
    """Batches that compiled code can read by itself."""

    @property
    def plan(self) -> ShufflePlan: ...


@final
@dataclass(eq=False)
class RecentWindows:
    """Jumps to recently read windows, renewed every `period` updates."""

    jumps: Jumps
    batches: Batches
    period: int  # updates between renewals
    batch_size: int
    block: int = 0  # which renewal the reservoir holds

    def at(self, step: int) -> Jumps:
        """The jumps of an update: to the windows read just before its block.

        In the first block they are the first windows that will be read.
        """
        block, reservoir = step // self.period, self.jumps.reservoir
        if block != self.block:
            first = max(0, block * self.period * self.batch_size - reservoir.size)
            reservoir.refill(self.batches(first, reservoir.size))
            self.block = block
        return self.jumps


def recent_windows(
    batches: Batches, words: WordTables, settings: TrainingSettings
) -> RecentWindows | None:
    """The jumps of these settings; None without jumps."""
    if not settings.jumps:
        return None
    B = settings.batch_size
    period = max(1, RENEWAL * settings.reservoir // B)
    stored = batches(0, settings.reservoir)
    reservoir = Reservoir.build(stored, words, bigram_share=settings.bigram_share)
    return RecentWindows(Jumps(reservoir, settings.jumps), batches, period, B)
