"""Ranks that are averaged now and then: weighted by updates, the same on every rank."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from tests.training.test_exchange import Threads
from wordrbm.kernels.optimizer import AverageTables, Velocity
from wordrbm.kernels.pcd_gradient import Parameters, ShardGradient
from wordrbm.training.exchange import Requests
from wordrbm.training.periodic import PeriodicExchange, RankBatches

K, d, H = 12, 3, 4


def state_of(rank, rows):
    """The state of a rank after an update with these rows; every number tells who has it."""
    rng = np.random.default_rng(rank)

    def arrays():
        shapes = {"D": (K, d), "U": (H, d), "b": (K,), "c": (H,)}
        return {name: rng.normal(size=x).astype(np.float32) for name, x in shapes.items()}

    row_index, empty = np.array([rows], np.int32), np.zeros((1, 1), np.float32)
    count = np.array([len(rows)], np.int64)
    return SimpleNamespace(
        parameters=Parameters(**arrays()),
        averages=AverageTables(**arrays(), covered=np.full(K, 3, np.int64), power=2),
        gradient=ShardGradient(empty, empty, row_index, *[empty] * 5, count),
        velocity=Velocity(U=np.full((H, d), rank, np.float32), c=np.zeros(H, np.float32)),
    )


def averaged(named, wanted):
    """The states of ranks after one exchange, and what they agreed."""
    transport, world = Threads(len(named)), len(named)
    states = [state_of(rank, rows) for rank, rows in enumerate(named)]
    exchanges = [PeriodicExchange(transport.of(rank), lambda step: True) for rank in range(world)]

    def work(rank):
        exchanges[rank].agree(wanted[rank], 1)
        exchanges[rank].gather_parameters(24, states[rank])

    workers = [threading.Thread(target=work, args=(rank,)) for rank in range(world)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return states, [exchange.agreed for exchange in exchanges]


def test_a_row_is_averaged_by_how_often_each_rank_has_updated_it():
    named = [[1, 2, 2, 2], [2, 5], []]
    states, _ = averaged(named, [Requests()] * 3)
    before = [state_of(rank, rows) for rank, rows in enumerate(named)]
    for state in states:
        for table in ("parameters", "averages"):
            D = [getattr(x, table).D for x in before]
            mean = getattr(state, table).D
            np.testing.assert_allclose(mean[2], (3 * D[0][2] + D[1][2]) / 4, rtol=1e-6)
            np.testing.assert_allclose(mean[1], D[0][1], rtol=1e-6)
            np.testing.assert_allclose(mean[5], D[1][5], rtol=1e-6)
        np.testing.assert_allclose(state.velocity.U, 1.0)
        U = np.mean([x.parameters.U for x in before], axis=0)
        np.testing.assert_allclose(state.parameters.U, U, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(
            state.parameters.D[[1, 2, 5]], states[0].parameters.D[[1, 2, 5]]
        )


def test_what_one_rank_wants_all_do():
    _, agreed = averaged([[1], [2]], [Requests(), Requests(save=True)])
    assert agreed == [Requests(save=True)] * 2


@pytest.mark.parametrize("world", [1, 2, 3])
def test_the_ranks_read_every_batch_once(world):
    B, text = 4, np.arange(400).reshape(-1, 2)
    parts = [RankBatches(lambda i, k: text[i : i + k], rank, world, B) for rank in range(world)]
    size = B * (len(text) // B // world)
    read = np.concatenate([part(0, size) for part in parts])
    assert len(np.unique(read[:, 0])) == size * world
    for part in parts:
        np.testing.assert_array_equal(part(3, 9), part(0, 12)[3:])
