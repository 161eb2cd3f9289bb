"""Windows a second on two threads over one, and on four where there are four processors."""

from contextlib import ExitStack
from functools import partial

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, alternate, middle, ratio
from benchmarks.running import ENDLESS, made_up, updating
from wordrbm.processors import cores

GOALS = {2: "≥ 1.8"}


def measure(effort: Effort) -> dict[str, Figure]:
    """The time on one thread over the time on more."""
    text = made_up(effort.K)
    counts = [count for count in (1, 2, 4) if count <= max(cores(), 2)]
    with ExitStack() as runs:
        measures = {
            str(count): partial(runs.enter_context(updating(text, threads=count)), effort.updates)
            for count in counts
        }
        rounds = alternate(measures, effort.rounds)
    return {
        f"{count} threads over 1": ratio(
            rounds,
            "1",
            str(count),
            goal=GOALS.get(count, ""),
            note=f"{ENDLESS.batch_size / middle(rounds, str(count)):,.0f} windows/s",
        )
        for count in counts[1:]
    }
