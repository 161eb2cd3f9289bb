"""What ranks of periodic mode send each other when they are averaged, as bytes and as arrays."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from wordrbm.kernels.periodic import Records, level_bytes
from wordrbm.shapes import Array

BLOCK = 64  # dense numbers with one scale


class Message(NamedTuple):
    """Records of rows, and a share of the dense numbers in blocks of one scale each."""

    d: int  # numbers of a row
    rows: Records
    scales: Array
    levels: Array  # (blocks, BLOCK)

    @classmethod
    def empty(cls, count: int, d: int, blocks: int, *, counted: bool) -> "Message":
        """A message to be filled; with how often rows were updated, if they are `counted`."""
        rows = Records(
            np.empty(count, np.int32),
            np.empty(count, np.uint16),
            np.empty(count, np.uint16),
            np.empty(count if counted else 0, np.uint16),
            np.empty((count, level_bytes(d)), np.uint8),
        )
        return cls(d, rows, np.empty(blocks, np.uint16), np.empty((blocks, BLOCK), np.uint8))

    def part(self, rows: slice, blocks: slice) -> "Message":
        """Some of the rows, and some of the blocks."""
        return Message(
            self.d, Records(*(x[rows] for x in self.rows)), self.scales[blocks], self.levels[blocks]
        )

    @property
    def nbytes(self) -> int:
        """How long the message is."""
        return sum(x.nbytes for x in self._arrays())

    def to_bytes(self) -> Array:
        """The message as it is sent."""
        return np.concatenate([x.reshape(-1).view(np.uint8) for x in self._arrays()])

    def read(self, sent: Array) -> "Message":
        """Fill the message with what was sent, which may be followed by more."""
        end = 0
        for array in self._arrays():
            array.reshape(-1).view(np.uint8)[...] = sent[end : end + array.nbytes]
            end += array.nbytes
        return self

    def _arrays(self) -> Iterator[Array]:
        yield from self.rows
        yield from (self.scales, self.levels)


def to_blocks(arrays: list[Array]) -> Array:
    """Dense arrays one after another as a table of blocks, the last filled up with zeros."""
    size = sum(x.size for x in arrays)
    blocks = np.zeros((-(-size // BLOCK), BLOCK), np.float32)
    blocks.reshape(-1)[:size] = np.concatenate([x.reshape(-1) for x in arrays])
    return blocks
