"""Proposals for positions that have words of their own: alias tables side by side.

When the words are the values of the columns of a table, column i with ``K_i`` values holds the
words ``offset_i .. offset_i + K_i - 1`` and no others. A proposal for position i is drawn from
that column's ``q_i`` alone, so a walk that starts inside its column never leaves it, and the
target is the softmax over that column. Memory is that of all values once, ``sum_i K_i``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.sampling.alias import AliasTable
from wordrbm.shapes import Stream

Columns: TypeAlias = Sequence[Float[np.ndarray, " _"]]  # a q per position, each of its own length
MOST_SCORES = 2**20  # in a group of positions: 4 MB in single precision, however many columns


@final
@dataclass(frozen=True, eq=False)
class ColumnTables:
    """One alias table per position; ``offsets[i]`` is the first word of position i."""

    tables: tuple[AliasTable, ...]
    offsets: Int[np.ndarray, " O"]  # n + 1 of them: the last is the number of all words

    @classmethod
    def build(cls, columns: Columns) -> "ColumnTables":
        """Build from the probabilities of each column's values, O(sum K_i)."""
        return cls(tuple(map(AliasTable.build, columns)), offsets_of([q.size for q in columns]))

    def parts(self) -> Iterator[tuple[AliasTable, slice]]:
        """The table and the words of each position in turn."""
        for table, (start, stop) in zip(self.tables, pairwise(self.offsets.tolist()), strict=True):
            yield table, slice(start, stop)

    def pools(self, stream: Stream, places: slice, size: int) -> Int[np.ndarray, "n P"]:
        """A pool of proposals for each of some positions."""
        return np.stack(
            [
                self.tables[i].draw(stream, size) + np.int32(self.offsets[i])
                for i in range(len(self.tables))[places]
            ]
        )

    def groups(self, n: int, scores: int) -> Iterator[slice]:
        """Positions to move together when each has so many scores: a wide table in parts."""
        together = max(1, MOST_SCORES // scores)
        for first in range(0, n, together):
            yield slice(first, min(first + together, n))

    def log_probability(self) -> Float[np.ndarray, " K"]:
        """``log q_i`` of every word, given its own position, as `pools` really draws it."""
        return np.concatenate([np.log(table.probability()) for table in self.tables])


def offsets_of(sizes: Sequence[int]) -> Int[np.ndarray, " O"]:
    """Where the words of each column begin when the columns' values are laid end to end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
