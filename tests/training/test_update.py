"""The compiled update is the plain one: same draws, same words, the same numbers to rounding."""

import copy

import numpy as np
import pytest

from wordrbm.models import init_wordrep
from wordrbm.sampling import Chains, PooledMetropolis
from wordrbm.training import TrainingSettings, start
from wordrbm.training.compiled import CompiledUpdate
from wordrbm.training.optimizer import Rates, RowSteps
from wordrbm.training.trainer import _compare
from wordrbm.training.update import PlainUpdate, update_of

SIZES = [
    (3, 7, 5, 40, 8, 8),
    (5, 16, 3, 300, 64, 32),
    (1, 4, 8, 50, 30, 90),
    (2, 250, 50, 999, 96, 96),
]


@pytest.fixture(params=SIZES, ids=lambda sizes: "n{} H{} d{} K{} B{} M{}".format(*sizes))
def run(request, rng):
    """A model, its operator, settings and windows."""
    n, H, d, K, B, M = request.param
    q = rng.dirichlet(np.ones(K))
    model = init_wordrep(rng, n=n, H=H, d=d, word_probability=q)
    settings = TrainingSettings(
        window=n, hidden=H, dimension=d, batch_size=B, chains=M, shards=2, mh_steps=9, warmup=0
    )
    text = rng.choice(K, p=q, size=(500, n)).astype(np.int32)
    transition = PooledMetropolis.from_probability(q, steps=9, size=16)
    return model, transition, settings, lambda first, size: text[(first + np.arange(size)) % 500], q


def updated(kind, run, steps, parts=1):
    """The model and the state after some updates of this kind."""
    model, transition, settings, batches, q = run
    model = copy.deepcopy(model)
    row_steps = RowSteps.expecting(model, q, settings.batch_size, settings.chains)
    update = kind(model, transition, settings, row_steps)
    state = start(model, batches, settings)
    for step in range(steps):
        after = Chains(np.empty_like(state.chains.v), np.empty_like(state.chains.h))
        for shard in reversed(range(settings.shards)):
            _compare(update, batches, settings, state, after, shard)
        for part in range(parts):
            assert update.climb(part, parts, state.velocity, Rates(0.02, 0.05, 0.9, 0.01))
        state = state._replace(step=step + 1, chains=after)
    return model, state


def compiled(model, transition, settings, row_steps):
    return CompiledUpdate(model, transition, transition.proposal, settings, row_steps)


def test_the_compiled_update_is_the_plain_one(run):
    fast, slow = updated(compiled, run, 4), updated(PlainUpdate, run, 4)
    np.testing.assert_array_equal(fast[1].chains.v, slow[1].chains.v)
    np.testing.assert_array_equal(fast[1].chains.h, slow[1].chains.h)
    for name, value in slow[0].parameters().items():
        np.testing.assert_allclose(fast[0].parameters()[name], value, rtol=2e-5, atol=2e-6)
    for name, speed in slow[1].velocity.items():
        np.testing.assert_allclose(fast[1].velocity[name], speed, rtol=2e-4, atol=2e-6)


@pytest.mark.parametrize("parts", [2, 3])
def test_parts_leave_the_bits(run, parts):
    whole, cut = updated(compiled, run, 2), updated(compiled, run, 2, parts)
    for name, value in whole[0].parameters().items():
        np.testing.assert_array_equal(cut[0].parameters()[name], value)


def test_models_as_they_are_made_are_updated_by_compiled_code(run):
    model, transition, settings, _, q = run
    row_steps = RowSteps.expecting(model, q, settings.batch_size, settings.chains)
    assert isinstance(update_of(model, transition, settings, row_steps), CompiledUpdate)


def test_a_model_laid_out_otherwise_is_updated_plainly(run):
    """The positions of U side by side must be a view, or the compiled step would climb a copy."""
    model, transition, settings, _, q = run
    other = type(model)(model.D, np.ascontiguousarray(model.U), model.b, model.c)
    row_steps = RowSteps.expecting(model, q, settings.batch_size, settings.chains)
    found = update_of(other, transition, settings, row_steps)
    assert isinstance(found, PlainUpdate) == (settings.window > 1)
