"""The operators by name, as a study or a run asks for them.

Proposals by word frequency are the paper's; to a power below one they are flatter, and uniform
ones are there as a warning. They come from pools that 32 chains share; in `paper`, as in the
paper, and by clusters every word has its own. `fine` are more and smaller clusters. `both` is a
call of each in turn.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.models import AbstractRBM
from wordrbm.sampling.clustered import ClusteredMetropolis
from wordrbm.sampling.combined import Cycle
from wordrbm.sampling.metropolis import Metropolis
from wordrbm.sampling.pooled import PooledMetropolis
from wordrbm.sampling.transition import Transition
from wordrbm.shapes import Probability

STEPS, CLUSTER_STEPS = 100, 4
POWER = 0.75
FINE = {"singles": 512, "groups": 1024}

Build = Callable[[AbstractRBM, Probability], Transition]


def flattened(q: Probability, power: float) -> Probability:
    """Word frequencies to a power: 1 leaves them, 0 makes them equal."""
    weight = np.power(q.astype(np.float64), power)
    flat: Probability = weight / weight.sum()
    return flat


def _pooled(power: float) -> Build:
    return lambda model, q: PooledMetropolis.from_probability(flattened(q, power), steps=STEPS)


OPERATORS: Mapping[str, Build] = {
    "unigram": _pooled(1.0),
    "power": _pooled(POWER),
    "uniform": _pooled(0.0),
    "paper": lambda model, q: Metropolis.from_probability(q, steps=STEPS),
    "clusters": lambda model, q: ClusteredMetropolis.of_model(model, q, steps=CLUSTER_STEPS),
    "fine": lambda model, q: ClusteredMetropolis.of_model(model, q, steps=CLUSTER_STEPS, **FINE),
    "both": lambda model, q: Cycle(
        (OPERATORS["unigram"](model, q), OPERATORS["clusters"](model, q))
    ),
}


def operators_named(
    names: Sequence[str], model: AbstractRBM, q: Probability
) -> dict[str, Transition]:
    """Build the named operators for a model as it is now."""
    unknown = [name for name in names if name not in OPERATORS]
    if unknown or not names:
        raise WordRBMError(
            f"{', '.join(unknown) or 'No operator'} was asked for; the operators are "
            f"{', '.join(OPERATORS)}."
        )
    return {name: OPERATORS[name](model, q) for name in names}
