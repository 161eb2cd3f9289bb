"""Periodic averaging: every rank trains on its own, and after some updates the ranks are averaged.

Each rank has its own chains and reads its own batches. A row that rank r has updated n_r times
since the last exchange becomes

    sum_r n_r x_r / sum_r n_r,

so that a word which only one rank has read keeps what it has learnt there. Dense parameters,
velocities and running averages are averaged likewise, those of no row plainly. Sums are taken in
the order of the ranks by the owner of a row or slice: the bits depend on the number of ranks, and
on nothing else.

Reference
    T. Lin, S. Stich, K. Patel, M. Jaggi. Don't use large mini-batches, use local SGD. ICLR 2020.
"""

from collections.abc import Callable
from typing import final

import numpy as np

from wordrbm.kernels.distributed import add_weighted, average_rows_to, count_updates, row_owners
from wordrbm.kernels.optimizer import STRIDE
from wordrbm.kernels.update import UpdateState
from wordrbm.shapes import Array, Words
from wordrbm.training.batches import Batches
from wordrbm.training.exchange import Requests, Transport
from wordrbm.training.optimizer import part_slice


@final
class PeriodicExchange:
    """Averages the ranks after the updates for which `is_due` is true."""

    rank, world = 0, 1  # every rank computes all shards of its own batches

    def __init__(self, transport: Transport, is_due: Callable[[int], bool]) -> None:
        self._transport, self._is_due = transport, is_due
        self.wanted = self.agreed = Requests()
        self._updates: Array = np.zeros(0, np.int32)  # of each row, since the last exchange
        self._updated, self._count = self._updates, 0  # the rows that have any

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update: something only where all are the same."""
        self.wanted = wanted
        return self.agreed if self._is_due(step) else Requests()

    def gather_gradients(self, state: UpdateState) -> None:
        """Nothing: every rank has the gradients of its own batch."""

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        if not self._updates.size:
            self._updates = np.zeros(len(state.parameters.b), np.int32)
            self._updated = np.empty_like(self._updates)
            self._transport.meet()  # one of them may have compiled for longer than the timeout
        self._count = count_updates(state.gradient, self._updates, self._updated, self._count)
        if self._is_due(step):
            self._average(step // STRIDE, state)

    def _average(self, now: int, state: UpdateState) -> None:
        rows, self._count = np.sort(self._updated[: self._count]), 0
        if state.averages.power > 0:
            average_rows_to(now, rows, state.parameters, state.averages)
        owners = row_owners(rows, self._transport.world)
        counts = np.bincount(owners, minlength=self._transport.world).astype(np.int64)
        header = np.concatenate([np.array(self.wanted, np.int64), counts])
        self._transport.meet()  # a slow rank is waited for as long as it lives
        headers = self._transport.all_gather(header)
        self.agreed = Requests(bool(headers[:, 0].any()), bool(headers[:, 1].any()))
        order = np.argsort(owners, kind="stable")
        merged = self._merge(rows[order], headers[:, 2:], state)
        self._distribute(now, *merged, state)
        self._updates[rows] = 0

    def _merge(self, rows: Array, counts: Array, state: UpdateState) -> tuple[Array, Array, Array]:
        """Send rows to their owners; the means of what is owned here: dense, row numbers, rows."""
        rank, world = self._transport.rank, self._transport.world
        dense = np.concatenate([x.reshape(-1) for x in _dense(state)])
        parts = [dense[part_slice(p, world, dense.size)] for p in range(world)]
        ends = np.cumsum(counts[rank])[:-1]
        shares = np.split(rows, ends)
        weights = [self._updates[share] for share in shares]
        names = [np.concatenate([a, b]) for a, b in zip(shares, weights, strict=True)]
        values = [_rows(share, state) for share in shares]
        packed = [np.concatenate([a, b.reshape(-1)]) for a, b in zip(parts, values, strict=True)]
        received = counts[:, rank]
        names = self._transport.all_to_all(names, [2 * int(count) for count in received])
        width, size = values[0].shape[1], parts[rank].size
        packed = self._transport.all_to_all(
            packed, [size + width * int(count) for count in received]
        )
        mean = np.sum([block[:size] for block in packed], axis=0, dtype=np.float64) / world
        tables = [block[size:].reshape(-1, width) for block in packed]
        return mean.astype(dense.dtype), *_weighted_mean(names, tables)

    def _distribute(
        self, now: int, mean: Array, rows: Array, values: Array, state: UpdateState
    ) -> None:
        """Send what is owned here to all, and take what the others own."""
        world = self._transport.world
        counts = self._transport.all_gather(np.array([rows.size]))[:, 0]
        sizes = [x.size for x in _dense(state)]
        slices = [part_slice(p, world, sum(sizes)) for p in range(world)]
        names = self._transport.all_to_all([rows] * world, [int(count) for count in counts])
        packed = np.concatenate([mean, values.reshape(-1)])
        lengths = [part.stop - part.start for part in slices]
        blocks = self._transport.all_to_all(
            [packed] * world,
            [a + values.shape[1] * int(b) for a, b in zip(lengths, counts, strict=True)],
        )
        dense = np.concatenate([block[:a] for block, a in zip(blocks, lengths, strict=True)])
        for array, part in zip(_dense(state), np.split(dense, np.cumsum(sizes)[:-1]), strict=True):
            array.reshape(-1)[...] = part
        for name, block, a in zip(names, blocks, lengths, strict=True):
            _set_rows(name, block[a:].reshape(-1, values.shape[1]), now, state)


def _dense(state: UpdateState) -> list[Array]:
    """All that has no rows: parameters, velocities and, if there are any, running averages."""
    arrays = [state.parameters.U, state.parameters.c, state.velocity.U, state.velocity.c]
    return arrays + ([state.averages.U, state.averages.c] if state.averages.power > 0 else [])


def _rows(rows: Array, state: UpdateState) -> Array:
    """These rows of D, b and their running averages, side by side."""
    tables = [state.parameters] + ([state.averages] if state.averages.power > 0 else [])
    return np.concatenate([y for x in tables for y in (x.D[rows], x.b[rows, None])], axis=1)


def _set_rows(rows: Array, values: Array, now: int, state: UpdateState) -> None:
    d = state.parameters.D.shape[1]
    state.parameters.D[rows], state.parameters.b[rows] = values[:, :d], values[:, d]
    if state.averages.power > 0:
        state.averages.D[rows] = values[:, d + 1 : -1]
        state.averages.b[rows], state.averages.covered[rows] = values[:, -1], now


def _weighted_mean(names: list[Array], tables: list[Array]) -> tuple[Array, Array]:
    """The distinct rows that the ranks sent, and the means of their values weighted by updates."""
    numbers = [block[: block.size // 2] for block in names]
    weights = [block[block.size // 2 :] for block in names]
    rows, place = np.unique(np.concatenate(numbers), return_inverse=True)
    total, weight = np.zeros((rows.size, tables[0].shape[1])), np.zeros(rows.size)
    places = np.split(place, np.cumsum([x.size for x in numbers])[:-1])
    for to, own, values in zip(places, weights, tables, strict=True):
        add_weighted(to, own, values, weight, total)
    return rows, (total / weight[:, None]).astype(tables[0].dtype)


@final
class RankBatches:
    """Every world-th batch of a run, beginning with that of this rank."""

    def __init__(self, batches: Batches, rank: int, world: int, batch_size: int) -> None:
        self._batches, self._rank, self._world, self._size = batches, rank, world, batch_size

    def __call__(self, first: int, size: int) -> Words:
        """The windows at positions first .. first + size - 1 of those that this rank reads."""
        parts, B = [], self._size
        while size > 0:
            block, place = divmod(first, B)
            count = min(size, B - place)
            start = (block * self._world + self._rank) * B + place
            parts.append(self._batches(start, count))
            first, size = first + count, size - count
        return np.concatenate(parts)
