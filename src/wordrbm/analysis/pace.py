"""How many steps of each operator take the same time, measured side by side.

A call has a part that every step adds to and a part that it does not, so each operator is timed
with one step and with its own number of them, in rounds that alternate, and a line is drawn.
"""

import time
from collections.abc import Mapping
from statistics import median

import numpy as np

from wordrbm.kernels.stream import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, Independence, draw_hidden
from wordrbm.shapes import Words

CHAINS, ROUNDS = 512, 9


def steps_in_the_same_time(
    model: AbstractRBM, operators: Mapping[str, Independence], windows: Words
) -> dict[str, int]:
    """Steps of every operator that fit into a call of the first one; zero if not one does."""
    v = windows[np.arange(CHAINS) % len(windows)]
    chains = Chains(v, draw_hidden(seed_stream(0, 0, 0), model.hidden_mean(v)))
    timed = {
        (name, steps): operator.with_steps(steps)
        for name, operator in operators.items()
        for steps in (1, max(2, operator.steps))
    }
    seconds = _times(model, timed, chains)
    if not operators:
        return {}
    first = next(iter(operators))
    whole = seconds[first, max(2, operators[first].steps)]
    return {name: _fitting(seconds, name, whole) for name in operators}


def _fitting(seconds: Mapping[tuple[str, int], float], name: str, whole: float) -> int:
    (least, once), (most, often) = sorted(
        (steps, spent) for (one, steps), spent in seconds.items() if one == name
    )
    each = max((often - once) / (most - least), 1e-12)
    return max(0, int(least + (whole - once) / each + 1e-9))


def _times(
    model: AbstractRBM, timed: Mapping[tuple[str, int], Independence], chains: Chains
) -> dict[tuple[str, int], float]:
    """The median seconds of a call of each."""
    spent: dict[tuple[str, int], list[float]] = {key: [] for key in timed}
    for round_ in range(ROUNDS + 1):
        for key, operator in timed.items():
            began = time.perf_counter()
            operator(seed_stream(0, round_, 1), model, chains)
            spent[key].append(time.perf_counter() - began)
    return {key: median(times[1:]) for key, times in spent.items()}  # the first one compiles
