"""How often each value of a table has been read, and when to propose by it afresh.

Proposals come from the frequencies read so far. Any proposals leave the model's distribution
unchanged, but values that were rare or absent then and are common now would hardly be dreamt, and
the model would run away from its chains. So they are renewed whenever the rows read have
doubled: O(K) each time, but only log2(rows) times in all.
"""

import numpy as np
from jaxtyping import Float, Int

from wordrbm.estimators.table import Table, smoothed
from wordrbm.estimators.thawing import thawed
from wordrbm.shapes import Words


class Sightings:
    """Counts of all values of a table."""

    def __init__(self, table: Table) -> None:
        self._offsets = table.offsets
        self._counts = np.zeros(int(self._offsets[-1]), np.int64)
        self._rows = self._rows_then = 0

    def add(self, v: Words) -> Int[np.ndarray, " _"]:
        """Count the values of some rows, and give those never seen before; its cost has no K."""
        new = np.unique(v[self._counts[v] == 0])
        np.add.at(self._counts, v.ravel(), 1)
        self._rows += len(v)
        return new

    def thaw(self) -> None:
        """Make the counts such that they can be written to, see `thawing.py`."""
        self._counts = thawed(self._counts)

    def log_share(self, words: Int[np.ndarray, " _"]) -> Float[np.ndarray, " _"]:
        """The logarithm of how often these values stand in a row."""
        return np.log(self._counts[words] / self._rows)

    def have_doubled(self) -> bool:
        """Whether twice the rows were read since the frequencies were last asked for."""
        return self._rows >= 2 * self._rows_then

    def frequencies(self) -> list[Float[np.ndarray, " _"]]:
        """How often each value of each column was seen, never zero."""
        self._rows_then = self._rows
        parts: list[Int[np.ndarray, " _"]] = np.split(self._counts, self._offsets[1:-1])
        return [smoothed(seen) for seen in parts]
