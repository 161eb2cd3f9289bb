"""Processes that share the shards of every update give the bits of one, whoever has which shard."""

import copy
import threading
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.volume import CountingTransport

from wordrbm.errors import WordRBMError
from wordrbm.kernels.update import BAD_ID, DIVERGED, FLAGS
from wordrbm.models import init_wordrep
from wordrbm.sampling import PooledMetropolis
from wordrbm.training import TrainingSettings, start, train
from wordrbm.training.exchange import ExactExchange, Requests
from wordrbm.training.table_exchange import TableExchange, share_tables

n, H, d, K, B, M, S = 3, 7, 5, 60, 16, 24, 4
STEPS = 10  # past the first sample of the averages


class Threads:
    """Transports between threads of one process."""

    def __init__(self, world):
        barrier, boxes = threading.Barrier(world, timeout=60), [None] * world
        self.members = [CheckedTransport(rank, world, barrier, boxes) for rank in range(world)]

    def of(self, rank):
        return self.members[rank]


class CheckedTransport(CountingTransport):
    """Messages that must have the sizes which the receiver expects; and memory that all share."""

    def share_arrays(self, arrays):
        return self._swap([array.copy() for array in arrays])[0]

    def all_to_all(self, blocks, sizes):
        received = super().all_to_all(blocks, sizes)
        assert all(block.size <= size for block, size in zip(received, sizes, strict=True))
        # As gloo does: what was not sent is there, and means nothing.
        rest = [np.full(size - block.size, 77) for block, size in zip(received, sizes, strict=True)]
        return [np.append(a, b.astype(a.dtype)) for a, b in zip(received, rest, strict=True)]


@pytest.fixture(scope="module")
def setting():
    """A model, its operator, settings, windows and word frequencies."""
    rng = np.random.default_rng(3)
    q = rng.dirichlet(np.ones(K))
    settings = TrainingSettings(
        window=n, hidden=H, dimension=d, batch_size=B, chains=M, shards=S, mh_steps=5,
        warmup=0, reservoir=2 * B, candidates=4, windows=STEPS * B, l2=0.01, word_rate=0.1,
        jumps=2, bigram_share=0.3,
    )  # fmt: skip
    text = rng.choice(K, p=q, size=(500, n)).astype(np.int32)
    return settings, q, lambda first, size: text[(first + np.arange(size)) % 500]


def run(setting, exchange=None, threads=1, wanted=lambda step: Requests(), place=lambda *x: x):
    """Parameters, averages, velocities, chains and acceptances at the end of a run."""
    settings, q, batches = setting
    model = init_wordrep(np.random.default_rng(1), n=n, H=H, d=d, word_probability=q)
    transition = PooledMetropolis.from_probability(q, steps=5, size=16)
    (model, first), agreed = place(model, start(model, batches, settings)), []
    for state, progress in train(
        model, transition, batches, settings, first, q=q, threads=threads, exchange=exchange
    ):
        accepted = progress[3:]
        if exchange:
            agreed.append(exchange.agree(wanted(state.step), state.step))
    if exchange:
        exchange.complete(state.chains, state.velocity, settings.shards)
    arrays = {**model.parameters(), "v": state.chains.v, "h": state.chains.h}
    arrays |= {f"average {name}": x for name, x in state.averages.value.items()}
    arrays |= {f"velocity {name}": x for name, x in state.velocity.items()}
    arrays |= {"covered": state.averages.covered, "accepted": np.array(accepted)}
    return copy.deepcopy(arrays), agreed


def shared(setting, world, threads=1, wanted=lambda rank, step: Requests(), tables=False):
    """The same run by so many ranks, each a thread; the result of each.

    They send each other numbers, or share the tables.
    """
    transport, results = Threads(world), [None] * world

    def place(rank, model, state):
        model, velocity, averages = share_tables(
            model, state.velocity, state.averages, transport.of(rank)
        )
        return model, state._replace(velocity=velocity, averages=averages)

    def work(rank):
        own = setting, (TableExchange if tables else ExactExchange)(transport.of(rank)), threads
        placing = {"place": partial(place, rank)} if tables else {}
        results[rank] = run(*own, lambda step: wanted(rank, step), **placing)

    workers = [threading.Thread(target=work, args=(rank,)) for rank in range(world)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


@pytest.fixture(scope="module")
def alone(setting):
    return run(setting)[0]


def check_same(results, alone):
    for arrays, _ in results:
        for name, value in alone.items():
            np.testing.assert_array_equal(arrays[name], value, err_msg=name)


@pytest.mark.parametrize("world", [1, 2, 3, 4, 5])
def test_any_number_of_ranks_gives_the_bits_of_one_process(setting, alone, world):
    check_same(shared(setting, world), alone)


@pytest.mark.parametrize("world", [2, 3, 4, 5])
def test_any_number_of_ranks_that_share_tables_gives_the_bits_of_one_process(setting, alone, world):
    check_same(shared(setting, world, tables=True), alone)


@pytest.mark.parametrize("tables", [False, True])
def test_threads_of_ranks_leave_the_bits(setting, alone, tables):
    check_same(shared(setting, 2, threads=2, tables=tables), alone)


@pytest.mark.parametrize("tables", [False, True])
def test_what_one_rank_wants_all_do_after_the_next_update(setting, tables):
    def wanted(rank, step):
        return Requests(stop=rank == 1 and step == 3, save=rank == 0 and step == 5)

    for _, agreed in shared(setting, 3, wanted=wanted, tables=tables):
        assert [k + 1 for k, each in enumerate(agreed) if each.stop] == [4]
        assert [k + 1 for k, each in enumerate(agreed) if each.save] == [6]


@pytest.mark.parametrize("tables", [False, True])
def test_a_request_that_is_met_is_not_met_twice(setting, tables):
    """A checkpoint is wanted until it is saved, which the caller knows one update later."""

    def wanted(rank, step):
        return Requests(save=step in (3, 4))

    for _, agreed in shared(setting, 2, wanted=wanted, tables=tables):
        assert [k + 1 for k, each in enumerate(agreed) if each.save] == [4]


def test_what_one_rank_finds_wrong_all_find():
    """A word that is not in the vocabulary, and parameters that are not finite."""
    transport, flags = Threads(3), [np.zeros(FLAGS, np.int64) for _ in range(3)]
    flags[1][BAD_ID], flags[2][DIVERGED] = 77, 1

    def work(rank):
        exchange, state = TableExchange(transport.of(rank)), SimpleNamespace(flags=flags[rank])
        exchange.gather_gradients(state)
        exchange.gather_parameters(1, state)

    workers = [threading.Thread(target=work, args=(rank,)) for rank in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [(x[BAD_ID], x[DIVERGED]) for x in flags] == [(77, 1)] * 3


def test_memory_that_cannot_be_shared_is_done_without_or_said(setting):
    settings, q, batches = setting
    model = init_wordrep(np.random.default_rng(1), n=n, H=H, d=d, word_probability=q)
    state = start(model, batches, settings)
    transport = SimpleNamespace(rank=0, world=2, share_arrays=lambda arrays: None)
    assert share_tables(model, state.velocity, state.averages, transport) is None
    with pytest.raises(WordRBMError, match="cannot share the memory"):
        TableExchange(transport).begin(SimpleNamespace(gradient=()))
