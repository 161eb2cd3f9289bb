"""The one idea every sampler shares: a transition operator on the words.

An operator takes words ``v`` and hidden states ``h`` and returns new words. Its contract is that
it leaves ``P(v | h)`` unchanged; nothing else is required. Drawing exactly from ``P(v | h)`` is one
such operator (`gibbs.py`, O(K) per word), and Metropolis-Hastings is another (`metropolis.py`,
free of K).
"""

from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.rng import fill_bernoulli
from wordrbm.models import AbstractRBM
from wordrbm.shapes import Hidden, Stream, Words


class Chains(NamedTuple):
    """The states of B Markov chains: all that is carried from one step to the next."""

    v: Words
    h: Hidden


class TransitionInfo(NamedTuple):
    """What one step did. For logs and diagnostics; never fed back into the chain."""

    accepted: Int[np.ndarray, "B n"]  # proposals taken, per word
    proposed: int  # proposals made, per word


TransitionResult: TypeAlias = tuple[Words, TransitionInfo]


@runtime_checkable
class Transition(Protocol):
    """Moves every word of every chain, leaving ``P(v | h)`` unchanged."""

    def __call__(self, stream: Stream, model: AbstractRBM, chains: Chains) -> TransitionResult: ...


@runtime_checkable
class IndependenceTransition(Transition, Protocol):
    """An operator whose proposals look at h alone, never at the word in place."""

    @property
    def steps(self) -> int: ...

    def with_steps(self, steps: int) -> "IndependenceTransition":
        """This operator with another number of proposals for each word."""
        ...

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q(w | h)`` of every word of a table at a position with this context, O(K)."""
        ...


def draw_hidden(stream: Stream, mean: Hidden) -> Hidden:
    """``h_j ~ Bernoulli(mean_j)``, independently."""
    mean = np.ascontiguousarray(mean)  # the draws go through memory in order
    h = np.empty_like(mean)
    fill_bernoulli(stream, mean, h)
    return h


def sweep(
    stream: Stream, model: AbstractRBM, transition: Transition, chains: Chains
) -> tuple[Chains, TransitionInfo]:
    """One alternation: move ``v`` given ``h``, then draw ``h ~ P(h | v)`` exactly."""
    v, info = transition(stream, model, chains)
    return Chains(v, draw_hidden(stream, model.hidden_mean(v))), info
