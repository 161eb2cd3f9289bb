"""The parameters that each rank has updated, sent to all: the third exchange of an exact update.

Every rank has the parameters of before the update, and one update changes them little: they are
sent as coded differences (`kernels/coding.py`), from which the same bits are made.
"""

from typing import final

import numpy as np

from wordrbm.kernels.coding import decode, encode, most_bytes
from wordrbm.kernels.distributed import count_rows_by_owner, pack_parameters, unpack_parameters
from wordrbm.kernels.update import DIVERGED, UpdateState
from wordrbm.shapes import Array
from wordrbm.training.optimizer import part_slice
from wordrbm.training.transport import Transport


@final
class ParameterExchange:
    """Sends the rows and slices that are owned here, and takes those of the other owners."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._rows: Array = np.zeros(0, np.int32)  # the distinct rows of an update
        self._owner = self._rows  # of each row of all
        self._counts: Array = np.zeros(transport.world, np.int64)  # of rows, by owner
        self._before: Array = np.zeros(0)  # the parameters owned here, before the update

    def begin(self, rows: Array, owner: Array, state: UpdateState) -> None:
        """See the parameters before they are updated, with the owners of their rows."""
        self._rows, self._owner = rows, owner
        count_rows_by_owner(rows, owner, self._counts)
        if self._is_coded(state):
            self._before = self._pack(self._transport.rank, state)

    def finish(self, step: int, state: UpdateState) -> None:
        """Send and take the parameters after update `step`."""
        rank, world = self._transport.rank, self._transport.world
        sizes = [self._size(p, state) if p != rank else 0 for p in range(world)]
        own, is_coded = self._pack(rank, state), self._is_coded(state)
        if is_coded:
            own, sizes = _encode(self._before, own), [most_bytes(size) for size in sizes]
        out = [own if p != rank else own[:0] for p in range(world)]
        place = world, self._owner, state.parameters, state.averages, self._rows, step
        for p, values in enumerate(self._transport.all_to_all(out, sizes)):
            if p == rank:
                continue
            numbers = _decode(self._pack(p, state), values) if is_coded else values
            if not unpack_parameters(p, *place, state.step_sizes[5], numbers):
                state.flags[DIVERGED] = 1

    def _is_coded(self, state: UpdateState) -> bool:
        return bool(state.h.dtype == np.float32)

    def _size(self, owner: int, state: UpdateState) -> int:
        """How many numbers an owner has."""
        U, c, D = state.parameters.U, state.parameters.c, state.parameters.D
        dense = slice_sizes(owner, self._transport.world, U.size, c.size)
        return int(dense + self._counts[owner] * (D.shape[1] + 1))

    def _pack(self, owner: int, state: UpdateState) -> Array:
        """The parameters that a rank owns, as they are here."""
        numbers = np.empty(self._size(owner, state), state.h.dtype)
        place = owner, self._transport.world, self._owner, state.parameters, self._rows
        pack_parameters(*place, numbers)
        return numbers


def _encode(before: Array, after: Array) -> Array:
    """Numbers for those who have what they were before, as bytes."""
    out = np.empty(most_bytes(after.size), np.uint8)
    return out[: encode(before.view(np.uint32), after.view(np.uint32), out)]


def _decode(before: Array, coded: Array) -> Array:
    """The numbers that another rank has coded."""
    after = np.empty_like(before)
    decode(before.view(np.uint32), coded, after.view(np.uint32))
    return after


def slice_sizes(part: int, parts: int, *sizes: int) -> int:
    """How many numbers of some dense arrays a part owns."""
    slices = [part_slice(part, parts, size) for size in sizes]
    return sum(piece.stop - piece.start for piece in slices)
