"""The compiled update is the plain one: same draws, same words, the same numbers to rounding."""

import copy
import gc
import threading
import time

import numpy as np
import pytest

from wordrbm.models import init_wordrep
from wordrbm.sampling import AliasTable, PooledMetropolis, word_tables
from wordrbm.training import TrainingSettings, optimizer, start, train
from wordrbm.training import compiled as module
from wordrbm.training.batches import recent_windows
from wordrbm.training.compiled import CompiledUpdate, compile_proposals, run_updates
from wordrbm.training.optimizer import LearningRates, row_rates_of
from wordrbm.training.ranking import candidates_of
from wordrbm.training.trainer import _update_of
from wordrbm.training.update import PlainUpdate, ShardPool, UpdateContext

SIZES = [
    (3, 7, 5, 40, 8, 8),
    (5, 16, 3, 300, 64, 32),
    (1, 4, 8, 50, 30, 90),
    (2, 250, 50, 999, 96, 96),
    (5, 9, 4, 30, 4, 6),  # fewer windows in a shard than positions
]


@pytest.fixture(params=SIZES, ids=lambda sizes: "n{} H{} d{} K{} B{} M{}".format(*sizes))
def run(request, rng):
    """A model, its operator, settings and windows."""
    n, H, d, K, B, M = request.param
    q = rng.dirichlet(np.ones(K))
    model = init_wordrep(rng, n=n, H=H, d=d, word_probability=q)
    settings = TrainingSettings(
        window=n, hidden=H, dimension=d, batch_size=B, chains=M, shards=2, mh_steps=9, warmup=0,
        jumps=1, reservoir=2 * B, objective="sml", candidates=12,
    )  # fmt: skip
    text = rng.choice(K, p=q, size=(500, n)).astype(np.int32)
    transition = PooledMetropolis.from_probability(q, steps=9, size=16)
    return model, transition, settings, lambda first, size: text[(first + np.arange(size)) % 500], q


def course_of(model, settings, batches, q):
    """What a run of updates reads; the jumps come from a reservoir that is renewed on the way."""
    begun = start(model, batches, settings)
    words = word_tables(AliasTable.build(q), settings.window)
    return UpdateContext(
        batches, settings, row_rates_of(model, q, settings), begun.chains, begun.velocity,
        recent_windows(batches, words, settings), begun.averages, candidates_of(settings, words),
    )  # fmt: skip


USUAL = LearningRates(0.02, 0.05, 0.9, 0.01)
STILL = LearningRates(1e-3, 1e-3, 0.0, 0.0)  # steps so small that they do not feed on each other


def updated(kind, run, steps, threads=1, rates=USUAL):
    """The model, the chains and the velocity after some updates of this kind."""
    model, transition, settings, batches, q = run
    model = copy.deepcopy(model)
    context = course_of(model, settings, batches, q)
    with kind(model, transition, context, threads=threads) as update:
        for step in range(steps):
            result = update.step(step, rates)
            assert result.is_finite
    return model, result, context.velocity, context.averages.model(model, steps)


def compiled(model, transition, context, *, threads):
    return CompiledUpdate(model, compile_proposals(transition), context, threads=threads)


@pytest.mark.parametrize(("jumps", "bigram_share"), [(0, 0.0), (1, 0.0), (3, 0.0), (3, 0.45)])
def test_the_compiled_update_is_the_plain_one(run, jumps, bigram_share):
    model, transition, settings, *rest = run
    changes = {"jumps": jumps, "bigram_share": bigram_share}
    run = model, transition, settings.model_copy(update=changes), *rest
    fast, slow = updated(compiled, run, 10), updated(PlainUpdate, run, 10)
    np.testing.assert_array_equal(fast[1].chains.v, slow[1].chains.v)
    np.testing.assert_array_equal(fast[1].chains.h, slow[1].chains.h)
    assert fast[1].acceptance == pytest.approx(slow[1].acceptance)
    assert fast[1].jump_acceptance == pytest.approx(slow[1].jump_acceptance)
    for name, value in slow[0].parameters().items():
        np.testing.assert_allclose(fast[0].parameters()[name], value, rtol=2e-5, atol=2e-6)
    for name, value in slow[3].parameters().items():
        np.testing.assert_allclose(fast[3].parameters()[name], value, rtol=2e-5, atol=2e-6)
    for name, speed in slow[2].items():
        np.testing.assert_allclose(fast[2][name], speed, rtol=2e-4, atol=2e-6)


@pytest.mark.parametrize("sharpness", [1.0, 40.0, 1000.0])
@pytest.mark.parametrize("clip", [4.0, 0.05])
def test_the_compiled_ranking_is_the_plain_one(run, sharpness, clip, monkeypatch):
    """Also of a model so sharp that products of units leave the range of a number."""
    model, transition, settings, *rest = run
    monkeypatch.setattr(optimizer, "CLIP_FACTOR", clip)
    model.D[...] *= sharpness
    run = model, transition, settings.model_copy(update={"objective": "hybrid"}), *rest
    fast, slow = updated(compiled, run, 1, rates=STILL), updated(PlainUpdate, run, 1, rates=STILL)
    np.testing.assert_array_equal(fast[1].chains.h, slow[1].chains.h)
    for name, value in slow[0].parameters().items():
        size = np.abs(value - model.parameters()[name]).max()
        np.testing.assert_allclose(fast[0].parameters()[name], value, rtol=1e-5, atol=1e-4 * size)


@pytest.mark.parametrize("kind", [compiled, PlainUpdate])
@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize(
    "changes",
    [{"objective": "sml"}, {"objective": "hybrid", "jumps": 3, "bigram_share": 0.45}],
    ids=["sml", "hybrid"],
)
def test_threads_leave_the_bits(run, kind, threads, changes):
    model, transition, settings, *rest = run
    run = model, transition, settings.model_copy(update=changes), *rest
    alone, together = updated(kind, run, 3), updated(kind, run, 3, threads)
    np.testing.assert_array_equal(alone[1].chains.h, together[1].chains.h)
    for name, value in alone[0].parameters().items():
        np.testing.assert_array_equal(together[0].parameters()[name], value)


def test_threads_asleep_wake_for_the_next_update(run, monkeypatch):
    """None comes for a while: the worker goes to sleep, and must not be lost."""
    monkeypatch.setattr(module, "SPINS_BEFORE_SLEEP", 1)
    model, transition, settings, batches, q = run
    updates = train(
        model, transition, batches, settings, start(model, batches, settings), q=q, threads=2
    )
    for _ in range(4):
        next(updates)
        time.sleep(0.05)
    updates.close()


def test_a_run_given_up_leaves_no_thread(run):
    model, transition, settings, batches, q = run
    before = threading.active_count()
    begun = start(model, batches, settings)
    for state, _ in train(model, transition, batches, settings, begun, q=q, threads=2):
        assert state.step == 1
        assert threading.active_count() == before + 1
        break
    gc.collect()
    assert threading.active_count() == before


def test_models_as_they_are_made_are_updated_by_compiled_code(run):
    assert isinstance(chosen(*run), CompiledUpdate)


def test_a_model_is_updated_by_compiled_code_however_its_U_lay_in_memory(run):
    model, transition, settings, batches, q = run
    copies = {name: np.array(x, order="C") for name, x in model.parameters().items()}
    other = type(model)(**copies)
    assert isinstance(chosen(other, transition, settings, batches, q), CompiledUpdate)
    for each in (model, other):
        next(train(each, transition, batches, settings, start(each, batches, settings), q=q))
    for name, value in model.parameters().items():
        np.testing.assert_array_equal(other.parameters()[name], value)


def chosen(model, transition, settings, batches, q):
    return _update_of(model, transition, course_of(model, settings, batches, q), 1)


def test_a_worker_that_starts_late_misses_no_update(run):
    """The first update may be called before a worker runs at all; it would wait for ever."""
    model, transition, settings, batches, q = run
    context = course_of(model, settings, batches, q)
    for _ in range(20):
        with compiled(model, transition, context, threads=8) as update:
            for step in range(3):
                update.step(step, LearningRates(0.0, 0.0, 0.9, 0.0))


@pytest.mark.filterwarnings("error")
def test_a_leader_held_up_leaves_no_worker_asleep(run, monkeypatch):
    """The workers wake, wait for longer than they have patience, and the leader comes only then."""
    model, transition, settings, batches, q = run
    monkeypatch.setattr(module, "SPINS_BEFORE_SLEEP", 1)

    def held_up(step, count, spins, thread, *given):
        time.sleep(0.1 if thread == 0 else 0.0)
        return run_updates(step, count, spins, thread, *given)

    monkeypatch.setattr(module, "run_updates", held_up)
    updates = train(
        model, transition, batches, settings, start(model, batches, settings), q=q, threads=3
    )
    result = threading.Thread(target=lambda: [next(updates) for _ in range(3)], daemon=True)
    result.start()
    result.join(60)
    assert not result.is_alive()
    updates.close()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("shards", [1, 2, 9])
def test_results_come_in_the_order_of_the_shards(threads, shards):
    with ShardPool(threads) as pool:
        for _ in range(3):
            assert pool.map(lambda shard: shard * shard, shards) == [k * k for k in range(shards)]


def test_one_thread_works_in_the_calling_thread():
    with ShardPool(1) as pool:
        assert set(pool.map(lambda _: threading.get_ident(), 5)) == {threading.get_ident()}


def test_shards_run_at_once():
    barrier = threading.Barrier(3, timeout=30)
    with ShardPool(3) as pool:
        pool.map(lambda _: barrier.wait(), 3)  # would time out if one waited for another


@pytest.mark.parametrize("bad", [0, 3])
def test_the_first_fault_is_raised_when_all_have_stopped(bad):
    def work(shard):
        if shard == bad:
            raise ValueError("no")

    with ShardPool(2) as pool, pytest.raises(ValueError, match="no"):
        pool.map(work, 4)
