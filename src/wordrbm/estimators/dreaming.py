"""Rows that a model dreams up: its chains, moved on until they have forgotten where they stood.

Every row has a chain of its own, with proposals of its own [Dahl 2012, section 4]: rows that
start from the same persistent chain part ways in the first sweep.
"""

import numpy as np

from wordrbm.estimators.learning import Learner
from wordrbm.kernels.rng import seed_stream
from wordrbm.sampling import Chains, Metropolis, sweep
from wordrbm.shapes import Words


def dream(learner: Learner, chains: Chains, rows: int, sweeps: int, seed: int) -> Words:
    """So many rows, each the end of a chain of so many sweeps."""
    pooled, stream = learner.transition, seed_stream(seed, 0, 0)
    alone = Metropolis(pooled.steps, pooled.proposal, pooled.log_q)
    start = np.random.default_rng(seed).permutation(max(rows, len(chains.v)))[:rows]
    begun = Chains(*(part[start % len(chains.v)] for part in chains))
    for _ in range(sweeps):
        begun, _ = sweep(stream, learner.rbm, alone, begun)
    return begun.v
