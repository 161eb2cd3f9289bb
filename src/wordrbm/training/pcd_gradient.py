"""One shard's estimate of the gradient: the positive phase minus the negative phase.

    d/dtheta log p  ~  sum_b E_{h|v_b}[-dE/dtheta] - (B/M) sum_m weight_m E_{h|v~_m}[-dE/dtheta]

with the chains' words v~ moved first and the hidden means taken at the *moved* words
[Dahl 2012, eq. 9]. Without jumps the v~ are the M chains, each of weight 1; with jumps the windows
proposed are among them (`sampling/jumps.py`). Ranking (`ranking.py`) adds windows that differ from
those read in one word. All of them are one batch, so each product is one.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from wordrbm.kernels.ranking import Candidates
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.sampling import Chains, Jumps, Transition, TransitionInfo, draw_hidden
from wordrbm.shapes import Stream, Words
from wordrbm.training.ranking import rank_words


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
    candidates: Candidates | None = None,
) -> ShardResult:
    """Move the chains, word by word and then by jumps, and compare them with the windows `v`."""
    B, M = len(v), len(chains.v)
    moved, info = transition(stream, model, chains)
    windows, weight, jumped = np.concatenate([v, moved]), np.ones(M), 0.0
    if jumps is not None:
        moved, accepted, pool, weight = jumps(stream, model, moved)
        windows = np.concatenate([v, moved, pool])
        jumped = float(accepted.mean()) / jumps.count
    phase = phase_weights(B, weight * (B / M), model.c.dtype)
    if candidates is not None and candidates.size:
        ranked = rank_words(stream, model, candidates, v)
        windows = np.concatenate([windows, ranked.windows])
        phase = np.concatenate([phase, ranked.weight.astype(phase.dtype)])
        phase[:B] += ranked.read.astype(phase.dtype)
    mean = model.hidden_mean(windows)
    # Drawn from the means just computed: h ~ P(h | v~) closes this sweep and opens the next.
    h = draw_hidden(stream, mean[B : B + M])
    weighted = phase != 0.0
    gradient = model.gradient(windows[weighted], mean[weighted], phase[weighted])
    return ShardResult(gradient, Chains(moved, h), info, jumped)


def phase_weights(
    B: int, negative: Float[np.ndarray, " M"], dtype: np.dtype[np.floating]
) -> Float[np.ndarray, " N"]:
    """+1 for each of B windows read, and minus the weights of the negative phase."""
    return np.concatenate([np.ones(B), -negative]).astype(dtype)
