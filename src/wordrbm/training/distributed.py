"""Processes on one or many machines, by `torch.distributed` (gloo).

Every process that torchrun has started calls `join_group`. One whose beat stops for longer than the
timeout is lost: the others end with a sentence that names it. Texts go through the store of the
rendezvous, arrays through gloo, or memory where all processes are of one machine.
"""

import json
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NoReturn, TypeVar, final

import numpy as np

from wordrbm.errors import RankLost, Stopped, WordRBMError
from wordrbm.shapes import Array
from wordrbm.training.heartbeat import Heartbeat, call_within
from wordrbm.training.rendezvous import agree_on_start
from wordrbm.training.shared_memory import connect, share_arrays

T = TypeVar("T")
POLL_SECONDS = 2.0
LEAVE_SECONDS = 10.0
START_SECONDS = 300  # in which all ranks must be started
INSTALL = "pip install torch==2.13.0"


def import_torch() -> Any:
    """`torch.distributed`, or the sentence that says how to install it."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # no stack of a lost connection
    try:
        import torch.distributed as dist
    except ImportError as error:
        raise WordRBMError(
            f"Training by several processes needs torch, which cannot be imported ({error}); "
            f"install it with: {INSTALL}"
        ) from None
    return dist


@final
class ProcessGroup:
    """The processes of a run: who they are, messages between them, and who is lost."""

    def __init__(self, store: Any, rank: int, world: int, timeout: float) -> None:
        self.rank, self.world, self.timeout = rank, world, timeout
        self._dist, self._store, self._count = import_torch(), store, 0
        self._beats = Heartbeat(store, rank)
        self._memory = connect(self, timeout)  # or gloo carries arrays
        self.is_reporter = True  # whether this rank prints a sentence that all end with

    @property
    def is_first(self) -> bool:
        """Whether this rank writes the files."""
        return self.rank == 0

    def all_gather(self, block: Array) -> Array:
        """The blocks of all ranks, which have the same size, on a new first axis."""
        flat = [np.ascontiguousarray(block).reshape(-1)] * self.world
        return np.stack(self.all_to_all(flat, [block.size] * self.world)).reshape(-1, *block.shape)

    def all_to_all(self, blocks: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
        """Send block p to rank p; what each rank sent here, of at most these sizes."""
        dtype = blocks[0].dtype
        with self._collective():
            if self._memory:
                received = self._memory.exchange([x.view(np.uint8) for x in blocks])
                return [x.view(dtype) for x in received]
            source, target = np.concatenate(blocks), np.empty(sum(sizes), dtype)
            splits = [size * dtype.itemsize for size in sizes], [x.nbytes for x in blocks]
            self._dist.all_to_all_single(_tensor(target), _tensor(source), *splits)
        return np.split(target, np.cumsum(sizes)[:-1])

    def share_arrays(self, arrays: Sequence[Array]) -> list[Array] | None:
        """The arrays of the first rank, in memory that all ranks have mapped; None without it."""
        return share_arrays(self, arrays) if self._memory else None

    def broadcast(self, arrays: dict[str, Array], message: dict[str, Any]) -> tuple[Any, Any]:
        """The arrays and the JSON of the first rank, on every rank."""
        shapes = {name: [x.dtype.str, x.shape] for name, x in arrays.items()}
        shapes, message = json.loads(self.share(json.dumps([shapes, message])))
        copies: dict[str, Array] = {}
        for name, (dtype, shape) in shapes.items():
            own = np.ascontiguousarray(arrays[name]) if self.is_first else np.empty(shape, dtype)
            with self._collective():
                self._dist.broadcast(_tensor(own.reshape(-1)), 0)
            copies[name] = own
        return copies, message

    def on_all(self, function: Callable[[], T]) -> T:
        """Call a function on every rank; a sentence raised by one is raised by all."""
        result, sentence = None, ""
        try:
            result = function()
        except WordRBMError as error:
            sentence = str(error)
        self.raise_any(sentence)
        return result  # type: ignore[return-value]

    def raise_any(self, sentence: str) -> None:
        """Raise, on every rank, the first sentence that one of them gives."""
        for rank, other in enumerate(self.gather_texts(sentence)):
            if other:
                raise WordRBMError(other if self.world == 1 else f"Rank {rank}: {other}")

    def on_first(self, function: Callable[[], T]) -> T | None:
        """Call a function on the first rank, while the others wait; what it raises all raise."""
        result, outcome = None, ["", ""]
        if self.is_first:
            try:
                result = function()
            except WordRBMError as error:
                outcome = [type(error).__name__, str(error)]
        kind, sentence = json.loads(self.share(json.dumps(outcome)))
        if kind:
            raise (Stopped if kind == Stopped.__name__ else WordRBMError)(sentence)
        return result

    def gather_texts(self, text: str) -> list[str]:
        """A text of every rank, on every rank; waits as long as all of them live."""
        self._count += 1
        self._store.set(f"text/{self._count}/{self.rank}", text or " ")
        return [self._await(f"text/{self._count}/{k}", k).strip() for k in range(self.world)]

    def meet(self) -> None:
        """Wait until every rank is here, as long as it lives."""
        self.gather_texts("")

    def check_same(self, facts: dict[str, Any]) -> None:
        """Refuse a rank that was started with something else than the first."""
        first, *others = (json.loads(text) for text in self.gather_texts(json.dumps(facts)))
        for rank, other in enumerate(others, 1):
            every = sorted(first.keys() | other.keys())
            if names := [name for name in every if first.get(name) != other.get(name)]:
                values = "; ".join(f"{x} is {first.get(x)} and {other.get(x)}" for x in names[:5])
                raise WordRBMError(
                    f"Rank {rank} was not started like rank 0: {values}; start all ranks with the "
                    "same corpus and options."
                )

    def leave(self) -> None:
        """End what all ranks end; the first, which may hold the store, waits for the others."""
        others = [f"left/{rank}" for rank in range(1, self.world)] if self.is_first else []
        limit = min(self.timeout, LEAVE_SECONDS)  # one that is lost is not waited for long

        def tell_and_wait() -> None:
            self._store.set(f"left/{self.rank}", " ")
            self._store.wait(others, timedelta(seconds=limit))

        call_within(tell_and_wait, None, limit + 1)
        self._beats.stop()

    def close(self, error: BaseException) -> None:
        """Let the others know the sentence this rank ends with."""
        sentence = f"Rank {self.rank}: {error}"
        if isinstance(error, KeyboardInterrupt):
            sentence = f"Rank {self.rank} was stopped; the same command with --resume goes on."
        if not isinstance(error, RankLost | Stopped) and not self._failure():
            call_within(lambda: self._store.set("failure", sentence), None)
        if self._memory:
            self._memory.close()  # those who wait for this rank look for its sentence
        # The store may be gone when all have left.
        self.is_reporter = call_within(lambda: int(self._store.add("reported", 1)) == 1, True)
        self.leave()

    def share(self, text: str) -> str:
        """A text of the first rank, on every rank."""
        self._count += 1
        key = f"first/{self._count}"
        if self.is_first:
            with self._collective():
                self._store.set(key, text)
            return text
        return self._await(key, 0)

    def _await(self, key: str, rank: int) -> str:
        """The text under a key that another rank sets; it may take long, if its beat goes on."""
        beats, silent_since = self._beats.count(rank), time.monotonic()
        while True:
            try:
                self._store.wait([key], timedelta(seconds=POLL_SECONDS))
                return str(self._store.get(key).decode())
            except Exception as error:  # not yet, or the store is gone
                self._raise_failure()
                now = self._beats.count(rank)
                if now != beats:
                    beats, silent_since = now, time.monotonic()
                if now < 0 or time.monotonic() - silent_since > self.timeout:
                    self._end_lost(error)

    @contextmanager
    def _collective(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:  # gloo: a peer has closed its connection, or a timeout
            self._end_lost(error)

    def _end_lost(self, error: BaseException) -> NoReturn:
        """Raise the sentence of the rank that failed, or name those whose beat has stopped."""
        self._raise_failure()
        silent = self._beats.silent_ranks(self.world)
        names = " and ".join(f"rank {rank}" for rank in silent or ()) or "another rank"
        if silent is None or self.rank in silent:
            names = f"the machine of rank 0, {os.environ.get('MASTER_ADDR', '')},"
        raise RankLost(
            f"{names[:1].upper()}{names[1:]} no longer answers rank {self.rank}: killed, stopped "
            f"or cut off for more than {self.timeout:g} s; nothing before the last checkpoint is "
            "lost, the same command with --resume goes on from there."
        ) from error

    def _raise_failure(self) -> None:
        """Raise the sentence with which another rank has ended, if one has."""
        if sentence := self._failure():
            raise WordRBMError(sentence)

    def _failure(self) -> str:
        """The sentence with which a rank has ended, or nothing."""
        store, key = self._store, ["failure"]
        text = call_within(lambda: store.check(key) and store.get(*key), b"")
        return str((text or b"").decode())


def _tensor(flat: Array) -> Any:
    """A contiguous array as bytes, for torch: it need not know the type."""
    import torch

    return torch.from_numpy(flat.view(np.uint8))


@contextmanager
def join_group(timeout: float = 60.0) -> Iterator[ProcessGroup]:
    """Join the processes that torchrun has started; what ends one of them is known to all."""
    dist = import_torch()
    if missing := [x for x in ("RANK", "WORLD_SIZE", "MASTER_ADDR") if x not in os.environ]:
        raise WordRBMError(
            f"--distributed needs {missing[0]} in the environment, which torchrun sets; start with "
            "`torchrun ... -m wordrbm`, or give --processes instead."
        )
    warnings.filterwarnings("ignore", module="torch")
    limit, waiting = (timedelta(seconds=x) for x in (timeout, max(timeout, START_SECONDS)))
    try:
        store, rank, world = next(iter(dist.rendezvous("env://", timeout=waiting)))
        name = agree_on_start(store, rank, world, waiting.total_seconds())
        gloo, texts = (dist.PrefixStore(f"{x}/{name}", store) for x in ("gloo", "texts"))
        dist.init_process_group("gloo", store=gloo, rank=rank, world_size=world, timeout=limit)
        group = ProcessGroup(texts, rank, world, timeout)
    except (RuntimeError, ValueError, TimeoutError, dist.DistError) as error:
        reason = " ".join(str(error).split())[:200]
        raise RankLost(f"The ranks did not find each other: {reason}; start all of them.") from None
    try:
        yield group
    except BaseException as error:
        group.close(error)
        raise
    group.leave()
    dist.destroy_process_group()
