"""Ranks that are averaged now and then: rows by their levels, the same on every rank."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from tests.kernels.test_quantization import draw, rounded, short_of
from tests.training.test_exchange import Threads
from wordrbm.kernels.optimizer import STRIDE, AverageTables, Velocity, average_dense
from wordrbm.kernels.pcd_gradient import Parameters, ShardGradient
from wordrbm.kernels.periodic import FEW, merge_factor, row_owners
from wordrbm.kernels.quantization import HALF_BYTES, draw_key
from wordrbm.training.exchange import Requests
from wordrbm.training.optimizer import Averages, part_slice
from wordrbm.training.periodic import PeriodicExchange

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # where nothing is compiled

K, d, H, POWER = 12, 3, 4, 2  # an odd d: records are padded
STEP = 24  # the update after which ranks are averaged
SHAPES = {"D": (K, d), "U": (H, d), "b": (K,), "c": (H,)}


class Every:
    """Merges all rows after every so many updates; rows of level 1 every second time."""

    def __init__(self, updates, level=None):
        self.updates = updates
        self.level = np.zeros(K, np.int64) if level is None else np.array(level)

    def levels_due(self, step):
        if step % self.updates:
            return 0
        return 2 if step % (2 * self.updates) == 0 else 1

    def is_complete(self, step):
        return self.levels_due(step) > self.level.max()

    def row_levels(self, rate_scale):
        return self.level


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
        row_rates=SimpleNamespace(rate_scale=np.ones(K, np.float32)),
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


def copied(state):
    """The parameters of a state by name, as they are now."""
    return {name: getattr(state.parameters, name).copy() for name in SHAPES}


def averaged(named, wanted=None):
    """The states of ranks after their second exchange, after the first and before the second.

    And what they agreed.
    """
    world, transport = len(named), Threads(len(named))

    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), Every(1))
        exchange.begin(state)
        update(state, np.random.default_rng(7 + rank), [w for w in (0, 2, 5) if w != rank])
        exchange.gather_parameters(STEP - 1, state)
        first = copied(state)
        state.velocity.U[...] = rank
        update(state, np.random.default_rng(rank), named[rank])
        before = copied(state)
        exchange.agree((wanted or [Requests()] * world)[rank], 1)
        exchange.gather_parameters(STEP, state)
        return state, first, before, exchange.agreed

    return zip(*run_ranks(world, work), strict=True)


def received(named, first, before, w):
    """Referee: the changes of row w that its owner is sent, of D and of b, and how often."""
    for rank, rows in enumerate(named):
        if w in rows:
            key = draw_key(STEP, rank, w)
            change = before[rank]["D"][w] - first["D"][w]
            bias = short_of(before[rank]["b"][w] - first["b"][w], draw(key, d) >> 16)
            yield rounded(change, key, HALF_BYTES), bias, rows.count(w)


def test_one_rank_alone_goes_on_as_it_is():
    wanted = Requests(True, False)
    (state,), _, (before,), (agreed,) = averaged([[1, 2, 2]], [wanted])
    assert agreed == wanted
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(state.parameters, name), value)


def merged(changes):
    """Referee: what a row changes by, given what each rank says of it."""
    ranks, total = len(changes), sum(count for *_, count in changes)
    n = total / ranks
    factor = (ranks * FEW + n) / (FEW + n)
    change = sum(count / total * change.astype(float) for change, _, count in changes)
    bias = sum(count / total * float(bias) for _, bias, count in changes)
    return np.append(factor * change, factor * bias).astype(np.float32)


def test_a_row_is_merged_by_how_often_each_rank_has_updated_it():
    """Referee: the formula in a loop, rounded before and after."""
    named = [[1, 2, 2, 2], [2, 5], []]
    states, (first, *_), before, _ = averaged(named)
    for w, owner in enumerate(row_owners(np.arange(K), 3)):
        row, b = first["D"][w].copy(), first["b"][w]
        if changes := list(received(named, first, before, w)):
            change, key = merged(changes), draw_key(STEP, 3 + owner, w)
            row += rounded(change[:d], key, HALF_BYTES)
            b += short_of(change[d], draw(key, d) >> 16)
        for state in states:
            np.testing.assert_allclose(state.parameters.D[w], row, rtol=1e-6)
            np.testing.assert_allclose(state.parameters.b[w], b, rtol=1e-6)
            np.testing.assert_array_equal(state.parameters.D, states[0].parameters.D)


def test_few_changes_are_summed_and_many_averaged():
    for ranks in (1, 2, 4, 16):
        assert merge_factor(ranks, ranks) == pytest.approx((ranks * FEW + 1) / (FEW + 1))
        assert merge_factor(1e9 * ranks, ranks) == pytest.approx(1.0)
        factors = [merge_factor(n * ranks, ranks) for n in (1, 2, 5, 100)]
        assert factors == sorted(factors, reverse=True)


def test_a_row_waits_for_the_exchange_of_its_level():
    """Rows of the second level stay each rank's own until it is due; then all are the same."""
    transport, level = Threads(2), [w % 2 for w in range(K)]

    def work(rank):
        state, rng, seen = started(rank), np.random.default_rng(rank), []
        exchange = PeriodicExchange(transport.of(rank), Every(1, level))
        exchange.begin(state)
        for step in (1, 2):
            exchange.agree(Requests(stop=rank == 0), step - 1)
            update(state, rng, [2, 3, 4 + rank])
            before = copied(state)
            exchange.gather_parameters(step, state)
            agreed, velocity = exchange.agree(Requests(), step), float(state.velocity.U.sum())
            seen.append((before, copied(state), agreed, velocity))
        return seen

    (first, second), (other_first, other_second) = run_ranks(2, work)
    before, after, agreed, _ = first
    np.testing.assert_array_equal(after["D"][3], before["D"][3])
    assert (after["D"][2] != before["D"][2]).any()
    np.testing.assert_array_equal(after["D"][[2, 4]], other_first[1]["D"][[2, 4]])
    assert agreed == Requests()
    assert second[2] == other_second[2] == Requests(stop=True)
    assert first[3] != other_first[3]  # velocities wait too
    assert second[3] == other_second[3]
    for name, value in second[1].items():
        np.testing.assert_array_equal(value, other_second[1][name])


def test_dense_parameters_and_velocities_become_the_mean():
    states, (first, *_), before, _ = averaged([[1], [2, 5], []])
    for name in ("U", "c"):
        mean = np.mean([x[name] for x in before], axis=0)
        largest = max(abs(x[name] - first[name]).max() for x in before)
        for state in states:
            value = getattr(state.parameters, name)
            np.testing.assert_allclose(value, mean, atol=2.1 * max(largest, 2.0) / 127)
            np.testing.assert_array_equal(value, getattr(states[0].parameters, name))
    for state in states:
        np.testing.assert_allclose(state.velocity.U, 1.0, atol=2.1 * 3 / 127)
        np.testing.assert_array_equal(state.velocity.U, states[0].velocity.U)


def test_parameters_do_not_drift_away_from_what_was_agreed():
    """What is rounded once is not rounded again: exchanges without updates change nothing."""
    transport = Threads(2)

    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), Every(1))
        exchange.begin(state)
        update(state, np.random.default_rng(rank), [1, 2 + rank])
        exchange.gather_parameters(STEP, state)
        once = copied(state)
        state.gradient = state.gradient._replace(rows=np.zeros(1, np.int64))
        exchange.gather_parameters(STEP + 1, state)
        return [np.array_equal(x, getattr(state.parameters, name)) for name, x in once.items()]

    assert all(all(same) for same in run_ranks(2, work))


def test_numbers_that_are_lost_stay_lost():
    """A diverged run must be seen by its checks, not sent as some number."""

    def work(rank):
        state = started(rank)
        exchange = PeriodicExchange(transport.of(rank), Every(1))
        exchange.begin(state)
        update(state, np.random.default_rng(1), [4])
        state.parameters.D[4, 1] = [np.nan, np.inf][rank]
        exchange.gather_parameters(STEP, state)
        return state.parameters.D[4]

    transport = Threads(2)
    assert all(np.isnan(row).all() for row in run_ranks(2, work))


def average_before(tables, averages, rows, now):
    """What an update does before it changes rows."""
    for w in rows:
        if averages.covered[w] < now:
            decay = (averages.covered[w] / now) ** POWER
            averages.D[w] = decay * averages.D[w] + (1 - decay) * tables.D[w]
            averages.b[w] = decay * averages.b[w] + (1 - decay) * tables.b[w]
            averages.covered[w] = now


@pytest.mark.parametrize("world", [1, 2, 3])
def test_averages_are_those_of_the_owners_copy(world):
    """Referee: every sample of the owner's copy, weighted by the rise of s^power, in a loop."""
    steps, every, transport = 5 * STRIDE, 7, Threads(world)

    def work(rank):
        state, rng = started(rank), np.random.default_rng(rank)
        exchange = PeriodicExchange(transport.of(rank), Every(every))
        exchange.begin(state)
        tables, averages = state.parameters, state.averages
        samples = []
        for step in range(1, steps + 1):
            rows = [int(w) for w in rng.integers(0, K - 1, 2)]
            average_before(tables, averages, rows, (step - 1) // STRIDE)
            update(state, rng, rows)
            exchange.gather_parameters(step, state)
            if step % STRIDE == 0:
                samples.append([x.astype(float) for x in tables])
                average_dense(tables.U.reshape(-1), averages.U.reshape(-1), step // STRIDE, POWER)
                average_dense(tables.c, averages.c, step // STRIDE, POWER)
        value = {name: getattr(averages, name) for name in SHAPES}
        complete = exchange.complete(Averages(POWER, value, ("D", "b"), averages.covered))
        return samples, complete, tables

    results = run_ranks(world, work)
    complete = results[0][1]
    owners, last = row_owners(np.arange(K), world), steps // STRIDE
    weights = np.array([(s + 1) ** POWER - s**POWER for s in range(last)]) / last**POWER
    close = {"rtol": 1e-4, "atol": 1e-5}
    for name in ("U", "c"):
        value = complete.value[name].reshape(-1)
        for rank, (samples, *_) in enumerate(results):
            own = part_slice(rank, world, value.size)
            tables = [getattr(Parameters(*sample), name).reshape(-1)[own] for sample in samples]
            np.testing.assert_allclose(value[own], weights @ np.array(tables), **close)
    for w in range(K):
        for name in ("D", "b"):
            samples, _, own = results[owners[w]]
            mean = weights @ np.array([getattr(Parameters(*x), name)[w] for x in samples])
            decay = (complete.covered[w] / last) ** POWER
            lazily = decay * complete.value[name][w] + (1 - decay) * getattr(own, name)[w]
            np.testing.assert_allclose(lazily, mean, **close)
    assert complete.covered.max() <= last


def test_what_one_rank_wants_all_do():
    *_, agreed = averaged([[1], [2]], [Requests(), Requests(save=True)])
    assert list(agreed) == [Requests(save=True)] * 2
