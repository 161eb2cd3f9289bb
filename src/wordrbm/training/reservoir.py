"""The windows that jumps are proposed from: some read lately, renewed as the run goes on.

To renew them costs as much as to read them, so they are kept for four times as long as it took to
read them. The reservoir is a function of the step alone, for the order of the data is: there is
nothing to save in a checkpoint.
"""

from dataclasses import dataclass
from typing import final

from wordrbm.kernels.jumps import WordTables
from wordrbm.sampling import Jumps, Reservoir
from wordrbm.training.batches import Batches
from wordrbm.training.settings import TrainingSettings

RENEWAL = 4  # times the updates in which the windows were read


@final
@dataclass(eq=False)
class RecentWindows:
    """Jumps to windows read lately, renewed after so many updates."""

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
    """The jumps that the settings ask for; none where they ask for none."""
    if not settings.jumps:
        return None
    B = settings.batch_size
    period = max(1, RENEWAL * settings.reservoir // B)
    reservoir = Reservoir.build(batches(0, settings.reservoir), words)
    return RecentWindows(Jumps(reservoir, settings.jumps), batches, period, B)
