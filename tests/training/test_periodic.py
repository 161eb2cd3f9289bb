"""Ranks that are averaged now and then: weighted by updates, the same on every rank."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from tests.training.test_exchange import Threads
from wordrbm.kernels.optimizer import STRIDE, AverageTables, Velocity
from wordrbm.kernels.pcd_gradient import Parameters, ShardGradient
from wordrbm.kernels.periodic import row_owners
from wordrbm.training.exchange import Requests
from wordrbm.training.optimizer import Averages
from wordrbm.training.periodic import PeriodicExchange

K, d, H, POWER = 12, 3, 4, 2  # an odd d: records are padded
SHAPES = {"D": (K, d), "U": (H, d), "b": (K,), "c": (H,)}


def started(rank):
    """The state of a rank before its first update: parameters and averages are those of all."""
    rng = np.random.default_rng(5)

    def arrays():
        return {name: rng.normal(size=x).astype(np.float32) for name, x in SHAPES.items()}

    empty = np.zeros((1, 1), np.float32)
    return SimpleNamespace(
        parameters=Parameters(**arrays()),
        averages=AverageTables(**arrays(), covered=np.zeros(K, np.int64), power=POWER),
        gradient=ShardGradient(empty, empty, empty, *[empty] * 5, empty),
        velocity=Velocity(U=np.full((H, d), rank, np.float32), c=np.zeros(H, np.float32)),
    )


def update(state, rng, rows):
    """Change these rows, each by any amount, and the dense parameters."""
    for w in rows:
        state.parameters.D[w] += (rng.normal(size=d) * 10.0 ** rng.integers(-6, 1)).astype("f4")
        state.parameters.b[w] += np.float32(rng.normal())
    state.parameters.U[...] += rng.normal(size=(H, d)).astype(np.float32)
    row_index, count = np.array([rows], np.int32), np.array([len(rows)], np.int64)
    state.gradient = state.gradient._replace(row_index=row_index, rows=count)


def run_ranks(world, work):
    """Call a function in a thread for each rank; what each returns."""
    results = [None] * world

    def call(rank):
        results[rank] = work(rank)

    workers = [threading.Thread(target=call, args=(rank,)) for rank in range(world)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


def averaged(named, wanted=None):
    """The states of ranks after one exchange, those before it, and what they agreed."""
    world, transport = len(named), Threads(len(named))

    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), lambda step: True)
        exchange.begin(state)
        update(state, np.random.default_rng(rank), named[rank])
        before = {name: getattr(state.parameters, name).copy() for name in SHAPES}
        exchange.agree((wanted or [Requests()] * world)[rank], 1)
        exchange.gather_parameters(24, state)
        return state, before, exchange.agreed

    return zip(*run_ranks(world, work), strict=True)


def test_a_row_is_averaged_by_how_often_each_rank_has_updated_it():
    states, before, _ = averaged([[1, 2, 2, 2], [2, 5], []])
    D, b, first = [x["D"] for x in before], [x["b"] for x in before], started(0).parameters
    for state in states:
        mean, close = state.parameters, {"rtol": 1e-6, "atol": 1e-4}
        np.testing.assert_allclose(mean.D[2], (3 * D[0][2] + D[1][2]) / 4, **close)
        np.testing.assert_allclose(mean.b[2], (3 * b[0][2] + b[1][2]) / 4, rtol=1e-6)
        np.testing.assert_allclose(mean.D[1], D[0][1], **close)
        np.testing.assert_allclose(mean.D[5], D[1][5], **close)
        np.testing.assert_array_equal(mean.D[[0, 3, 4]], first.D[[0, 3, 4]])
        np.testing.assert_allclose(state.velocity.U, 1.0)
        U = np.mean([x["U"] for x in before], axis=0)
        np.testing.assert_allclose(mean.U, U, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(mean.D, states[0].parameters.D)
        np.testing.assert_array_equal(mean.b, states[0].parameters.b)


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1.0, 1e6])
def test_a_change_is_sent_to_within_a_65534th_of_the_largest_of_its_row(size):
    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), lambda step: True)
        state.parameters.D[...] = 0.0
        exchange.begin(state)
        update(state, np.random.default_rng(1), [4])
        state.parameters.D[4] = [size, -size / 3, size / 7]
        exchange.gather_parameters(24, state)
        return state.parameters.D[4]

    transport = Threads(1)
    (row,) = run_ranks(1, work)
    # It is rounded twice, to its owner and back, the second time to the same integers.
    assert abs(row - [size, -size / 3, size / 7]).max() <= size / 65_534 * 1.01


def test_numbers_that_are_lost_stay_lost():
    """A diverged run must be seen by its checks, not sent as some number."""

    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), lambda step: True)
        exchange.begin(state)
        update(state, np.random.default_rng(1), [4])
        state.parameters.D[4, 1] = [np.nan, np.inf][rank]
        exchange.gather_parameters(24, state)
        return state.parameters.D[4]

    transport = Threads(2)
    assert all(np.isnan(row).all() for row in run_ranks(2, work))


@pytest.mark.parametrize("world", [1, 2, 3])
def test_the_average_of_a_row_is_that_of_its_owners_copy(world):
    """Referee: every sample of the owner's copy, weighted by the rise of s^power, in a loop."""
    steps, every, transport = 5 * STRIDE, 7, Threads(world)

    def work(rank):
        state, rng = started(rank), np.random.default_rng(rank)
        exchange = PeriodicExchange(transport.of(rank), lambda step: step % every == 0)
        exchange.begin(state)
        tables, averages = state.parameters, state.averages
        samples = []
        for step in range(1, steps + 1):
            rows = [int(w) for w in rng.integers(0, K - 1, 2)]
            for w in rows:  # as an update does before it changes a row
                if averages.covered[w] < (now := (step - 1) // STRIDE):
                    decay = (averages.covered[w] / now) ** POWER
                    averages.D[w] = decay * averages.D[w] + (1 - decay) * tables.D[w]
                    averages.b[w] = decay * averages.b[w] + (1 - decay) * tables.b[w]
                    averages.covered[w] = now
            update(state, rng, rows)
            exchange.gather_parameters(step, state)
            if step % STRIDE == 0:
                samples.append((tables.D.astype(float), tables.b.astype(float)))
        value = {"D": averages.D, "b": averages.b}
        complete = exchange.complete(Averages(POWER, value, ("D", "b"), averages.covered))
        return samples, complete, tables

    results = run_ranks(world, work)
    complete = results[0][1]
    owners, last = row_owners(np.arange(K), world), steps // STRIDE
    for w in range(K):
        for name, place in (("D", 0), ("b", 1)):
            samples = [sample[place][w] for sample in results[owners[w]][0]]
            weights = [(s + 1) ** POWER - s**POWER for s in range(last)]
            mean = sum(a * x for a, x in zip(weights, samples, strict=True)) / last**POWER
            decay = (complete.covered[w] / last) ** POWER
            own = results[owners[w]][2]
            lazily = decay * complete.value[name][w] + (1 - decay) * getattr(own, name)[w]
            np.testing.assert_allclose(lazily, mean, rtol=1e-4, atol=1e-5)
    assert complete.covered.max() <= last


def test_what_one_rank_wants_all_do():
    _, _, agreed = averaged([[1], [2]], [Requests(), Requests(save=True)])
    assert list(agreed) == [Requests(save=True)] * 2
