"""Jumps of whole windows: the proposal is what it says, and the move leaves P(v) unchanged."""

import math
from collections import Counter

import numpy as np
import pytest

from tests import reference
from tests.sampling.test_operators import drift
from wordrbm.errors import WordRBMError
from wordrbm.kernels.jumps import count_of, pool_size, stratify
from wordrbm.models import init_wordrep
from wordrbm.sampling import AliasTable, ColumnProposals, Jumps, Reservoir
from wordrbm.sampling.jumps import _empty_multiset, count_windows

SHARE = 0.3


@pytest.fixture
def stored(rng, model):
    """Windows with repeats, in which some words never come."""
    few = max(2, reference.choices(model) - 1)
    return rng.integers(few, size=(9, model.positions)).astype(np.int32)


@pytest.fixture(params=[0.0, 0.45], ids=["windows", "bigrams"])
def bigram_share(request):
    return request.param


@pytest.fixture
def reservoir(stored, q, bigram_share):
    return Reservoir.build(
        stored, AliasTable.build(q), unigram_share=SHARE, bigram_share=bigram_share
    )


def probability(reservoir, model):
    """r of every window."""
    return np.exp(reservoir.log_probability(np.array(reference.all_windows(model))))


def test_the_proposal_is_the_referees(model, stored, q, reservoir, bigram_share):
    each = [q] * model.positions
    expected = [
        reference.reservoir_probability(stored, each, SHARE, v, bigram_share)
        for v in reference.all_windows(model)
    ]
    np.testing.assert_allclose(probability(reservoir, model), expected, rtol=1e-12)
    assert sum(expected) == pytest.approx(1.0)


def test_draws_follow_the_proposal(stream, model, reservoir):
    r, count = probability(reservoir, model), 60_000
    drawn = reservoir.draw(stream, count)
    assert drift(model, drawn, r) < 4


def test_detailed_balance_holds_for_every_pair_of_windows(model, reservoir):
    """P(v) r(w) a(w <- v) = P(w) r(v) a(v <- w), P from the referee, to 1e-12."""
    p, r = reference.window_probability(model), probability(reservoir, model)
    weight = Jumps(reservoir).log_weight(model, np.array(reference.all_windows(model)))
    accept = np.exp(np.minimum(0.0, weight[None, :] - weight[:, None]))
    flow = p[:, None] * r[None, :] * accept
    np.testing.assert_allclose(flow, flow.T, rtol=1e-12)


def test_the_compiled_walk_takes_the_referees_decisions(rng, stream, model, reservoir):
    jumps, B = 5, 11
    v = rng.integers(reference.choices(model), size=(B, model.positions)).astype(np.int32)
    again = stream.copy()
    pool = reservoir.draw(stream, pool_size(jumps, B))
    random = reference.Xoshiro(stream)
    windows = reference.all_windows(model)
    log_r = dict(zip(windows, np.log(probability(reservoir, model)), strict=True))
    ended = reference.jump_walk(
        random, jumps, list(map(tuple, pool.tolist())),
        lambda v: math.log(reference.mass(model, v)), log_r.get, list(map(tuple, v.tolist())),
    )  # fmt: skip
    moved, accepted, *_ = Jumps(reservoir, jumps)(again, model, v)
    np.testing.assert_array_equal(moved, ended)
    assert np.all(accepted[(moved != v).any(axis=1)] > 0)


@pytest.mark.parametrize("jumps", [1, 6])
def test_a_chain_alone_with_its_pool_stays_at_the_target(rng, stream, model, reservoir, jumps):
    p = reference.window_probability(model)
    v = np.array(reference.all_windows(model))[rng.choice(len(p), size=8_000, p=p)]
    operator = Jumps(reservoir, jumps)
    moved = [operator(stream, model, v[m : m + 1])[0] for m in range(len(v))]
    assert drift(model, np.concatenate(moved), p) < 4


def test_the_weights_of_the_negative_phase_are_the_referees(rng, stream, model, stored, reservoir):
    v = rng.integers(reference.choices(model), size=(13, model.positions)).astype(np.int32)
    jumped = Jumps(reservoir, 3)(stream, model, v)
    r = dict(zip(reference.all_windows(model), probability(reservoir, model), strict=True))
    chains, pool, known = (set_of(x) for x in (jumped.v, jumped.pool, stored))
    expected = reference.negative_weights(
        chains, pool, known, lambda w: reference.mass(model, w), r.get
    )
    np.testing.assert_allclose(jumped.weight, expected, rtol=1e-9)
    assert jumped.weight.sum() == pytest.approx(13)


def set_of(windows):
    return list(map(tuple, windows.tolist()))


def test_without_a_stored_window_in_the_pool_all_chains_keep_their_weight():
    weight = np.empty(5)
    stratify(np.array([True, False, True, False, False]), np.zeros(5), 3, weight)
    np.testing.assert_array_equal(weight, [1, 1, 1, 0, 0])


def test_columns_keep_their_own_values(rng, stream, bigram_share):
    columns = [rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4))]
    stored = np.stack([rng.integers(3, size=5), 3 + rng.integers(4, size=5)], axis=1)
    reservoir = Reservoir.build(
        stored, ColumnProposals.build(columns), unigram_share=SHARE, bigram_share=bigram_share
    )
    q = [np.concatenate([columns[0], np.zeros(4)]), np.concatenate([np.zeros(3), columns[1]])]
    windows = [(a, 3 + b) for a in range(3) for b in range(4)]
    expected = [reference.reservoir_probability(stored, q, SHARE, v, bigram_share) for v in windows]
    found = np.exp(reservoir.log_probability(np.array(windows)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.sum() == pytest.approx(1.0)
    drawn = Counter(map(tuple, reservoir.draw(stream, 30_000).tolist()))
    assert set(drawn) == set(windows)
    for v, p in zip(windows, expected, strict=True):
        assert abs(drawn[v] / 30_000 - p) < 5 * math.sqrt(p / 30_000)


@pytest.mark.parametrize("n", [1, 4])
def test_counts_are_exact_whatever_the_hash_does(rng, n):
    rows = rng.integers(6, size=(500, n)).astype(np.int32)
    counted = _empty_multiset(500, n)
    counted.rows[...] = rows
    count_windows(counted)
    expected = Counter(map(tuple, rows.tolist()))
    for row in [*expected, (7,) * n]:
        assert count_of(counted, np.array(row, np.int32)) == expected[row]


def test_a_reservoir_refilled_is_one_built_anew(rng, model, q, stored, reservoir, bigram_share):
    others = rng.integers(reference.choices(model), size=stored.shape)
    reservoir.refill(others)
    again = Reservoir.build(
        others, AliasTable.build(q), unigram_share=SHARE, bigram_share=bigram_share
    )
    np.testing.assert_array_equal(probability(reservoir, model), probability(again, model))


@pytest.mark.parametrize("unigram_share", [0.1, 0.3])
def test_windows_without_a_share_of_their_own_keep_a_probability(unigram_share):
    """Windows so long that their probability is no number, and proposed by bigrams alone."""
    v = np.random.default_rng(1).integers(100, size=(3, 1000)).astype(np.int32)
    reservoir = Reservoir.build(
        v[:2],
        AliasTable.build(np.ones(100)),
        unigram_share=unigram_share,
        bigram_share=1 - unigram_share,
    )
    assert reservoir.holds(v).tolist() == [True, True, False]
    assert np.isfinite(reservoir.log_probability(v)).all()


def test_jumps_leave_a_golf_hole_that_words_cannot_find(rng, stream):
    """One window of rare words holds nearly all mass: words alone never enter it, jumps do."""
    K, spike = 400, np.array([[397, 398, 399]], np.int32)
    q = np.concatenate([np.full(390, 1.0), np.full(10, 1e-3)])
    q /= q.sum()
    rbm = init_wordrep(rng, n=3, H=1, d=3, word_probability=q)
    rbm.D[...] = 0.0
    rbm.D[spike[0]] = 30.0 * np.eye(3, dtype=np.float32)
    rbm.U[:, 0] = np.eye(3, dtype=np.float32)
    rbm.c[...] = -47.0  # all three words or none: two of them leave the unit off
    text = np.concatenate([spike, rng.choice(K, p=q, size=(63, 3))])
    reservoir = Reservoir.build(text, AliasTable.build(q))
    v = rng.choice(K, p=q, size=(256, 3)).astype(np.int32)
    for _ in range(200):
        v = Jumps(reservoir, 4)(stream, rbm, v).v
    assert (v == spike).all(axis=1).mean() > 0.9


def test_bigrams_reach_windows_that_the_text_does_not_have(rng, stream):
    """Chains of the true model leave and enter windows of the text: words alone hardly let them."""
    K, n = 300, 6
    q, successor = rng.dirichlet(np.full(K, 0.3)), rng.permutation(K)

    def draw(count):
        v = rng.choice(K, p=q, size=(count, n)).astype(np.int32)
        for i in range(1, n):
            v[:, i] = np.where(rng.random(count) < 0.6, successor[v[:, i - 1]], v[:, i])
        return v

    def log_p(v):
        follow = v[:, 1:] == successor[v[:, :-1]]
        return np.log(q[v[:, 0]]) + np.log(0.6 * follow + 0.4 * q[v[:, 1:]]).sum(axis=1)

    accepted = {}
    for share in (0.0, 0.45):
        reservoir = Reservoir.build(draw(2_000), AliasTable.build(q), bigram_share=share)
        v, pool = draw(4_000), reservoir.draw(stream, 4_000)
        current = log_p(v) - reservoir.log_probability(v)
        offered = log_p(pool) - reservoir.log_probability(pool)
        accepted[share] = np.exp(np.minimum(0.0, offered - current)).mean()
    assert accepted[0.0] < 0.1 < 0.2 < accepted[0.45]


def test_a_reservoir_that_cannot_propose_everything_is_refused(q, stored):
    table = AliasTable.build(q)
    for wrong in (0.0, 1.5, float("nan")):
        with pytest.raises(WordRBMError, match="a unigram share above 0"):
            Reservoir.build(stored, table, unigram_share=wrong)
    for wrong in (-0.1, 0.95, float("nan")):
        with pytest.raises(WordRBMError, match="a bigram share of 0 or more"):
            Reservoir.build(stored, table, bigram_share=wrong)
    with pytest.raises(WordRBMError, match="1 or more windows"):
        Reservoir.build(stored[:0], table)
