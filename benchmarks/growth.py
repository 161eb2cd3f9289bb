"""Time of an update at K over K = 1,000: the update touches the same number of rows at any K.

What is left to grow is the distance to the rows: they leave the processor's caches.
"""

from contextlib import ExitStack
from functools import partial

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, alternate, middle, ratio
from benchmarks.running import made_up, updating


def measure(effort: Effort) -> dict[str, Figure]:
    """A curve over the vocabularies, one thread."""
    with ExitStack() as runs:
        measures = {
            f"K = {K:,}": partial(runs.enter_context(updating(made_up(K))), effort.updates)
            for K in effort.sizes
        }
        rounds = alternate(measures, effort.rounds)
    base = next(iter(measures))
    goal = {f"K = {max(effort.sizes):,}": "≤ 1.25"}
    return {
        name: ratio(
            rounds, name, base, goal=goal.get(name, ""), note=f"{1e3 * middle(rounds, name):.2f} ms"
        )
        for name in measures
    }
