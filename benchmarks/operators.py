"""Time of a whole update with other ways to move the words, over the default update.

Exact Gibbs sampling scores all K words, as fast as matrix products allow (`sampling/gibbs.py`).
Plain Metropolis-Hastings draws its proposals one by one. All other work of the update is the
same, on one thread. The paper's procedure has neither jumps nor averages.
"""

from contextlib import ExitStack
from functools import partial

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, alternate, middle, ratio
from benchmarks.running import ENDLESS, PAPER, Operator, made_up, pooled, updating
from wordrbm.sampling import Gibbs, Metropolis

one_by_one: Operator = partial(Metropolis.from_probability, steps=ENDLESS.mh_steps)
FREE_OF_K: dict[str, Operator] = {"default": pooled, "proposals drawn one by one": one_by_one}
EXACT: dict[str, Operator] = {"exact Gibbs": lambda q: Gibbs()}
GOALS = {"exact Gibbs": "≥ 100", "paper's procedure": "≥ 0.8"}


def measure(effort: Effort) -> dict[str, Figure]:
    """Every operator over the default one; a Gibbs update is long enough to be timed alone."""
    with ExitStack() as runs:
        text = made_up(effort.K)
        measures = {
            name: partial(runs.enter_context(updating(text, operator)), count)
            for operators, count in [(FREE_OF_K, effort.updates), (EXACT, 1)]
            for name, operator in operators.items()
        }
        paper = runs.enter_context(updating(text, settings=PAPER))
        measures["paper's procedure"] = partial(paper, effort.updates)
        rounds = alternate(measures, effort.rounds)
    notes = {name: f"K = {effort.K:,}, {1e3 * middle(rounds, name):.2f} ms" for name in measures}
    return {
        name: ratio(rounds, name, "default", goal=GOALS.get(name, ""), note=notes[name])
        for name in measures
        if name != "default"
    }
