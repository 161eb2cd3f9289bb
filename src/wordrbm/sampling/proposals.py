"""Fixed proposal distributions with constant-time draws: one alias table, or one per position.

Any distribution over K outcomes is a uniform mixture of K coins [Dahl 2012, section 4.1]. The
compiled loops are in `kernels/alias.py`. Positions may have words of their own: when the words are
the values of the columns of a table, column i with ``K_i`` values holds the words
``offset_i .. offset_i + K_i - 1`` and no others. A proposal for position i is then drawn from that
column's ``q_i`` alone, so a chain that starts inside its column never leaves it, and the target is
the softmax over that column. Memory is that of all values once, ``sum_i K_i``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.alias import build_alias, fill_alias
from wordrbm.shapes import Probability, Stream

Columns: TypeAlias = Sequence[Float[np.ndarray, " _"]]  # a q per position, each of its own length
MAX_SCORES = 2**20  # in a block of positions: 4 MB in single precision, however many columns


class PositionGroup(NamedTuple):
    """Positions that share an alias table, and the words that it draws, counted from the first."""

    table: "AliasTable"
    positions: slice
    words: slice


@final
@dataclass(frozen=True, eq=False)
class AliasTable:
    """K equal columns; column k keeps k with probability ``keep[k]``, else gives ``alias[k]``."""

    keep: Float[np.ndarray, " K"]
    alias: Int[np.ndarray, " K"]

    @classmethod
    def build(cls, probability: Probability) -> "AliasTable":
        """Build the table in O(K) from positive weights."""
        check_positive(probability)
        weight = probability.astype(np.float64)
        keep = np.empty(weight.size)
        alias = np.empty(weight.size, np.int32)
        build_alias(weight * (weight.size / weight.sum()), keep, alias)
        return cls(keep, alias)

    def draw(self, stream: Stream, count: int) -> Int[np.ndarray, " N"]:
        """Independent draws, O(1) each."""
        words = np.empty(count, np.int32)
        fill_alias(stream, self.keep, self.alias, words)
        return words

    def position_groups(self, n: int) -> Iterator[PositionGroup]:
        """All positions share this table."""
        yield PositionGroup(self, slice(0, n), slice(0, self.keep.size))

    def draw_pools(self, stream: Stream, positions: slice, size: int) -> Int[np.ndarray, "n P"]:
        """A pool of proposals for each of some positions, all from this one table."""
        n = positions.stop - positions.start
        return self.draw(stream, n * size).reshape(n, size)

    def position_blocks(self, n: int, scores: int) -> Iterator[slice]:
        """All positions are one block, as they share the table."""
        yield slice(0, n)

    def probability(self) -> Probability:
        """The distribution that `draw` really samples: the table read backwards."""
        K = self.keep.size
        moved = np.bincount(self.alias, weights=1.0 - self.keep, minlength=K)
        return (self.keep + moved) / K

    def log_probability(self) -> Float[np.ndarray, " K"]:
        """``log q`` of every word."""
        return np.log(self.probability())


@final
@dataclass(frozen=True, eq=False)
class ColumnProposals:
    """One alias table per position; ``offsets[i]`` is the first word of position i."""

    tables: tuple[AliasTable, ...]
    offsets: Int[np.ndarray, " O"]  # n + 1 of them: the last is the number of all words

    @classmethod
    def build(cls, columns: Columns) -> "ColumnProposals":
        """Build from the probabilities of each column's values, O(sum K_i)."""
        return cls(tuple(map(AliasTable.build, columns)), column_offsets([q.size for q in columns]))

    def position_groups(self, n: int) -> Iterator[PositionGroup]:
        """Every position with its own table and words."""
        words = [slice(start, stop) for start, stop in pairwise(self.offsets.tolist())]
        for i, (table, column) in enumerate(zip(self.tables, words, strict=True)):
            yield PositionGroup(table, slice(i, i + 1), column)

    def draw_pools(self, stream: Stream, positions: slice, size: int) -> Int[np.ndarray, "n P"]:
        """A pool of proposals for each of some positions."""
        return np.stack(
            [
                self.tables[i].draw(stream, size) + np.int32(self.offsets[i])
                for i in range(len(self.tables))[positions]
            ]
        )

    def position_blocks(self, n: int, scores: int) -> Iterator[slice]:
        """As many positions in a block as memory allows: a wide table is moved in parts."""
        width = max(1, MAX_SCORES // scores)
        for first in range(0, n, width):
            yield slice(first, min(first + width, n))

    def log_probability(self) -> Float[np.ndarray, " K"]:
        """``log q_i`` of every word, given its own position, as `draw_pools` really draws it."""
        return np.concatenate([np.log(table.probability()) for table in self.tables])


Proposal: TypeAlias = AliasTable | ColumnProposals  # draws words whatever the current word is


def check_positive(probability: Probability) -> None:
    """Refuse a proposal that leaves out some word: no chain would ever reach it."""
    if not (np.all(probability > 0) and np.all(np.isfinite(probability))):
        raise WordRBMError(
            "A proposal has zero, negative or non-finite probabilities; give every word a positive "
            "one, or it can never be proposed."
        )


def column_offsets(sizes: Sequence[int]) -> Int[np.ndarray, " O"]:
    """The first word of each column when the columns' values are laid end to end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
