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
from wordrbm.kernels.metropolis import walk
from wordrbm.models import AbstractRBM
from wordrbm.sampling.proposals import AliasTable, ColumnProposals, Columns, Proposal
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Hidden, Probability, Scores, Stream, Words


@final
@dataclass(frozen=True, eq=False)
class Metropolis:
    """Independence Metropolis-Hastings: `steps` proposals per word from an alias table."""

    steps: int
    proposal: Proposal
    log_q: Float[np.ndarray, " K"]

    @classmethod
    def from_probability(cls, q: Probability, *, steps: int) -> "Metropolis":
        """Propose word k with probability ``q[k]``, for example its corpus frequency."""
        return cls._from_proposal(AliasTable.build(q), steps)

    @classmethod
    def from_columns(cls, columns: Columns, *, steps: int) -> "Metropolis":
        """Propose value k of column i with probability ``columns[i][k]``, at position i only."""
        return cls._from_proposal(ColumnProposals.build(columns), steps)

    @classmethod
    def _from_proposal(cls, proposal: Proposal, steps: int) -> "Metropolis":
        if steps < 1:
            raise WordRBMError(f"{steps} Metropolis-Hastings steps were asked for, use 1 or more.")
        return cls(steps, proposal, proposal.log_probability())

    def with_steps(self, steps: int) -> "Metropolis":
        """This operator with another number of proposals for each word."""
        return self._from_proposal(self.proposal, steps)

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q`` of every word, whatever the context."""
        return self.log_q

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v = chains.v.copy()
        accepted = np.zeros(v.shape, np.int32)
        table, bias, context = model.word_table, model.word_bias, model.word_context(chains.h)
        for part, positions, words in self.proposal.parts(v.shape[1]):
            tables = positions if len(table) > 1 else slice(0, 1)
            moved, taken = v[:, positions] - words.start, accepted[:, positions].copy()
            walk(
                stream, self.steps, part.keep, part.alias, self.log_q[words],
                table[tables, words], bias[tables, words], context[:, positions], moved, taken,
            )  # fmt: skip
            v[:, positions], accepted[:, positions] = moved + words.start, taken
        return v, TransitionInfo(accepted, self.steps)


def log_acceptance(
    model: AbstractRBM, h: Hidden, *, old: Words, new: Words, log_q: Float[np.ndarray, " K"]
) -> Scores:
    """``log a(new <- old)`` at every position, before the cap at zero."""

    def log_weight(v: Words) -> Scores:
        return model.word_score(v, h) - log_q[v]

    return log_weight(new) - log_weight(old)
