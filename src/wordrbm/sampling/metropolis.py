"""Metropolis-Hastings on the words: propose from a fixed ``q``, accept or stay.

The target of one position is ``P(v_i | h) = exp(s(v_i)) / Z_i``, whose sum over K words is what
makes Gibbs sampling slow. In the acceptance probability

    a(w <- v_i) = min(1, exp(s(w) - s(v_i)) q(v_i) / q(w))             [Dahl 2012, section 4]

that sum cancels, so a step costs O(1) in K when a draw from ``q`` does too. Given h the
positions are independent, so each one walks by itself.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.kernels.walk import walk
from wordrbm.models import AbstractRBM
from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Hidden, Probability, Scores, Stream, Words


@final
@dataclass(frozen=True, eq=False)
class Metropolis:
    """Independence Metropolis-Hastings: `steps` proposals per word from an alias table."""

    steps: int
    proposal: AliasTable
    log_q: Float[np.ndarray, " K"]

    @classmethod
    def from_probability(cls, q: Probability, *, steps: int) -> "Metropolis":
        """Propose word k with probability ``q[k]``, for example its corpus frequency."""
        if steps < 1:
            raise WordRBMError(f"{steps} Metropolis-Hastings steps were asked for, use 1 or more.")
        proposal = AliasTable.build(q)
        return cls(steps, proposal, np.log(proposal.probability()))

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v = chains.v.copy()
        accepted = np.zeros(v.shape, np.int32)
        table, bias, context = model.word_table, model.word_bias, model.word_context(chains.h)
        keep, alias = self.proposal.keep, self.proposal.alias
        walk(stream, self.steps, keep, alias, self.log_q, table, bias, context, v, accepted)
        return v, TransitionInfo(accepted, self.steps)


def log_acceptance(
    model: AbstractRBM, h: Hidden, *, old: Words, new: Words, log_q: Float[np.ndarray, " K"]
) -> Scores:
    """``log a(new <- old)`` at every position, before the cap at zero."""

    def log_weight(v: Words) -> Scores:
        return model.word_score(v, h) - log_q[v]

    return log_weight(new) - log_weight(old)
