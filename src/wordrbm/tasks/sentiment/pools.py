"""From the energies of a document's windows to a few numbers: the mean, and others beside it.

A window's energies are first taken from their mean over the classes, so that what is said is which
class it fits, not how rare its words are; only the plain mean keeps the energies as they are.
"""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float64

WIDTH = 4.0  # nats of difference from which on more of it counts for less
TAIL = 0.1  # of the windows, the most telling ones

Windows = Float64[np.ndarray, "W C"]
Pooled = Float64[np.ndarray, " C"]


def squashed(apart: Windows) -> Pooled:
    """A few windows with great differences do not decide alone."""
    return np.asarray(np.tanh(apart / WIDTH).mean(axis=0))


def upper(apart: Windows) -> Pooled:
    """The mean of the highest tenth, class by class: what speaks most against each."""
    count = max(1, round(TAIL * len(apart)))
    return np.asarray(np.sort(apart, axis=0)[-count:].mean(axis=0))


POOLS: Mapping[str, Callable[[Windows], Pooled]] = {"squashed": squashed, "upper": upper}


def pooled(energies: Windows) -> dict[str, Pooled]:
    """Every pool of one document."""
    apart = energies - energies.mean(axis=1, keepdims=True)
    return {"mean": energies.mean(axis=0)} | {name: pool(apart) for name, pool in POOLS.items()}
