"""Blocks that processes of one machine send each other, through memory that all have mapped.

The memory has no name in any file system: the first rank makes it (`memfd_create`) and the others
open it through `/proc`, so nothing is left of it when the last process has ended, however it ended.
It holds a counter for each rank and two outboxes of each:

    outbox    where the message to each rank begins and ends, and a piece of the messages

In exchange t a rank writes its outbox t mod 2, sets its counter to t, waits for those of all ranks
and reads its messages from their outboxes. Who sets its counter to t + 1 has read all of exchange
t: in exchange t + 2 that outbox is free again. Messages longer than an outbox are sent in pieces,
each an exchange. Each rank holds a lock on a byte of the memory, which the system releases when it
ends: so the others see that it has.

Arrays that all ranks write to, each its own part, are in memory made in the same way, without
counters or locks (`share_arrays`): it is theirs as long as one of them lives.
"""

import json
import mmap
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol, final

import numpy as np

from wordrbm.kernels.shared_memory import LINE, arrive, await_ranks
from wordrbm.shapes import Array

with suppress(ImportError):  # Windows, where no memory is made either
    import fcntl

SWITCH = "WORDRBM_SHARED_MEMORY"  # the environment variable that is 0 to do without
ALIGNMENT = 64  # bytes: of each of the arrays shared
TOKEN_BYTES = 16  # random, at the end of new memory: so that others know it
PIECE_BYTES = 2**22  # of all messages of a rank, sent at once
SPINS = 20_000  # reads of a counter before a rank sleeps: some ten milliseconds
SLEEP_SECONDS = 2e-4
CHECK_SECONDS = 0.1  # after which a rank looks whether the others live


class RankEndedError(RuntimeError):
    """A rank has ended, or has not come within the timeout."""


class Group(Protocol):
    """Processes that can send each other texts."""

    @property
    def rank(self) -> int: ...

    @property
    def world(self) -> int: ...

    def share(self, text: str) -> str: ...

    def gather_texts(self, text: str) -> list[str]: ...


@final
class SharedMemory:
    """The memory of a run's ranks, all of which are processes of this machine."""

    def __init__(self, descriptor: int, rank: int, world: int, timeout: float) -> None:
        self._descriptor, self._rank, self._world, self._timeout = descriptor, rank, world, timeout
        self._map = mmap.mmap(descriptor, memory_size(world))
        words = np.frombuffer(self._map, np.int64)
        self._counters = words[: world * LINE]
        self._number = 0  # of the last exchange
        boxes = words[world * LINE : memory_size(world) // 8].reshape(2, world, -1)
        self._ends, self._pieces = boxes[:, :, : world + 1], boxes[:, :, world + 1 :].view(np.uint8)
        fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, rank)

    def exchange(self, blocks: Sequence[Array]) -> list[Array]:
        """Send block p, of bytes, to rank p; what each rank sent here."""
        ends = np.cumsum([0, *(block.size for block in blocks)])
        source = np.concatenate(blocks)
        received: list[Array] = []
        start = 0
        while True:
            pieces, all_ends = self._swap(ends, source[start : start + PIECE_BYTES])
            if not received:
                received = [np.empty(end[1] - end[0], np.uint8) for end in self._own(all_ends)]
            for block, piece, (first, last) in zip(
                received, pieces, self._own(all_ends), strict=True
            ):
                part = slice(max(first, start), min(last, start + PIECE_BYTES))
                if part.start < part.stop:
                    block[part.start - first : part.stop - first] = piece[
                        part.start - start : part.stop - start
                    ]
            start += PIECE_BYTES
            if start >= all_ends[:, -1].max():
                return received

    def _own(self, ends: Array) -> Array:
        """Where the messages to this rank begin and end."""
        return ends[:, self._rank : self._rank + 2]

    def _swap(self, ends: Array, piece: Array) -> tuple[Array, Array]:
        """Write a piece and where messages end; those of all ranks, until the next exchange."""
        self._number += 1
        outbox = self._number % 2
        self._ends[outbox, self._rank] = ends
        self._pieces[outbox, self._rank, : piece.size] = piece
        arrive(self._counters, self._rank, self._number)
        self._await()
        return self._pieces[outbox], self._ends[outbox]

    def _await(self) -> None:
        """Wait until every rank has arrived, asleep if that takes long."""
        if await_ranks(self._counters, self._number, SPINS):
            return
        now = time.monotonic()
        deadline, check = now + self._timeout, now + CHECK_SECONDS
        while not await_ranks(self._counters, self._number, 1):
            time.sleep(SLEEP_SECONDS)
            now = time.monotonic()
            if now > check:
                self._check_alive()
                check = now + CHECK_SECONDS
            if now > deadline:
                raise RankEndedError(f"a rank did not come within {self._timeout:g} s")

    def _check_alive(self) -> None:
        """Raise if a rank that has not arrived has ended: nothing holds its lock."""
        for rank in range(self._world):
            if rank != self._rank and self._counters[rank * LINE] < self._number:
                try:
                    fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, rank)
                except OSError:
                    continue
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, rank)
                if self._counters[rank * LINE] < self._number:  # or it ended after it had arrived
                    raise RankEndedError(f"rank {rank} has ended")

    def close(self) -> None:
        """Let the others see that this rank takes part no more; more than once does no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def memory_size(world: int) -> int:
    """Bytes of the memory: counters, and two outboxes of each rank."""
    return 8 * world * LINE + 2 * world * (8 * (world + 1) + PIECE_BYTES)


def connect(group: Group, timeout: float) -> SharedMemory | None:
    """The memory of the ranks of a group, if all of them are processes of this machine."""
    if group.world == 1:
        return None
    descriptor = _open_on_all(group, memory_size(group.world))
    if descriptor < 0:
        return None
    memory = SharedMemory(descriptor, group.rank, group.world, timeout)
    group.gather_texts("")  # all hold their locks
    return memory


def share_arrays(group: Group, arrays: Sequence[Array]) -> list[Array] | None:
    """Copies of the first rank's arrays in memory that all ranks have mapped; or None."""
    starts = np.cumsum([0, *(-(-x.nbytes // ALIGNMENT) * ALIGNMENT for x in arrays)])
    size = int(starts[-1]) + TOKEN_BYTES
    descriptor = _open_on_all(group, size)
    if descriptor < 0:
        return None
    shared = mmap.mmap(descriptor, size)
    os.close(descriptor)
    copies = [
        np.frombuffer(shared, array.dtype, array.size, start).reshape(array.shape)
        for array, start in zip(arrays, starts[:-1].tolist(), strict=True)
    ]
    for copy, array in zip(copies, arrays, strict=True) if group.rank == 0 else ():
        copy[...] = array
    group.gather_texts("")  # they are written
    return copies


def _open_on_all(group: Group, size: int) -> int:
    """A descriptor of new memory on every rank; -1 on all if one of them cannot have it."""
    descriptor, address = _create(size) if group.rank == 0 else (-1, "")
    address = group.share(address or " ").strip()
    if group.rank != 0 and address:
        descriptor = _open(address, size)
    if all(group.gather_texts("open" if descriptor >= 0 else "")):
        return descriptor
    if descriptor >= 0:
        os.close(descriptor)
    return -1


def _create(size: int) -> tuple[int, str]:
    """Make so many bytes of memory: a descriptor and how others open it, or -1 and nothing."""
    if os.environ.get(SWITCH) == "0":
        return -1, ""
    try:
        descriptor = os.memfd_create("wordrbm", os.MFD_CLOEXEC)
    except (AttributeError, OSError):  # only Linux has it
        return -1, ""
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError:  # it is more than this process may have
        os.close(descriptor)
        return -1, ""
    token = os.urandom(TOKEN_BYTES)
    os.pwrite(descriptor, token, size - TOKEN_BYTES)
    path = f"/proc/{os.getpid()}/fd/{descriptor}"
    return descriptor, json.dumps([path, token.hex(), _network()])


def _open(address: str, size: int) -> int:
    """A descriptor of the memory that the first rank has made; -1 if that is another machine's."""
    if os.environ.get(SWITCH) == "0":
        return -1
    path, token, network = json.loads(address)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return -1
    try:
        written = os.pread(descriptor, TOKEN_BYTES, size - TOKEN_BYTES)
    except OSError:  # something else has that number here
        written = b""
    if written.hex() == token and network == _network():
        return descriptor
    os.close(descriptor)
    return -1


def _network() -> str:
    """The network that this process sees: containers with other networks are other machines."""
    try:
        return os.readlink("/proc/self/ns/net")
    except OSError:
        return ""
