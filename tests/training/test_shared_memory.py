"""Processes of one machine send each other blocks through memory, and see when one has ended."""

import os
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from wordrbm.training import shared_memory
from wordrbm.training.shared_memory import RankEndedError, connect, memory_size, share_arrays

SIZE = memory_size(2)
pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux has memfd")


class Texts:
    """What ranks that are threads of this process tell each other."""

    def __init__(self, world):
        self.world, self.barrier = world, threading.Barrier(world, timeout=60)
        self.texts = [""] * world

    def of(self, rank):
        def gather_texts(text):
            self.texts[rank] = text
            self.barrier.wait()
            texts = list(self.texts)
            self.barrier.wait()
            return texts

        return SimpleNamespace(
            rank=rank, world=self.world, gather_texts=gather_texts,
            share=lambda text: gather_texts(text)[0],
        )  # fmt: skip


@pytest.fixture
def run_ranks(monkeypatch):
    """Ranks as threads: they all hold the locks of all, so none can look who has ended."""
    monkeypatch.setattr(shared_memory, "CHECK_SECONDS", 1e9)
    return call_ranks


def call_ranks(world, work, timeout=60.0):
    """Call `work(rank, memory)` for each rank, in a thread; what they return."""
    texts, results = Texts(world), [None] * world

    def call(rank):
        results[rank] = work(rank, connect(texts.of(rank), timeout))

    threads = [threading.Thread(target=call, args=(rank,)) for rank in range(world)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def message(source, target, turn, longest):
    """What a rank sends another: its length is chance, and may be 0."""
    rng = np.random.default_rng([source, target, turn])
    return rng.integers(0, 256, rng.integers(0, longest) * rng.integers(0, 2), np.uint8)


@pytest.mark.parametrize("world", [2, 3, 5])
@pytest.mark.parametrize("piece", [64, 2**12])
def test_every_message_arrives_whatever_its_length(monkeypatch, run_ranks, world, piece):
    monkeypatch.setattr(shared_memory, "PIECE_BYTES", piece)

    def work(rank, memory):
        wrong = 0
        for turn in range(40):
            blocks = [message(rank, target, turn, 500) for target in range(world)]
            received = memory.exchange(blocks)
            for source, block in enumerate(received):
                wrong += not np.array_equal(block, message(source, rank, turn, 500))
        return wrong

    assert run_ranks(world, work) == [0] * world


def test_an_outbox_is_not_written_before_it_is_read(run_ranks):
    """The first rank reads late: the second is in its next exchange by then."""

    def work(rank, memory):
        swap, wrong = memory._swap, 0

        def swap_slowly(ends, piece):
            swapped = swap(ends, piece)
            time.sleep(0.05)
            return swapped

        if rank == 0:
            memory._swap = swap_slowly
        for turn in range(4):
            received = memory.exchange(blocks(b"%d" % turn))
            wrong += received[1 - rank].tobytes() != b"%d" % turn
        return wrong

    assert run_ranks(2, work) == [0, 0]


def test_arrays_of_the_first_rank_are_seen_and_changed_by_all():
    texts, tables = Texts(3), [None] * 3

    def work(rank):
        own = [np.full(5, rank + 1.0, np.float32), np.full((2, 3), rank), np.zeros(0)]
        tables[rank] = share_arrays(texts.of(rank), own)
        tables[rank][1][0, rank] = 7
        texts.of(rank).gather_texts("")

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for first, second, empty in tables:
        np.testing.assert_array_equal(first, np.ones(5, np.float32))
        np.testing.assert_array_equal(second, [[7] * 3, [0] * 3])
        assert empty.size == 0
        assert first.ctypes.data % 64 == second.ctypes.data % 64 == 0


def test_arrays_are_not_shared_where_one_rank_cannot(monkeypatch):
    monkeypatch.setenv("WORDRBM_SHARED_MEMORY", "0")
    texts = SimpleNamespace(rank=0, share=lambda text: text, gather_texts=lambda text: [text, text])
    assert share_arrays(texts, [np.zeros(3)]) is None


def test_a_single_process_shares_no_memory():
    assert connect(SimpleNamespace(rank=0, world=1), 1.0) is None


def test_the_switch_and_another_network_do_without(monkeypatch, run_ranks):
    monkeypatch.setenv("WORDRBM_SHARED_MEMORY", "0")
    assert run_ranks(2, lambda rank, memory: memory) == [None, None]
    monkeypatch.delenv("WORDRBM_SHARED_MEMORY")
    networks = iter("ab")
    monkeypatch.setattr(shared_memory, "_network", lambda: next(networks))
    assert run_ranks(2, lambda rank, memory: memory) == [None, None]


def test_a_number_that_is_something_else_here_is_refused(tmp_path):
    other = tmp_path / "file"
    other.write_bytes(b"x" * 100)
    descriptor, address = shared_memory._create(SIZE)
    assert shared_memory._open(address.replace(f"fd/{descriptor}", "fd/999999"), SIZE) == -1
    with other.open("rb+") as file:
        assert (
            shared_memory._open(address.replace(f"fd/{descriptor}", f"fd/{file.fileno()}"), SIZE)
            == -1
        )
    own = shared_memory._open(address, SIZE)
    assert own >= 0
    os.close(own)
    os.close(descriptor)


def forked(work):
    """Two ranks, the second a process of its own that ends or stays as `work` lets it."""
    descriptor, address = shared_memory._create(SIZE)
    child = os.fork()
    if child == 0:
        try:
            work(shared_memory.SharedMemory(shared_memory._open(address, SIZE), 1, 2, 60.0))
        finally:
            os._exit(0)
    return child, shared_memory.SharedMemory(descriptor, 0, 2, 1.0)


def blocks(text):
    return [np.frombuffer(text, np.uint8)] * 2


def exchange_and_wait(memory):
    memory.exchange(blocks(b"here"))
    time.sleep(600)


def test_a_killed_rank_is_seen_before_the_timeout():
    child, memory = forked(exchange_and_wait)
    memory._timeout = 15.0
    assert memory.exchange(blocks(b"me"))[1].tobytes() == b"here"
    os.kill(child, signal.SIGKILL)
    began = time.monotonic()
    with pytest.raises(RankEndedError, match="rank 1 has ended"):
        memory.exchange(blocks(b"me"))
    assert time.monotonic() - began < 10
    os.waitpid(child, 0)


def test_a_rank_that_ends_after_its_last_message_is_not_missed():
    def work(memory):
        memory.exchange(blocks(b"one"))
        memory.exchange(blocks(b"two"))

    child, memory = forked(work)
    memory._timeout = 60.0
    assert memory.exchange(blocks(b"me"))[1].tobytes() == b"one"
    time.sleep(0.5)
    assert memory.exchange(blocks(b"me"))[1].tobytes() == b"two"
    os.waitpid(child, 0)


def test_a_stopped_rank_is_waited_for_until_the_timeout():
    child, memory = forked(exchange_and_wait)
    memory._timeout = 60.0
    memory.exchange(blocks(b"me"))
    memory._timeout = 1.0
    os.kill(child, signal.SIGSTOP)
    with pytest.raises(RankEndedError, match="did not come within 1 s"):
        memory.exchange(blocks(b"me"))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
