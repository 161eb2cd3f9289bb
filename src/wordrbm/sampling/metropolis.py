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
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.metropolis import (
    CHAINS_PER_POOL,
    gather_pool,
    score_current,
    walk,
    walk_pool,
)
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


class PoolScores(NamedTuple):
    """Log weights ``s - log q``; of proposal k to word i of chain m: proposal_scores + offset."""

    proposal_scores: Float[np.ndarray, "n B P"]  # context . row
    offset: Float[np.ndarray, "n P"]  # bias - log q
    current_weight: Float[np.ndarray, "B n"]  # of the words in place


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
        """Propose word k with probability ``q[k]``; the pool is no smaller than the walk."""
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
                f"A pool of {size} proposals for {steps} steps was asked for; the steps must be 1 "
                "or more and the pool a power of two that is not smaller."
            )
        return cls(steps, size, proposal, proposal.log_probability())

    def with_steps(self, steps: int) -> "PooledMetropolis":
        """This operator with another number of proposals for each word, the pool as by default."""
        return self._from_proposal(self.proposal, steps, None)

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q`` of every word, whatever the context."""
        return self.log_q

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v, accepted = chains.v.copy(), np.zeros(chains.v.shape, np.int32)
        context = model.word_context(chains.h)
        for first in range(0, len(v), CHAINS_PER_POOL):
            block = slice(first, first + CHAINS_PER_POOL)
            for positions in self.proposal.position_blocks(v.shape[1], len(v[block]) * self.size):
                self._move_block(
                    stream, model, context[block], positions, v[block], accepted[block]
                )
        return v, TransitionInfo(accepted, self.steps)

    def _move_block(
        self,
        stream: Stream,
        model: AbstractRBM,
        context: Float[np.ndarray, "B n r"],
        positions: slice,
        v: Words,
        accepted: Int[np.ndarray, "B n"],
    ) -> None:
        """Move the words of some positions in place."""
        pool = self.proposal.draw_pools(stream, positions, self.size)
        current, taken = v[:, positions].copy(), accepted[:, positions].copy()
        scores = self.score_pool(
            model, context[:, positions], model.table_index[positions], current, pool
        )
        walk_pool(stream, self.steps, pool, *scores, current, taken)
        v[:, positions], accepted[:, positions] = current, taken

    def score_pool(
        self,
        model: AbstractRBM,
        context: Float[np.ndarray, "B n r"],
        table_index: Int[np.ndarray, " n"],
        v: Words,
        pool: Int[np.ndarray, "n P"],
    ) -> PoolScores:
        """The log weights ``s - log q`` of the pool, in two parts, and of the words in place."""
        dtype = context.dtype
        rows, offset = np.empty((*pool.shape, context.shape[2]), dtype), np.empty(pool.shape, dtype)
        gather_pool(model.word_table, model.word_bias, self.log_q, table_index, pool, rows, offset)
        context = np.ascontiguousarray(context.transpose(1, 0, 2))
        proposal_scores = context @ rows.transpose(0, 2, 1)
        current_weight = np.empty(v.shape, dtype)
        score_current(
            model.word_table, model.word_bias, self.log_q, table_index, context, v, current_weight
        )
        return PoolScores(proposal_scores, offset, current_weight)


def log_acceptance(
    model: AbstractRBM, h: Hidden, *, old: Words, new: Words, log_q: Float[np.ndarray, " K"]
) -> Scores:
    """``log a(new <- old)`` at every position, before the cap at zero."""

    def log_weight(v: Words) -> Scores:
        return model.word_score(v, h) - log_q[v]

    return log_weight(new) - log_weight(old)
