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
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.metropolis import walk
from wordrbm.models import AbstractRBM
from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.columns import Columns, ColumnTables
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Hidden, Probability, Scores, Stream, Words


@final
@dataclass(frozen=True, eq=False)
class Metropolis:
    """Independence Metropolis-Hastings: `steps` proposals per word from an alias table."""

    steps: int
    proposal: AliasTable | ColumnTables
    log_q: Float[np.ndarray, " K"]

    @classmethod
    def from_probability(cls, q: Probability, *, steps: int) -> "Metropolis":
        """Propose word k with probability ``q[k]``, for example its corpus frequency."""
        return cls._from_proposal(AliasTable.build(q), steps)

    @classmethod
    def from_columns(cls, columns: Columns, *, steps: int) -> "Metropolis":
        """Propose value k of column i with probability ``columns[i][k]``, at position i only."""
        return cls._from_proposal(ColumnTables.build(columns), steps)

    @classmethod
    def _from_proposal(cls, proposal: AliasTable | ColumnTables, steps: int) -> "Metropolis":
        if steps < 1:
            raise WordRBMError(f"{steps} Metropolis-Hastings steps were asked for, use 1 or more.")
        return cls(steps, proposal, proposal.log_probability())

    def with_steps(self, steps: int) -> "Metropolis":
        """The same with another number of proposals for each word."""
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
        if isinstance(self.proposal, ColumnTables):
            self._walk_columns(stream, self.proposal, table, bias, context, v, accepted)
        else:
            keep, alias = self.proposal.keep, self.proposal.alias
            walk(stream, self.steps, keep, alias, self.log_q, table, bias, context, v, accepted)
        return v, TransitionInfo(accepted, self.steps)

    def _walk_columns(
        self,
        stream: Stream,
        columns: ColumnTables,
        table: Float[np.ndarray, "P K r"],
        bias: Float[np.ndarray, "P K"],
        context: Float[np.ndarray, "B n r"],
        v: Words,
        accepted: Int[np.ndarray, "B n"],
    ) -> None:
        """The same walk, a column at a time, over that column's block of the words."""
        for i, (proposal, words) in enumerate(columns.parts()):
            p, here = min(i, len(table) - 1), slice(i, i + 1)
            value, taken = v[:, here] - words.start, accepted[:, here].copy()
            walk(
                stream, self.steps, proposal.keep, proposal.alias, self.log_q[words],
                table[p : p + 1, words], bias[p : p + 1, words], context[:, here], value, taken,
            )  # fmt: skip
            v[:, here], accepted[:, here] = value + words.start, taken


def log_acceptance(
    model: AbstractRBM, h: Hidden, *, old: Words, new: Words, log_q: Float[np.ndarray, " K"]
) -> Scores:
    """``log a(new <- old)`` at every position, before the cap at zero."""

    def log_weight(v: Words) -> Scores:
        return model.word_score(v, h) - log_q[v]

    return log_weight(new) - log_weight(old)
