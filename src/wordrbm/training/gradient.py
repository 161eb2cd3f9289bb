"""One shard's estimate of the gradient: what was read minus what was dreamt.

    d/dtheta log p  ~  sum_b E_{h|v_b}[-dE/dtheta] - (B/M) sum_m E_{h|v~_m}[-dE/dtheta]

with the chains' words v~ moved first and the hidden means taken at the *moved* words
[Dahl 2012, eq. 9]. Both phases are one batch with weights +1 and -B/M, so each product is one.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from wordrbm.models import AbstractRBM, Gradient
from wordrbm.sampling import Chains, Jumps, Transition, TransitionInfo, draw_hidden
from wordrbm.shapes import Stream, Words


class ShardResult(NamedTuple):
    """A shard's gradient (a sum over its windows), its chains after the move, and the report."""

    gradient: Gradient
    chains: Chains
    info: TransitionInfo
    jumped: float  # share of the proposed windows that were taken


def shard_gradient(
    stream: Stream,
    model: AbstractRBM,
    transition: Transition,
    v: Words,
    chains: Chains,
    jumps: Jumps | None = None,
) -> ShardResult:
    """Move the chains, word by word and then by jumps, and compare them with the windows `v`."""
    moved, info = transition(stream, model, chains)
    jumped = 0.0
    if jumps is not None:
        moved, taken = jumps(stream, model, moved)
        jumped = float(taken.mean()) / jumps.count
    both = np.concatenate([v, moved])
    mean = model.hidden_mean(both)
    gradient = model.gradient(both, mean, phase_weights(len(v), len(moved), mean.dtype))
    # Drawn from the means just computed: h ~ P(h | v~) closes this sweep and opens the next.
    return ShardResult(gradient, Chains(moved, draw_hidden(stream, mean[len(v) :])), info, jumped)


def phase_weights(B: int, M: int, dtype: np.dtype[np.floating]) -> Float[np.ndarray, " N"]:
    """+1 for each of B windows read, -B/M for each of M windows dreamt: they balance."""
    weight = np.ones(B + M, dtype)
    weight[B:] = -B / M
    return weight
