"""Jumps: Metropolis-Hastings moves of a whole window, with the hidden units summed out.

Words moved one at a time cannot enter a window of rare words that attract each other: each of them
alone is unlikely. A jump proposes all words at once, from windows of the text (the reservoir),

    r(v) = (1 - e) count(v) / R + e prod_i q_i(v_i)

and is taken with probability

    a(w <- v) = min(1, exp(-F(w)) r(v) / (exp(-F(v)) r(w)))

A fixed independence proposal leaves P(v) unchanged for any reservoir; the share e of word
frequencies keeps every window within reach. Its cost has no K.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool, Float

from wordrbm.errors import WordRBMError
from wordrbm.kernels.jumps import (
    ReservoirTable,
    WordTables,
    accept_jumps,
    count_windows,
    draw_windows,
    log_reservoir,
)
from wordrbm.models import AbstractRBM
from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.columns import ColumnTables
from wordrbm.shapes import Stream, Words

UNIGRAM_SHARE = 0.1


@final
@dataclass(frozen=True, eq=False)
class Reservoir:
    """A proposal distribution over whole windows: stored ones, mixed with word frequencies."""

    table: ReservoirTable

    @classmethod
    def build(
        cls,
        windows: Words,
        proposal: AliasTable | ColumnTables | WordTables,
        *,
        unigram_share: float = UNIGRAM_SHARE,
    ) -> "Reservoir":
        """Store these windows; words come from `proposal` with probability `unigram_share`.

        From `WordTables`, made once, nothing here costs O(K).
        """
        if not len(windows) or not 0.0 < unigram_share < 1.0:
            raise WordRBMError(
                f"A reservoir of {len(windows)} windows with a unigram share of {unigram_share} "
                "was asked for; it needs 1 or more windows and a share between 0 and 1."
            )
        R, n = windows.shape
        slots = np.empty(1 << (2 * R - 1).bit_length(), np.int32)
        stored = np.ascontiguousarray(windows, np.int32).copy()
        words = proposal if isinstance(proposal, WordTables) else word_tables(proposal, n)
        table = ReservoirTable(stored, slots, np.empty(R, np.int32), words, unigram_share)
        count_windows(stored, slots, table.counts)
        return cls(table)

    def refill(self, windows: Words) -> None:
        """Store as many other windows instead, in the same memory."""
        self.table.windows[...] = windows
        count_windows(self.table.windows, self.table.slots, self.table.counts)

    def draw(self, stream: Stream, count: int) -> Words:
        """Independent draws from r, O(1) each."""
        out = np.empty((count, self.table.windows.shape[1]), np.int32)
        draw_windows(stream, self.table, out)
        return out

    def log_probability(self, v: Words) -> Float[np.ndarray, " B"]:
        """``log r(v)`` of each window, O(1) each."""
        out = np.empty(len(v))
        log_reservoir(self.table, v.astype(np.int32), out)
        return out


@final
@dataclass(frozen=True, eq=False)
class Jumps:
    """Propose so many windows from a reservoir to every chain; leaves P(v) unchanged."""

    reservoir: Reservoir
    count: int = 1

    def __call__(
        self, stream: Stream, model: AbstractRBM, v: Words
    ) -> tuple[Words, Bool[np.ndarray, "J B"]]:
        """The windows after the jumps, and which of the proposals were taken."""
        proposed = self.reservoir.draw(stream, self.count * len(v)).reshape(self.count, *v.shape)
        taken = np.empty(proposed.shape[:2], np.bool_)
        v = v.copy()
        current = self.log_weight(model, v)
        for w, took in zip(proposed, taken, strict=True):
            offered = self.log_weight(model, w)
            accept_jumps(stream, current, offered, took)
            v[took], current[took] = w[took], offered[took]
        return v, taken

    def log_weight(self, model: AbstractRBM, v: Words) -> Float[np.ndarray, " B"]:
        """``-F(v) - log r(v)``: the acceptance ratio is the quotient of two weights."""
        return -model.free_energy(v) - self.reservoir.log_probability(v)


def word_tables(proposal: AliasTable | ColumnTables, n: int) -> WordTables:
    """The alias tables of n positions laid end to end, O(K)."""
    log_q = proposal.log_probability()
    if isinstance(proposal, AliasTable):
        whole = np.zeros(n, np.int64), np.full(n, proposal.keep.size, np.int64)
        return WordTables(proposal.keep, proposal.alias, log_q, *whole)
    keep = np.concatenate([table.keep for table in proposal.tables])
    alias = np.concatenate([table.alias for table in proposal.tables])
    ends = proposal.offsets[:-1].copy(), proposal.offsets[1:].copy()
    return WordTables(keep, alias, log_q, *ends)
