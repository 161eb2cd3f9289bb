"""Metropolis-Hastings from a shared pool: the walk of `metropolis.py`, as block work.

Independence proposals do not depend on the chain, so they can be drawn ahead. For each position a
pool of proposals is drawn from q, its rows are gathered once and scored for all chains by one
matrix product; each word then walks over `steps` distinct entries of its position's pool, in an
order of its own. Distinct entries are independent draws from q, and the positions of a window use
different pools, so every chain by itself makes exactly the moves of `Metropolis`. Only chains that
share a pool are coupled: that changes the variance of a gradient, not what it estimates. In single
precision a word more than 87 nats below the best of its pool counts as impossible.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.walk import walk_pool
from wordrbm.models import AbstractRBM
from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Hidden, Probability, Stream, Words


@final
@dataclass(frozen=True, eq=False)
class PooledMetropolis:
    """Independence Metropolis-Hastings whose proposals are drawn ahead, `size` per position."""

    steps: int
    size: int
    proposal: AliasTable
    log_q: Float[np.ndarray, " K"]

    @classmethod
    def from_probability(
        cls, q: Probability, *, steps: int, size: int | None = None
    ) -> "PooledMetropolis":
        """Propose word k with probability ``q[k]``; the pool is at least twice the walk."""
        size = 1 << max(8, (2 * steps - 1).bit_length()) if size is None else size
        if steps < 1 or size < steps or size & (size - 1):
            raise WordRBMError(
                f"A pool of {size} proposals for {steps} steps was asked for; the steps must be 1 "
                "or more and the pool a power of two that is not smaller."
            )
        proposal = AliasTable.build(q)
        return cls(steps, size, proposal, np.log(proposal.probability()))

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v = chains.v.copy()
        pool = self.proposal.draw(stream, v.shape[1] * self.size).reshape(v.shape[1], self.size)
        offered, weight = self.weights(model, chains.h, v, pool)
        accepted = np.zeros(v.shape, np.int32)
        walk_pool(stream, self.steps, pool, offered, weight, v, accepted)
        return v, TransitionInfo(accepted, self.steps)

    def weights(
        self, model: AbstractRBM, h: Hidden, v: Words, pool: Int[np.ndarray, "n P"]
    ) -> tuple[Float[np.ndarray, "n B P"], Float[np.ndarray, "B n"]]:
        """``exp(s(w)) / q(w)`` of the pool and of the words in place, scaled by the pool's best."""
        shelf = model.shelf
        context = model.word_context(h)
        rows = model.word_table[shelf[:, None], pool]
        offered = context.transpose(1, 0, 2) @ rows.transpose(0, 2, 1)
        offered += (model.word_bias[shelf[:, None], pool] - self.log_q[pool])[:, None, :]
        standing = np.einsum("bir,bir->bi", context, model.word_table[shelf, v])
        standing += model.word_bias[shelf, v] - self.log_q[v]
        best = offered.max(axis=2)
        offered -= best[:, :, None]
        standing -= best.T
        with np.errstate(over="ignore"):  # infinity: no proposal of this pool can beat the word
            return np.exp(offered, out=offered), np.exp(standing, out=standing)
