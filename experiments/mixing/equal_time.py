"""How many steps of each operator take equal time, measured side by side.

A call has a cost that grows with its steps and one that does not, so each operator is timed with
one step and with very many, in rounds that alternate, and the time is interpolated linearly.
"""

import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, IndependenceTransition, draw_hidden
from wordrbm.shapes import Words
from wordrbm.threads import one_blas_thread

CHAINS, ROUNDS, MANY_STEPS = 512, 9, 1000


class CallTime(NamedTuple):
    """Seconds of a call with few and with many steps."""

    few: int
    few_seconds: float
    many: int
    many_seconds: float

    def seconds(self, steps: int) -> float:
        """Seconds of a call with so many steps."""
        slope = (self.many_seconds - self.few_seconds) / (self.many - self.few)
        return self.few_seconds + (steps - self.few) * slope

    def steps_in(self, seconds: float) -> int:
        """Steps that fit into a time; 0 when not one does, or when no step seems to take time."""
        if seconds < self.few_seconds or self.many_seconds <= self.few_seconds:
            return 0
        per_second = (self.many - self.few) / (self.many_seconds - self.few_seconds)
        return int(self.few + (seconds - self.few_seconds) * per_second + 1e-6)


def steps_at_equal_time(
    model: AbstractRBM, operators: Mapping[str, IndependenceTransition], windows: Words
) -> dict[str, int]:
    """Steps of every operator that fit into a call of the first one; zero if not one does."""
    v = windows[np.arange(CHAINS) % len(windows)]
    chains = Chains(v, draw_hidden(seed_stream(0, 0, 0), model.hidden_mean(v)))
    with one_blas_thread():  # as in an update
        times = measure_calls(model, operators, chains)
    first = next(iter(operators))
    budget = times[first].seconds(operators[first].steps)
    steps = {name: times[name].steps_in(budget) for name in operators}
    return steps | {first: operators[first].steps}


def measure_calls(
    model: AbstractRBM, operators: Mapping[str, IndependenceTransition], chains: Chains
) -> dict[str, CallTime]:
    """The fewest seconds of a call of each: whatever disturbs a machine only slows it."""
    sizes = {name: (1, max(MANY_STEPS, operator.steps)) for name, operator in operators.items()}
    calls = {
        (name, steps): operators[name].with_steps(steps)
        for name, few_and_many in sizes.items()
        for steps in few_and_many
    }
    seconds: dict[tuple[str, int], list[float]] = {call: [] for call in calls}
    for number in range(ROUNDS + 1):
        for call, operator in calls.items():
            began = time.perf_counter()
            operator(seed_stream(0, number, 1), model, chains)
            seconds[call].append(time.perf_counter() - began)
    fewest = {call: min(times[1:]) for call, times in seconds.items()}  # the first one compiles
    return {
        name: CallTime(few, fewest[name, few], many, fewest[name, many])
        for name, (few, many) in sizes.items()
    }
