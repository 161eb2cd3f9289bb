"""Jumps: Metropolis-Hastings moves of a whole window, with the hidden units summed out.

Words moved one at a time cannot enter a window of rare words that attract each other: each of them
alone is unlikely. A jump proposes all words at once, from windows of the text (the reservoir),

    r(v) = (1 - a - e) count(v) / R + a g(v) + e prod_i q_i(v_i)

where g is a bigram model of the windows stored, and is accepted with probability

    a(w <- v) = min(1, exp(-F(w)) r(v) / (exp(-F(v)) r(w)))

A fixed independence proposal leaves P(v) unchanged for any reservoir; the share e of word
frequencies keeps every window within reach. Its cost has no K. In windows of five words the share a
of the bigram model lets chains come and go between windows of the text and all others, whose
probability is far above that of their words drawn one by one.

The proposals also estimate how much of the model's mass lies on each window of the text. The
negative phase therefore has two strata, the windows stored and all others:

    E_p[g] = P(stored) E_p[g | stored] + P(other) E_p[g | other]

The chains estimate both probabilities and the second mean. The first mean is estimated by
importance sampling from the pool of proposals: it need not wait for chains to find a window whose
probability has risen. The estimate is consistent: its bias falls as one over the size of the pool.
"""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.bigrams import EMPTY, BigramTable, WordTables, count_pairs
from wordrbm.kernels.jumps import (
    ReservoirTable,
    WindowMultiset,
    count_windows,
    draw_windows,
    log_reservoir,
    pool_size,
    propose_windows,
    stratify,
)
from wordrbm.models import AbstractRBM
from wordrbm.sampling.proposals import Proposal
from wordrbm.shapes import Stream, Words

UNIGRAM_SHARE = 0.1


@final
@dataclass(frozen=True, eq=False)
class Reservoir:
    """A proposal distribution over whole windows: stored ones, their bigrams, word frequencies."""

    table: ReservoirTable

    @classmethod
    def build(
        cls,
        windows: Words,
        proposal: Proposal | WordTables,
        *,
        unigram_share: float = UNIGRAM_SHARE,
        bigram_share: float = 0.0,
    ) -> "Reservoir":
        """Store these windows; words come from `proposal` with probability `unigram_share`.

        With probability `bigram_share` a window comes from their bigrams. From
        `WordTables`, made once, nothing here costs O(K).
        """
        R, n = windows.shape
        if not R or not 0 < unigram_share <= 1 or not 0 <= bigram_share <= 1 - unigram_share:
            raise WordRBMError(
                f"A reservoir has {R} windows, a unigram share of {unigram_share} and a bigram "
                f"share of {bigram_share}; give 1 or more windows, a unigram share above 0, a "
                "bigram share of 0 or more, and at most 1 of both together."
            )
        words = proposal if isinstance(proposal, WordTables) else word_tables(proposal, n)
        bigrams = _empty_bigrams(R * (n - 1) if bigram_share else 0, words.log_q.size)
        table = ReservoirTable(_empty_multiset(R, n), words, unigram_share, bigrams, bigram_share)
        reservoir = cls(table)
        reservoir.refill(windows)
        return reservoir

    @property
    def size(self) -> int:
        """How many windows are stored: R."""
        return len(self.table.windows.rows)

    def refill(self, windows: Words) -> None:
        """Store as many other windows instead, in the same memory."""
        self.table.windows.rows[...] = windows
        count_windows(self.table.windows)
        if self.table.bigram_share:
            _count_bigrams(self.table.bigrams, windows)

    def draw(self, stream: Stream, count: int) -> Words:
        """Independent draws from r, O(1) each."""
        out = np.empty((count, self.table.windows.rows.shape[1]), np.int32)
        draw_windows(stream, self.table, out)
        return out

    def log_probability(self, v: Words) -> Float[np.ndarray, " B"]:
        """``log r(v)`` of each window, O(1) each."""
        out = np.empty(len(v))
        log_reservoir(self.table, v.astype(np.int32), out, np.empty(len(v), np.bool_))
        return out

    def holds(self, v: Words) -> Bool[np.ndarray, " B"]:
        """Whether each window is one of those stored."""
        stored = np.empty(len(v), np.bool_)
        log_reservoir(self.table, v.astype(np.int32), np.empty(len(v)), stored)
        return stored


class Jumped(NamedTuple):
    """The chains after their jumps, and the pool of proposals with its importance weights."""

    v: Words
    accepted: Int[np.ndarray, " B"]  # proposals that each chain took
    pool: Words  # the windows proposed
    weight: Float[np.ndarray, " N"]  # of the chains, then of the pool, in the negative phase


@final
@dataclass(frozen=True, eq=False)
class Jumps:
    """Propose `count` windows to every chain, from a pool that the chains share.

    Proposals do not depend on the chain, so a pool of them is drawn and scored once, and each
    chain visits `count` different entries. Every chain by itself leaves P(v) unchanged; chains
    that share a pool are coupled, which changes the variance of a gradient, not its mean.
    """

    reservoir: Reservoir
    count: int = 1

    def __call__(self, stream: Stream, model: AbstractRBM, v: Words) -> Jumped:
        """Move the windows v, and weigh the pool by importance."""
        pool = self.reservoir.draw(stream, pool_size(self.count, len(v)))
        chosen, accepted = np.empty(len(v), np.int64), np.empty(len(v), np.int32)
        current, offered = self.log_weight(model, v), self.log_weight(model, pool)
        propose_windows(stream, self.count, offered, current, chosen, accepted)
        v, jumped = v.copy(), chosen >= 0
        v[jumped] = pool[chosen[jumped]]
        stored = np.concatenate([self.reservoir.holds(v), self.reservoir.holds(pool)])
        weight = np.empty(len(stored))
        stratify(stored, np.concatenate([current, offered]), len(v), weight)
        return Jumped(v, accepted, pool, weight)

    def log_weight(self, model: AbstractRBM, v: Words) -> Float[np.ndarray, " B"]:
        """``-F(v) - log r(v)``: the acceptance ratio is the quotient of two weights."""
        return -model.free_energy(v) - self.reservoir.log_probability(v)


def word_tables(proposal: Proposal, n: int) -> WordTables:
    """The alias tables of n positions laid end to end, O(K)."""
    groups = list(proposal.position_groups(n))
    keep = np.concatenate([group.table.keep for group in groups])
    alias = np.concatenate([group.table.alias for group in groups])
    positions = [len(range(n)[group.positions]) for group in groups]
    first = np.repeat(np.array([group.words.start for group in groups], np.int64), positions)
    stop = np.repeat(np.array([group.words.stop for group in groups], np.int64), positions)
    return WordTables(keep, alias, proposal.log_probability(), first, stop)


def _empty_multiset(R: int, n: int) -> WindowMultiset:
    """Room for R rows of n words and their hash table, at most half full."""
    slots = np.empty(1 << (2 * R).bit_length(), np.int32)
    return WindowMultiset(np.empty((R, n), np.int32), slots, np.empty(R, np.int32))


def _empty_bigrams(P: int, K: int) -> BigramTable:
    """Room for P pairs of K words and the hash table of the words, at most half full."""
    counts = [np.empty(P, np.int32) for _ in range(3)]
    slots = np.full(1 << (2 * min(P, K)).bit_length(), EMPTY, np.int32)
    return BigramTable(np.empty(P, np.uint64), counts[0], slots, *counts[1:])


def _count_bigrams(bigrams: BigramTable, windows: Words) -> None:
    """Count the pairs of neighbouring words of the windows, instead of those counted before."""
    words = windows.astype(np.uint64)
    bigrams.pairs[...] = (words[:, :-1] << np.uint64(32) | words[:, 1:]).reshape(-1)
    bigrams.pairs.sort()
    count_pairs(bigrams)
