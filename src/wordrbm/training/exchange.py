"""Exact training by several processes: what each of them sends the others in an update.

The shards of a batch are fixed in the settings. Rank r of W computes the shards r, r + W, ... It
owns a slice of the dense parameters and, in each update, the rows that its shards alone have and a
share of those that several ranks have. An update has three exchanges, each of dense blocks whose
size, or a bound of it, all ranks know beforehand:

1. the row numbers of every shard (int32), to all;
2. the gradients of a shard, to the owner of each row and slice, who applies them in shard order;
3. the distinct rows and the slices that an owner has updated, to all (`parameter_exchange.py`).

Every number is added by one rank in the order of one process: the bits do not depend on how many
there are. What they are sent by is a `Transport`.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, final

import numpy as np

from wordrbm.kernels.distributed import (
    NO_OWNER,
    assign_owners,
    count_rows_by_owner,
    flip_rows_of_others,
    pack_gradient,
    unpack_gradient,
)
from wordrbm.kernels.optimizer import Velocity
from wordrbm.kernels.pcd_gradient import ShardGradient
from wordrbm.kernels.update import BAD_ID, UpdateState
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.training.optimizer import part_slice
from wordrbm.training.parameter_exchange import ParameterExchange, slice_sizes
from wordrbm.training.transport import Transport


class Requests(NamedTuple):
    """What a rank wants after the next update; what one wants, all do."""

    stop: bool = False
    save: bool = False


class Exchange(Protocol):
    """How an update fetches what other processes have computed."""

    @property
    def rank(self) -> int:
        """Which share of the shards is computed here."""
        ...

    @property
    def world(self) -> int:
        """How many processes share the shards."""

    def begin(self, state: UpdateState) -> UpdateState:
        """See what the updates will work on, before the first of them, or replace it; O(K)."""
        ...

    def gather_gradients(self, state: UpdateState) -> None:
        """Fetch the gradients of other shards, for the rows and slices owned here."""
        ...

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        """Fetch the parameters that other processes have changed in update `step`."""
        ...


@final
class ExactExchange:
    """All processes together make the updates of one."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.rank, self.world = transport.rank, transport.world
        self.wanted = self.agreed = Requests()
        self._owner: Array = np.zeros(0, np.int32)  # of each row
        self._compiled = False
        self._rows: Array = self._owner  # the distinct rows of an update
        self._parameters = ParameterExchange(transport)

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update; `wanted` is known to all after the next."""
        # What is done after this update need not be asked for again.
        self.wanted = wanted._replace(save=wanted.save and not self.agreed.save)
        return wanted if self.world == 1 else self.agreed

    def begin(self, state: UpdateState) -> UpdateState:
        self._owner = np.full(len(state.parameters.b), NO_OWNER, np.int32)
        return state

    def gather_gradients(self, state: UpdateState) -> None:
        if not self._compiled:
            self._transport.meet()  # one of them may have compiled for longer than the timeout
            self._compiled = True
        self._gather_rows(state)
        if state.flags[BAD_ID] >= len(state.parameters.b):
            return  # refused by all ranks
        gradient, ranks = state.gradient, range(self.world)
        rows = np.empty(int(gradient.rows.sum()), np.int32)
        self._rows = rows[: assign_owners(gradient, self.world, self._owner, rows)]
        counts = self._count_rows(gradient)
        sizes = [self._gradient_size(gradient, counts, p, self.rank) for p in ranks]
        out = [self._pack(gradient, counts, p) for p in ranks]
        place = self.rank, self.world, self._owner, gradient
        for p, values in enumerate(self._transport.all_to_all(out, sizes)):
            end = 0
            for shard in self._shards_of(p, gradient) if p != self.rank else ():
                end += unpack_gradient(*place, shard, values[end:])
        self._parameters.begin(self._rows, self._owner, state)
        flip_rows_of_others(self.rank, self._owner, gradient)  # until they have been applied

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        if self.world == 1:
            return
        flip_rows_of_others(self.rank, self._owner, state.gradient)
        self._parameters.finish(step, state)
        self._owner[self._rows] = NO_OWNER

    def complete(self, chains: Chains, velocity: Velocity | dict[str, Array], shards: int) -> None:
        """Fetch the chains and velocities that other ranks move, in place: a checkpoint has all."""
        if self.world == 1:
            return
        for array in (chains.v, chains.h):
            complete_shards(array.reshape(shards, -1), self._transport)
        for array in velocity.values() if isinstance(velocity, dict) else velocity:
            self._complete_slices(array.reshape(-1))

    def _shards_of(self, rank: int, gradient: ShardGradient) -> range:
        return range(rank, len(gradient.rows), self.world)

    def _gather_rows(self, state: UpdateState) -> None:
        """Exchange 1: row numbers and acceptances of every shard; and what the ranks want."""
        gradient, slots = state.gradient, -(-len(state.gradient.rows) // self.world)
        tables = [x.reshape(len(x), -1) for x in _small_tables(gradient)]
        block = np.zeros(3 + slots * sum(x.shape[1] for x in tables), np.int32)
        block[:3] = state.flags[BAD_ID], *self.wanted
        own = [np.concatenate([x[s] for x in tables]) for s in self._shards_of(self.rank, gradient)]
        values = np.concatenate(own) if own else block[:0]
        block[3 : 3 + values.size] = values
        gathered = self._transport.all_gather(block)
        self.agreed = Requests(bool(gathered[:, 1].any()), bool(gathered[:, 2].any()))
        state.flags[BAD_ID] = gathered[:, 0].max()
        for p in range(self.world):
            if p != self.rank:
                _split(gathered[p, 3:], self._shards_of(p, gradient), tables)
        gradient.rows[...] = tables[0][:, 0]

    def _count_rows(self, gradient: ShardGradient) -> Array:
        """How many rows of each shard each rank owns, (S, W)."""
        counts = np.empty((len(gradient.rows), self.world), np.int64)
        for shard, rows in enumerate(gradient.rows):
            count_rows_by_owner(gradient.row_index[shard, :rows], self._owner, counts[shard])
        return counts

    def _gradient_size(self, gradient: ShardGradient, counts: Array, src: int, owner: int) -> int:
        """How many numbers rank `src` sends to the owner of rows and slices."""
        if src == owner:
            return 0
        shards = self._shards_of(src, gradient)
        row = gradient.D.shape[2] + 2
        dense = slice_sizes(owner, self.world, gradient.U[0].size, gradient.c[0].size)
        return int(len(shards) * dense + row * counts[shards, owner].sum())

    def _pack(self, gradient: ShardGradient, counts: Array, owner: int) -> Array:
        size = self._gradient_size(gradient, counts, self.rank, owner)
        out, end = np.empty(size, gradient.D.dtype), 0
        for shard in self._shards_of(self.rank, gradient) if size else ():
            end += pack_gradient(owner, self.world, self._owner, gradient, shard, out[end:])
        return out

    def _complete_slices(self, flat: Array) -> None:
        """Fetch the slices of a dense array that other ranks have."""
        block = np.zeros(-(-flat.size // self.world), flat.dtype)
        own = flat[part_slice(self.rank, self.world, flat.size)]
        block[: own.size] = own
        for p, values in enumerate(self._transport.all_gather(block)):
            part = flat[part_slice(p, self.world, flat.size)]
            part[...] = values[: part.size]


def complete_shards(table: Array, transport: Transport) -> None:
    """Fetch the rows of a table (S, ...) that other ranks have: row s is of rank s mod W."""
    rank, world = transport.rank, transport.world
    block = np.zeros((-(-len(table) // world), table.shape[1]), table.dtype)
    own = table[rank::world]
    block[: len(own)] = own
    for p, values in enumerate(transport.all_gather(block)):
        rows = table[p::world]
        rows[...] = values[: len(rows)]


def _small_tables(gradient: ShardGradient) -> tuple[Array, ...]:
    """The integers of every shard that all ranks are sent."""
    rows = gradient.rows.astype(np.int32)
    return rows, gradient.row_index, gradient.accepted, gradient.jumped


def _split(values: Array, shards: range, tables: Sequence[Array]) -> None:
    """Write the integers of one rank's shards into the tables of all shards."""
    end = 0
    for shard in shards:
        for table in tables:
            table[shard] = values[end : end + table.shape[1]]
            end += table.shape[1]
