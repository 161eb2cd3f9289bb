"""The windows that jumps are proposed from: those read lately, renewed as the run goes on.

A window that was just learnt is where the model's mass may have run ahead of the chains, so each
window read is proposed again soon after. The reservoir is a function of the step alone, for the
order of the data is: there is nothing to save in a checkpoint.
"""

from dataclasses import dataclass
from typing import final

from wordrbm.kernels.jumps import WordTables
from wordrbm.sampling import Jumps, Reservoir
from wordrbm.training.batches import Batches
from wordrbm.training.settings import TrainingSettings


@final
@dataclass(eq=False)
class RecentWindows:
    """Jumps to the windows of some updates before, renewed after as many updates."""

    jumps: Jumps
    batches: Batches
    period: int  # updates between renewals
    batch_size: int
    block: int = -1  # which renewal the reservoir holds

    def at(self, step: int) -> Jumps:
        """The jumps of an update: to the windows of the `period` updates before its block."""
        block = step // self.period
        if block != self.block:
            first = max(0, block - 1) * self.period * self.batch_size
            reservoir = self.jumps.reservoir
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
    period = max(1, settings.reservoir // B)
    reservoir = Reservoir.build(batches(0, period * B), words)
    return RecentWindows(Jumps(reservoir, settings.jumps), batches, period, B)
