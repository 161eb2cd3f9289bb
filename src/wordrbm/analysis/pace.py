"""How many steps of each operator take the same time, measured side by side.

A call has a part that every step adds to and a part that it does not, so each operator is timed
with one step and with very many, in rounds that alternate, and a line is drawn.
"""

import time
from collections.abc import Callable, Mapping

import numpy as np

from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, Independence, draw_hidden
from wordrbm.shapes import Words
from wordrbm.threads import one_blas_thread

CHAINS, ROUNDS, MANY = 512, 9, 1000


def steps_in_the_same_time(
    model: AbstractRBM, operators: Mapping[str, Independence], windows: Words
) -> dict[str, int]:
    """Steps of every operator that fit into a call of the first one; zero if not one does."""
    if not operators:
        return {}
    v = windows[np.arange(CHAINS) % len(windows)]
    chains = Chains(v, draw_hidden(seed_stream(0, 0, 0), model.hidden_mean(v)))
    timed = {
        (name, steps): operator.with_steps(steps)
        for name, operator in operators.items()
        for steps in (1, max(MANY, operator.steps))
    }
    with one_blas_thread():  # as in an update
        seconds = _times(model, timed, chains)
    first = next(iter(operators))
    whole = _line(seconds, first)(operators[first].steps)
    fitting = {name: int(_steps(seconds, name, whole) + 1e-6) for name in operators}
    return fitting | {first: operators[first].steps}


def _line(seconds: Mapping[tuple[str, int], float], name: str) -> Callable[[int], float]:
    """The seconds of a call with so many steps."""
    (least, once), (most, often) = _ends(seconds, name)
    return lambda steps: once + (steps - least) * (often - once) / (most - least)


def _steps(seconds: Mapping[tuple[str, int], float], name: str, whole: float) -> float:
    """Steps that fit into a time; none when not one does, or when no step seems to take time."""
    (least, once), (most, often) = _ends(seconds, name)
    if whole < once or often <= once:
        return 0.0
    return least + (whole - once) * (most - least) / (often - once)


def _ends(
    seconds: Mapping[tuple[str, int], float], name: str
) -> tuple[tuple[int, float], tuple[int, float]]:
    least, most = sorted((steps, spent) for (one, steps), spent in seconds.items() if one == name)
    return least, most


def _times(
    model: AbstractRBM, timed: Mapping[tuple[str, int], Independence], chains: Chains
) -> dict[tuple[str, int], float]:
    """The fewest seconds of a call of each: what disturbs a machine only ever slows it."""
    spent: dict[tuple[str, int], list[float]] = {key: [] for key in timed}
    for round_ in range(ROUNDS + 1):
        for key, operator in timed.items():
            began = time.perf_counter()
            operator(seed_stream(0, round_, 1), model, chains)
            spent[key].append(time.perf_counter() - began)
    return {key: min(times[1:]) for key, times in spent.items()}  # the first one compiles
