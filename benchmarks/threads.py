"""Windows a second on two threads over one, and on four where there are four processors.

Beside it what the machine has to give: two runs on one thread each that share nothing and never
wait for one another, at the same time, over one alone.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, alternate, middle, ratio
from benchmarks.running import ENDLESS, Updates, made_up, seconds, updating
from wordrbm.threads import available_cores

GOALS = {2: "≥ 1.8"}
APART = "2 runs apart"


def measure(effort: Effort) -> dict[str, Figure]:
    """The time on one thread over the time on more."""
    text = made_up(effort.K)
    counts = [count for count in (1, 2, 4) if count <= max(available_cores(), 2)]
    with ExitStack() as runs:
        measures: dict[str, Callable[[], float]] = {
            str(count): partial(runs.enter_context(updating(text, threads=count)), effort.updates)
            for count in counts
        }
        pair = [runs.enter_context(updating(text)) for _ in range(2)]
        measures[APART] = partial(apart, pair, effort.updates)
        rounds = alternate(measures, effort.rounds)
    figures = {f"{count} threads over 1": told(rounds, str(count)) for count in counts[1:]}
    figures[f"{APART} over 1"] = told(rounds, APART)
    return figures


def told(rounds: list[dict[str, float]], name: str) -> Figure:
    """One ratio, with the speed it stands for."""
    speed = ENDLESS.batch_size / middle(rounds, name)
    goal = GOALS.get(int(name), "") if name.isdecimal() else ""
    return ratio(rounds, "1", name, goal=goal, note=f"{speed:,.0f} windows/s")


def apart(pair: list[Updates], updates: int) -> float:
    """Seconds of an update when runs are made side by side, each by a thread of its own."""
    with ThreadPoolExecutor(len(pair)) as pool:
        return seconds(lambda: list(pool.map(lambda run: run(updates), pair))) / (
            updates * len(pair)
        )
