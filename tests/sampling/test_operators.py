"""What every operator must do: leave P(v | h) unchanged, and move as the referee's loops do."""

import numpy as np
import pytest

from tests import reference
from tests.conftest import H, K, d, log_weights, n
from wordrbm.errors import WordRBMError
from wordrbm.kernels.metropolis import CHAINS_PER_POOL
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import (
    Chains,
    ClusteredMetropolis,
    Gibbs,
    Metropolis,
    PooledMetropolis,
    cluster_words,
    draw_hidden,
    sweep,
)


def operators(model, q):
    gibbs, metropolis = Gibbs(), Metropolis.from_probability(q, steps=3)
    clustered = ClusteredMetropolis.from_model(model, q, steps=3, singletons=1, clusters=2)
    return {
        "gibbs": gibbs,
        "metropolis": metropolis,
        "pooled": PooledMetropolis.from_probability(q, steps=3, size=4),
        "clustered": clustered,
        "stale": ClusteredMetropolis.from_clusters(  # of vectors that are not the model's
            [
                cluster_words(-3 * rows[::-1], np.zeros(len(rows)), q, singletons=1, clusters=2)
                for rows in model.word_table
            ],
            q,
            steps=3,
        ),
    }


def test_detailed_balance_holds_for_every_pair_of_words(rng, model, q):
    """pi(x) q(y) a(y <- x) = pi(y) q(x) a(x <- y), pi from the referee, to 1e-12."""
    h = rng.integers(0, 2, (1, model.c.size)).astype(float)
    for i in range(model.positions):
        pi = reference.word_conditional(model, i, h[0])
        weight = log_weights(model, h, i, np.log(q), range(reference.choices(model)))
        acceptance = np.exp(np.minimum(0.0, weight - weight[:, None]))
        flow = pi[:, None] * q * acceptance
        np.testing.assert_allclose(flow, flow.T, rtol=1e-12)


def test_the_compiled_walk_takes_the_referees_decisions(rng, stream, model, q):
    B, steps = 40, 25
    v = rng.integers(reference.choices(model), size=(B, model.positions))
    h = rng.integers(0, 2, (B, model.c.size)).astype(float)
    operator = Metropolis.from_probability(q, steps=steps)
    random = reference.Xoshiro(stream)
    moved, info = operator(stream, model, Chains(v, h))
    keep, alias = operator.proposal.keep, operator.proposal.alias
    np.testing.assert_array_equal(moved, reference.walk(random, model, q, keep, alias, steps, v, h))
    assert info.proposed == steps
    assert np.all(info.accepted[moved != v] > 0)


def test_the_compiled_pooled_walk_takes_the_referees_decisions(rng, stream, model, q):
    B, steps, size = 30, 25, 32  # no more chains than share a pool
    v = rng.integers(reference.choices(model), size=(B, model.positions))
    h = rng.integers(0, 2, (B, model.c.size)).astype(float)
    operator = PooledMetropolis.from_probability(q, steps=steps, size=size)
    random = reference.Xoshiro(stream)
    keep, alias = operator.proposal.keep, operator.proposal.alias
    pool = [reference.alias_draw(random, keep, alias) for _ in range(model.positions * size)]
    pool = np.array(pool).reshape(model.positions, size)
    moved, _ = operator(stream, model, Chains(v, h))
    expected = reference.pooled_walk(random, model, q, pool, steps, v, h)
    np.testing.assert_array_equal(moved, expected)


def test_chains_beyond_those_that_share_a_pool_have_pools_of_their_own(rng, model, q):
    v = rng.integers(reference.choices(model), size=(2 * CHAINS_PER_POOL + 5, model.positions))
    h = rng.integers(0, 2, (len(v), model.c.size)).astype(float)
    operator = PooledMetropolis.from_probability(q, steps=9, size=16)
    together, _ = operator(seed_stream(7, 1, 2), model, Chains(v, h))
    stream = seed_stream(7, 1, 2)
    few = [slice(first, first + CHAINS_PER_POOL) for first in range(0, len(v), CHAINS_PER_POOL)]
    apart = [operator(stream, model, Chains(v[part], h[part]))[0] for part in few]
    np.testing.assert_array_equal(together, np.concatenate(apart))


@pytest.mark.parametrize("name", ["gibbs", "metropolis", "clustered", "stale"])
@pytest.mark.parametrize("sweeps", [1, 4])
def test_chains_started_at_the_target_stay_there(rng, stream, model, q, name, sweeps):
    """A stationary kernel shows no drift after any number of sweeps, however slowly it mixes."""
    B = 40_000
    p = reference.window_probability(model)
    v = np.array(reference.all_windows(model))[rng.choice(len(p), size=B, p=p)]
    chains = Chains(v, draw_hidden(stream, model.hidden_mean(v)))
    for _ in range(sweeps):
        chains, _ = sweep(stream, model, operators(model, q)[name], chains)
    assert drift(model, chains.v, p) < 4


def test_a_chain_alone_with_its_pools_stays_at_the_target(rng, stream, model, q):
    """Chains that share pools are coupled, so each is given pools of its own here."""
    B = 8_000
    p = reference.window_probability(model)
    v = np.array(reference.all_windows(model))[rng.choice(len(p), size=B, p=p)]
    h = draw_hidden(stream, model.hidden_mean(v))
    operator = operators(model, q)["pooled"]
    moved = [operator(stream, model, Chains(v[m : m + 1], h[m : m + 1]))[0] for m in range(B)]
    assert drift(model, np.concatenate(moved), p) < 4


def drift(model, v, p):
    """Total variation from p, in units of what chance alone would give."""
    index = v @ (reference.choices(model) ** np.arange(model.positions)[::-1])
    frequency = np.bincount(index, minlength=len(p)) / len(v)
    return reference.total_variation(frequency, p) / (np.sqrt(p * (1 - p) / len(v)).sum() / 2)


def test_the_positions_of_a_window_move_independently(stream):
    """With a flat model every proposal is taken; two positions must not take the same one."""
    flat = WordRepRBM(D=np.zeros((101, d)), U=np.zeros((n, H, d)), b=np.zeros(101), c=np.zeros(H))
    operator = PooledMetropolis.from_probability(np.full(101, 1 / 101), steps=1, size=2)
    v, h = np.zeros((1, n), int), np.zeros((1, H))
    same = sum(
        len(set(operator(stream, flat, Chains(v, h))[0][0].tolist())) == 1 for _ in range(500)
    )
    assert same < 15  # 5 are expected by chance


def test_gibbs_draws_the_conditional(rng, stream, model):
    h = np.repeat(rng.integers(0, 2, (1, model.c.size)).astype(float), 40_000, axis=0)
    v = np.zeros((len(h), model.positions), int)
    moved, _ = Gibbs()(stream, model, Chains(v, h))
    for i in range(model.positions):
        p = reference.word_conditional(model, i, h[0])
        frequency = np.bincount(moved[:, i], minlength=len(p)) / len(h)
        assert reference.total_variation(frequency, p) < 4 * np.sqrt(p * (1 - p) / len(h)).sum() / 2


@pytest.mark.parametrize("name", ["metropolis", "pooled", "clustered"])
def test_a_flat_model_with_matching_proposal_accepts_everything(rng, stream, name):
    q = rng.dirichlet(np.ones(K))
    flat = WordRepRBM(D=np.zeros((K, d)), U=np.zeros((n, H, d)), b=np.log(q), c=np.zeros(H))
    v = rng.integers(K, size=(11, n))
    h = draw_hidden(stream, flat.hidden_mean(v))
    _, info = operators(flat, q)[name](stream, flat, Chains(v, h))
    assert np.all(info.accepted == info.proposed)


@pytest.mark.parametrize("name", ["gibbs", "metropolis", "pooled", "clustered"])
def test_the_given_chains_are_left_as_they_were(rng, stream, model, q, name):
    v = rng.integers(reference.choices(model), size=(11, model.positions))
    h = draw_hidden(stream, model.hidden_mean(v))
    kept_v, kept_h = v.copy(), h.copy()
    operators(model, q)[name](stream, model, Chains(v, h))
    np.testing.assert_array_equal(v, kept_v)
    np.testing.assert_array_equal(h, kept_h)


def test_same_stream_same_words(rng, model, q):
    v = rng.integers(reference.choices(model), size=(11, model.positions))
    h = np.zeros((11, model.c.size))
    for operator in operators(model, q).values():
        first, _ = operator(seed_stream(7, 1, 2), model, Chains(v, h))
        again, _ = operator(seed_stream(7, 1, 2), model, Chains(v, h))
        np.testing.assert_array_equal(first, again)


def test_a_pool_that_cannot_serve_is_refused():
    for steps, size in [(0, 4), (5, 4), (3, 6)]:
        with pytest.raises(WordRBMError, match="power of two"):
            PooledMetropolis.from_probability(np.ones(3) / 3, steps=steps, size=size)
    with pytest.raises(WordRBMError, match="use 1 or more"):
        Metropolis.from_probability(np.ones(3) / 3, steps=0)
