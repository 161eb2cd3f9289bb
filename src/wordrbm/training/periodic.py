"""Periodic averaging: every rank trains on its own, and the ranks are averaged now and then.

Each rank has its own chains and reads its own batches. The dense parameters become the plain mean
at every exchange, their velocities when all rows are merged. A row is merged at some exchanges
only, one of a frequent word more often (`AveragingSchedule`). If it has been in gradients of k
ranks since, n_r times in those of rank r, it changes by

    factor sum_r n_r change_r / sum_r n_r,   factor = (k FEW + n) / (FEW + n),   n = sum_r n_r / k

which tends to the sum of what the ranks have learnt from few occurrences, as if one process had
read them all, and to the mean of what they have learnt from many. A row that one rank alone has
updated keeps what it has learnt. Sums are taken in the order of the ranks by the owner of a row or
block: the bits depend on the number of ranks, and on nothing else.

Changes since the ranks last agreed are sent, and velocities, as integers with scales that are
rounded at random (`kernels/quantization.py`): two to a byte for `D`, a byte each for the rest. The
draws are a function of the update, the sender and the row.

Running averages are not sent: the owner of a row, or of a slice of a dense parameter, averages its
own copy, which is every rank's after an exchange. They are gathered for scores and checkpoints
(`complete`).

Reference
    T. Lin, S. Stich, K. Patel, M. Jaggi. Don't use large mini-batches, use local SGD. ICLR 2020.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, final

import numpy as np

from wordrbm.kernels.optimizer import STRIDE
from wordrbm.kernels.pcd_gradient import Parameters
from wordrbm.kernels.periodic import (
    NOT_AVERAGED,
    ChangedRows,
    add_rows_of_rank,
    count_updates,
    pack_merged,
    pack_rows,
    row_owners,
    set_rows,
)
from wordrbm.kernels.quantization import add_blocks, quantize_blocks
from wordrbm.kernels.update import UpdateState
from wordrbm.shapes import Array
from wordrbm.training.averaging_messages import Message, to_blocks
from wordrbm.training.exchange import Requests
from wordrbm.training.local_training import AveragingSchedule
from wordrbm.training.optimizer import Averages, part_slice
from wordrbm.training.transport import Transport


class AgreedTables(NamedTuple):
    """What the ranks last agreed on, and what has changed since."""

    parameters: Parameters
    changed: ChangedRows
    place: Array  # scratch: -1 between exchanges


@final
class PeriodicExchange:
    """Averages the ranks after the updates at which some levels of rows are due."""

    rank, world = 0, 1  # every rank computes all shards of its own batches

    def __init__(self, transport: Transport, schedule: AveragingSchedule) -> None:
        self._transport, self._schedule = transport, schedule
        self.wanted = self.agreed = Requests()
        self._tables: AgreedTables | None = None
        self._must_meet = True  # a rank may compile, score or save for longer than the timeout

    def begin(self, state: UpdateState) -> UpdateState:
        K = len(state.parameters.b)
        agreed = Parameters(*(x.copy() for x in state.parameters))
        level = self._schedule.row_levels(state.row_rates.rate_scale)
        self._tables = AgreedTables(agreed, changed_rows(level), np.full(K, -1, np.int32))
        if state.averages.power > 0:
            owners = row_owners(np.arange(K), self._transport.world)
            state.averages.covered[owners != self._transport.rank] = NOT_AVERAGED
        return state

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update: something only where all are the same."""
        self.wanted = wanted
        return self.agreed if self._schedule.is_complete(step) else Requests()

    def gather_gradients(self, state: UpdateState) -> None:
        """Nothing: every rank has the gradients of its own batch."""

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        assert self._tables is not None
        tables = self._tables
        count_updates(state.gradient, tables.changed)
        if levels := self._schedule.levels_due(step):
            self._average(step, levels, state, tables)

    def complete(self, averages: Averages) -> Averages:
        """The averages of all rows and slices, each by its owner, on the first rank; O(K)."""
        world, value = self._transport.world, dict(averages.value)
        owners = row_owners(np.arange(averages.covered.size), world)
        rows = [np.flatnonzero(owners == p) for p in range(world)]
        for name, table in value.items():
            if name in averages.tables:
                value[name] = self._on_first(rows, table)
            else:
                places = np.arange(table.size)
                slices = [places[part_slice(p, world, table.size)] for p in range(world)]
                value[name] = self._on_first(slices, table.reshape(-1)).reshape(table.shape)
        return replace(averages, value=value, covered=self._on_first(rows, averages.covered))

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

    def _average(self, step: int, levels: int, state: UpdateState, tables: AgreedTables) -> None:
        rows = take_rows(tables.changed, levels)
        if self._transport.world == 1:  # nothing is sent, so nothing is rounded
            self.agreed, tables.changed.updates[rows] = self.wanted, 0
            return
        owners = row_owners(rows, self._transport.world)
        counts = np.bincount(owners, minlength=self._transport.world).astype(np.int64)
        header = np.concatenate([np.array(self.wanted, np.int64), counts])
        if self._must_meet:
            self._transport.meet()  # a slow rank is waited for as long as it lives
        self._must_meet = complete = self._schedule.is_complete(step)
        headers = self._transport.all_gather(header)
        self.agreed = Requests(bool(headers[:, 0].any()), bool(headers[:, 1].any()))
        rows = rows[np.argsort(owners, kind="stable")]
        blocks = to_blocks(_changes(state, tables.parameters, complete))
        means = self._merge(step, rows, headers[:, 2:], blocks, state, tables)
        mean_blocks = np.zeros_like(blocks)
        self._distribute(step, means, mean_blocks, state, tables)
        _set_dense(mean_blocks.reshape(-1), state, tables.parameters, complete)
        tables.changed.updates[rows] = 0

    def _merge(
        self, step: int, rows: Array, counts: Array, blocks: Array, state: UpdateState,
        tables: AgreedTables,
    ) -> Message:  # fmt: skip
        """Send changes to their owners; the means of those that are owned here."""
        rank, world, d = self._transport.rank, self._transport.world, state.parameters.D.shape[1]
        sent = Message.empty(rows.size, d, len(blocks), counted=True)
        agreed, parameters = tables.parameters, state.parameters
        pack_rows(rows, tables.changed.updates, agreed, parameters, step, rank, sent.rows)
        quantize_blocks(blocks, step, rank, tables.place.size, sent.scales, sent.levels)
        ends = np.concatenate([[0], np.cumsum(counts[rank])])
        parts = [part_slice(p, world, len(blocks)) for p in range(world)]
        out = [sent.part(slice(ends[p], ends[p + 1]), part) for p, part in enumerate(parts)]
        own = parts[rank].stop - parts[rank].start
        received = [Message.empty(int(count), d, own, counted=True) for count in counts[:, rank]]
        self._swap(out, received)
        return _means(received, step, world + rank, tables.place)

    def _distribute(
        self, step: int, means: Message, blocks: Array, state: UpdateState, tables: AgreedTables
    ) -> None:
        """Send what is owned here to all, and take what the others own; `blocks` are zeros."""
        world, d = self._transport.world, state.parameters.D.shape[1]
        counts = self._transport.all_gather(np.array([len(means.rows.words)]))[:, 0]
        parts = [blocks[part_slice(p, world, len(blocks))] for p in range(world)]
        received = [
            Message.empty(int(count), d, len(part), counted=False)
            for count, part in zip(counts, parts, strict=True)
        ]
        self._swap([means] * world, received)
        sample = (step - 1) // STRIDE
        for message, part in zip(received, parts, strict=True):
            add_blocks(message.scales, message.levels, part)
            set_rows(message.rows, sample, tables.parameters, state.parameters, state.averages)

    def _swap(self, out: Sequence[Message], received: Sequence[Message]) -> None:
        """Send a message to every rank, and fill those from every rank."""
        sizes = [message.nbytes for message in received]
        sent = self._transport.all_to_all([message.to_bytes() for message in out], sizes)
        for message, block in zip(received, sent, strict=True):
            message.read(block)


def changed_rows(level: Array) -> ChangedRows:
    """No changes, of rows with these levels."""
    sizes = np.bincount(level)
    first = np.cumsum(sizes) - sizes
    zeros = np.zeros(level.size, np.int32)
    return ChangedRows(zeros, level, zeros.copy(), first, np.zeros_like(first))


def take_rows(changed: ChangedRows, levels: int) -> Array:
    """The rows of the first levels that were updated, in order; the lists of these are emptied."""
    spans = zip(changed.first[:levels], changed.counts[:levels], strict=True)
    rows = np.sort(np.concatenate([changed.rows[x : x + count] for x, count in spans]))
    changed.counts[:levels] = 0
    return rows


def _changes(state: UpdateState, agreed: Parameters, complete: bool) -> list[Array]:
    """What is sent of all that has no rows: changes of the parameters, and now and then velocities.

    Each rank has velocities of its own between complete exchanges.
    """
    changes = [state.parameters.U - agreed.U, state.parameters.c - agreed.c]
    return [*changes, *state.velocity] if complete else changes


def _set_dense(means: Array, state: UpdateState, agreed: Parameters, complete: bool) -> None:
    """Set all that has no rows, from the means of what was sent of it."""
    end = 0
    for parameter, base in ((state.parameters.U, agreed.U), (state.parameters.c, agreed.c)):
        base += means[end : end + base.size].reshape(base.shape)
        parameter[...] = base
        end += base.size
    for velocity in state.velocity if complete else ():
        velocity[...] = means[end : end + velocity.size].reshape(velocity.shape)
        end += velocity.size


def _means(received: Sequence[Message], step: int, sender: int, place: Array) -> Message:
    """What the ranks sent, merged: rows by their factors, blocks as plain means."""
    most, d = sum(len(message.rows.words) for message in received), received[0].d
    count, rows, totals = 0, np.empty(most, np.int32), np.empty((most, d + 3))
    blocks = np.zeros(received[0].levels.shape)
    for message in received:
        count = add_rows_of_rank(message.rows, place, rows, count, totals)
        add_blocks(message.scales, message.levels, blocks)
    means = Message.empty(count, d, len(blocks), counted=False)
    pack_merged(rows[:count], totals, place, step, sender, means.rows)
    mean = (blocks / len(received)).astype(np.float32)
    quantize_blocks(mean, step, sender, place.size, means.scales, means.levels)
    return means
