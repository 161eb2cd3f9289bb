"""Constant-time draws from a fixed discrete distribution: the alias table.

Any distribution over K outcomes is a uniform mixture of K coins [Dahl 2012, section 4.1]. The
compiled loops are in `kernels/alias.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.alias import build_alias, fill_alias
from wordrbm.shapes import Probability, Stream


def refuse_never_proposed(probability: Probability) -> None:
    """Stop if some word could never be proposed: then no chain would ever reach it."""
    if not (np.all(probability > 0) and np.all(np.isfinite(probability))):
        raise WordRBMError(
            "A proposal with zero, negative or non-finite probabilities was given; every word "
            "needs a positive one, or it can never be proposed."
        )


@final
@dataclass(frozen=True, eq=False)
class AliasTable:
    """K equal columns; column k keeps k with probability ``keep[k]``, else gives ``alias[k]``."""

    keep: Float[np.ndarray, " K"]
    alias: Int[np.ndarray, " K"]

    @classmethod
    def build(cls, probability: Probability) -> "AliasTable":
        """Build the table in O(K) from positive weights."""
        refuse_never_proposed(probability)
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

    def pools(self, stream: Stream, places: slice, size: int) -> Int[np.ndarray, "n P"]:
        """A pool of proposals for each of some positions, all from this one table."""
        n = places.stop - places.start
        return self.draw(stream, n * size).reshape(n, size)

    def groups(self, n: int, scores: int) -> Iterator[slice]:
        """Positions to move together: all of them, as they share the table."""
        yield slice(0, n)

    def probability(self) -> Probability:
        """The distribution that `draw` really samples: the table read backwards."""
        K = self.keep.size
        moved = np.bincount(self.alias, weights=1.0 - self.keep, minlength=K)
        return (self.keep + moved) / K

    def log_probability(self) -> Float[np.ndarray, " K"]:
        """``log q`` of every word."""
        return np.log(self.probability())
