"""Periodic averaging: every rank trains on its own, and after some updates the ranks are averaged.

Each rank has its own chains and reads its own batches. A row that rank r has updated n_r times
since the last exchange becomes

    sum_r n_r x_r / sum_r n_r,

so that a word which only one rank has read keeps what it has learnt there. Changes of `D` are sent
as 16-bit integers with a scale for each row. Dense parameters, their velocities and their running
averages become the plain mean. Sums are taken in the order of the ranks by the owner of a row or
slice: the bits depend on the number of ranks, and on nothing else.

The running averages of a row are not sent: its owner averages its own copy of the row, which is
every rank's after an exchange. They are gathered for scores and checkpoints (`complete`).

Reference
    T. Lin, S. Stich, K. Patel, M. Jaggi. Don't use large mini-batches, use local SGD. ICLR 2020.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, final

import numpy as np

from wordrbm.kernels.optimizer import STRIDE
from wordrbm.kernels.periodic import (
    CHANGE,
    NOT_AVERAGED,
    add_rows_of_rank,
    count_updates,
    pack_means,
    pack_rows,
    row_owners,
    set_rows,
)
from wordrbm.kernels.update import UpdateState
from wordrbm.shapes import Array
from wordrbm.training.exchange import Requests
from wordrbm.training.optimizer import Averages, part_slice
from wordrbm.training.transport import Transport


class RowTables(NamedTuple):
    """What is kept of each row, (K, ...)."""

    base: Array  # D when the ranks last agreed on it
    updates: Array  # since then
    updated: Array  # the rows that have any, in front
    place: Array  # scratch: -1 between exchanges


@final
class PeriodicExchange:
    """Averages the ranks after the updates for which `is_due` is true."""

    rank, world = 0, 1  # every rank computes all shards of its own batches

    def __init__(self, transport: Transport, is_due: Callable[[int], bool]) -> None:
        self._transport, self._is_due = transport, is_due
        self.wanted = self.agreed = Requests()
        self._rows: RowTables | None = None
        self._count, self._compiled = 0, False  # rows updated; an update has been made

    def begin(self, state: UpdateState) -> UpdateState:
        K = len(state.parameters.b)
        zeros = np.zeros(K, np.int32)
        self._rows = RowTables(state.parameters.D.copy(), zeros, zeros.copy(), zeros - 1)
        if state.averages.power > 0:
            owners = row_owners(np.arange(K), self._transport.world)
            state.averages.covered[owners != self._transport.rank] = NOT_AVERAGED
        return state

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update: something only where all are the same."""
        self.wanted = wanted
        return self.agreed if self._is_due(step) else Requests()

    def gather_gradients(self, state: UpdateState) -> None:
        """Nothing: every rank has the gradients of its own batch."""

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        assert self._rows is not None
        if not self._compiled:
            self._transport.meet()  # one of them may have compiled for longer than the timeout
            self._compiled = True
        tables = self._rows
        self._count = count_updates(state.gradient, tables.updates, tables.updated, self._count)
        if self._is_due(step):
            self._average(step, state, tables)

    def complete(self, averages: Averages) -> Averages:
        """The averages of all rows, each by its owner, on the first rank; O(K)."""
        world = self._transport.world
        owners = row_owners(np.arange(averages.covered.size), world)
        rows = [np.flatnonzero(owners == p) for p in range(world)]
        value, covered = dict(averages.value), self._on_first(rows, averages.covered)
        for name in averages.tables:
            value[name] = self._on_first(rows, averages.value[name])
        return replace(averages, value=value, covered=covered)

    def _on_first(self, rows: Sequence[Array], table: Array) -> Array:
        """A table with the rows of every rank, on the first; on the others, as it is."""
        rank, width = self._transport.rank, table[:1].size
        out = [
            table[rows[rank]].reshape(-1) if p == 0 else table[:0].reshape(-1)
            for p in range(len(rows))
        ]
        sizes = [len(x) * width if rank == 0 else 0 for x in rows]
        complete = table.copy()
        received = self._transport.all_to_all(out, sizes)
        for share, values in zip(rows, received, strict=True) if rank == 0 else ():
            complete[share] = values.reshape(len(share), *table.shape[1:])
        return complete

    def _average(self, step: int, state: UpdateState, tables: RowTables) -> None:
        rows, self._count = np.sort(tables.updated[: self._count]), 0
        owners = row_owners(rows, self._transport.world)
        counts = np.bincount(owners, minlength=self._transport.world).astype(np.int64)
        header = np.concatenate([np.array(self.wanted, np.int64), counts])
        self._transport.meet()  # a slow rank is waited for as long as it lives
        headers = self._transport.all_gather(header)
        self.agreed = Requests(bool(headers[:, 0].any()), bool(headers[:, 1].any()))
        rows = rows[np.argsort(owners, kind="stable")]
        means = self._merge(rows, headers[:, 2:], state, tables)
        self._distribute((step - 1) // STRIDE, *means, state, tables)
        tables.updates[rows] = 0

    def _merge(
        self, rows: Array, counts: Array, state: UpdateState, tables: RowTables
    ) -> tuple[Array, Array]:
        """Send rows to their owners; the means of what is owned here: dense, and records."""
        rank, world = self._transport.rank, self._transport.world
        dense = np.concatenate([x.reshape(-1) for x in _dense(state)])
        parts = [dense[part_slice(p, world, dense.size)] for p in range(world)]
        d = tables.base.shape[1]
        records = _records(rows.size, d, 1)
        pack_rows(rows, tables.updates, tables.base, state.parameters, *_views(records))
        shares = np.split(records, np.cumsum(counts[rank])[:-1])
        size, width = parts[rank].size, records.shape[1]
        blocks = self._transport.all_to_all(
            [_join(part, share) for part, share in zip(parts, shares, strict=True)],
            [size + width * int(count) for count in counts[:, rank]],
        )
        mean = np.sum([x[:size].view(dense.dtype) for x in blocks], axis=0, dtype=np.float64)
        own = [block[size:].reshape(-1, width) for block in blocks]
        return (mean / world).astype(dense.dtype), _mean_records(own, d, tables)

    def _distribute(
        self, now: int, mean: Array, records: Array, state: UpdateState, tables: RowTables
    ) -> None:
        """Send what is owned here to all, and take what the others own."""
        world, width = self._transport.world, records.shape[1]
        counts = self._transport.all_gather(np.array([len(records)]))[:, 0]
        sizes = [x.size for x in _dense(state)]
        slices = [part_slice(p, world, sum(sizes)) for p in range(world)]
        lengths = [part.stop - part.start for part in slices]
        blocks = self._transport.all_to_all(
            [_join(mean, records)] * world,
            [a + width * int(b) for a, b in zip(lengths, counts, strict=True)],
        )
        means = [block[:a].view(mean.dtype) for block, a in zip(blocks, lengths, strict=True)]
        parts = np.split(np.concatenate(means), np.cumsum(sizes)[:-1])
        for array, part in zip(_dense(state), parts, strict=True):
            array.reshape(-1)[...] = part
        for block, a in zip(blocks, lengths, strict=True):
            views = _views(block[a:].reshape(-1, width))
            set_rows(*views, now, tables.base, state.parameters, state.averages)


def _dense(state: UpdateState) -> list[Array]:
    """All that has no rows: parameters, velocities and, if there are any, running averages."""
    arrays = [state.parameters.U, state.parameters.c, state.velocity.U, state.velocity.c]
    return arrays + ([state.averages.U, state.averages.c] if state.averages.power > 0 else [])


def _records(count: int, d: int, more: int = 0) -> Array:
    """Memory for the records of rows, with more words at the end of each."""
    return np.zeros((count, CHANGE + (d + 1) // 2 + more), np.int32)


def _views(records: Array) -> tuple[Array, Array, Array]:
    """Records as int32, float32 and int16."""
    return records, records.view(np.float32), records.view(np.int16)


def _join(dense: Array, records: Array) -> Array:
    """A message of 32-bit words."""
    return np.concatenate([dense.view(np.int32), records.reshape(-1)])


def _mean_records(received: Sequence[Array], d: int, tables: RowTables) -> Array:
    """The records of the means of the rows that the ranks sent, weighted by updates."""
    most, count = sum(map(len, received)), 0
    rows, totals = np.empty(most, np.int32), np.empty((most, d + 2))
    for records in received:
        count = add_rows_of_rank(*_views(records), tables.place, rows, count, totals)
    means = _records(count, d)
    pack_means(rows[:count], totals, tables.place, *_views(means))
    return means
