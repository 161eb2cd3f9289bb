"""Metropolis-Hastings on the words: propose from a fixed ``q``, accept or stay.

The target of one position is ``P(v_i | h) = exp(s(v_i)) / Z_i``, whose sum over K words is what
makes Gibbs sampling slow. In the acceptance probability

    a(w <- v_i) = min(1, exp(s(w) - s(v_i)) q(v_i) / q(w))             [Dahl 2012, section 4]

that sum cancels, so a step costs O(1) in K when a draw from ``q`` does too. Given h the
positions are independent, so each one moves by itself.

Proposals do not depend on the chain, so they can be drawn ahead (`PooledMetropolis`). For each
position a pool of proposals is drawn from q, its rows are gathered once and scored for up to 32
chains by one matrix product; each word is then offered `steps` distinct entries of its position's
pool, in an order of its own. Distinct entries are independent draws from q, and the positions of a
window use different pools, so every chain by itself makes exactly the moves of `Metropolis`. Only
chains that share a pool are coupled: that changes the variance of a gradient, not its mean.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.metropolis import (
    CHAINS_PER_POOL,
    WordWeights,
    current_weights,
    gather_pool,
    run_metropolis,
    run_pooled,
)
from wordrbm.models import AbstractRBM
from wordrbm.sampling.proposals import AliasTable, ColumnProposals, Columns, Proposal
from wordrbm.sampling.transition import Chains, TransitionInfo, TransitionResult
from wordrbm.shapes import Contexts, Probability, Stream, Words


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
            raise WordRBMError(f"There are {steps} Metropolis-Hastings steps; use 1 or more.")
        return cls(steps, proposal, proposal.log_probability())

    def with_steps(self, steps: int) -> "Metropolis":
        """This operator with another number of proposals for each word."""
        return self._from_proposal(self.proposal, steps)

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q`` of every word, whatever the context."""
        return self.log_q

    def __call__(self, stream: Stream, model: AbstractRBM, chains: Chains) -> TransitionResult:
        v = chains.v.copy()
        accepted = np.zeros(v.shape, np.int32)
        table, bias, context = model.word_table, model.word_bias, model.word_context(chains.h)
        for proposal, positions, words in self.proposal.position_groups(v.shape[1]):
            tables = positions if len(table) > 1 else slice(0, 1)
            moved, taken = v[:, positions] - words.start, accepted[:, positions].copy()
            run_metropolis(
                stream, self.steps, proposal.keep, proposal.alias, self.log_q[words],
                table[tables, words], bias[tables, words], context[:, positions], moved, taken,
            )  # fmt: skip
            v[:, positions], accepted[:, positions] = moved + words.start, taken
        return v, TransitionInfo(accepted, self.steps)


@final
@dataclass(frozen=True, eq=False)
class PooledMetropolis:
    """Independence Metropolis-Hastings whose proposals are drawn ahead, `size` per position."""

    steps: int
    size: int
    proposal: Proposal
    log_q: Float[np.ndarray, " K"]

    @classmethod
    def from_probability(
        cls, q: Probability, *, steps: int, size: int | None = None
    ) -> "PooledMetropolis":
        """Propose word k with probability ``q[k]``; the pool is no smaller than `steps`."""
        return cls._from_proposal(AliasTable.build(q), steps, size)

    @classmethod
    def from_columns(
        cls, columns: Columns, *, steps: int, size: int | None = None
    ) -> "PooledMetropolis":
        """Propose value k of column i with probability ``columns[i][k]``, at position i only."""
        return cls._from_proposal(ColumnProposals.build(columns), steps, size)

    @classmethod
    def _from_proposal(cls, proposal: Proposal, steps: int, size: int | None) -> "PooledMetropolis":
        size = 1 << max(7, (steps - 1).bit_length()) if size is None else size
        if steps < 1 or size < steps or size & (size - 1):
            raise WordRBMError(
                f"There is a pool of {size} proposals for {steps} steps; use 1 step or more, and a "
                "pool whose size is a power of two and at least as large."
            )
        return cls(steps, size, proposal, proposal.log_probability())

    def with_steps(self, steps: int) -> "PooledMetropolis":
        """This operator with another number of proposals for each word, the pool as by default."""
        return self._from_proposal(self.proposal, steps, None)

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q`` of every word, whatever the context."""
        return self.log_q

    def __call__(self, stream: Stream, model: AbstractRBM, chains: Chains) -> TransitionResult:
        v, accepted = chains.v.copy(), np.zeros(chains.v.shape, np.int32)
        context = model.word_context(chains.h)
        for first in range(0, len(v), CHAINS_PER_POOL):
            block = slice(first, first + CHAINS_PER_POOL)
            states = context[block], v[block], accepted[block]
            for positions in self.proposal.position_blocks(v.shape[1], len(v[block]) * self.size):
                self._move_block(stream, model, positions, *states)
        return v, TransitionInfo(accepted, self.steps)

    def _move_block(
        self,
        stream: Stream,
        model: AbstractRBM,
        positions: slice,
        context: Contexts,
        v: Words,
        accepted: Int[np.ndarray, "B n"],
    ) -> None:
        """Move the words of some positions in place."""
        pool = self.proposal.draw_pools(stream, positions, self.size)
        table_index = model.table_index[positions]
        words = WordWeights(model.word_table, model.word_bias, self.log_q, table_index)
        rows, offset = gather_pool(words, pool)
        by_position = np.ascontiguousarray(context[:, positions].transpose(1, 0, 2))
        proposal_scores = by_position @ rows.transpose(0, 2, 1)
        current, taken = v[:, positions].copy(), accepted[:, positions].copy()
        weight = current_weights(words, by_position, current)
        run_pooled(stream, self.steps, pool, proposal_scores, offset, weight, current, taken)
        v[:, positions], accepted[:, positions] = current, taken
