"""Alias tables hold their distribution; with one per position no walk leaves its column."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.conftest import K, log_weights
from tests.sampling.test_operators import drift
from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import (
    AliasTable,
    Chains,
    ColumnProposals,
    Metropolis,
    PooledMetropolis,
    draw_hidden,
    proposals,
    sweep,
)

weights = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40).map(np.array)
SIZES = [2, 3]  # of the K = 5 words, two belong to position 0 and three to position 1
WORDS = [slice(0, 2), slice(2, 5)]


@pytest.fixture
def q(rng):
    return [rng.dirichlet(np.ones(size)) for size in SIZES]


@pytest.fixture
def rows(rng):
    """Thirty windows inside their columns, and hidden states; as many may share a pool."""
    v = np.stack([rng.integers(part.start, part.stop, size=30) for part in WORDS], axis=1)
    return v, rng.integers(0, 2, (30, 3)).astype(float)


def alone(model, i):
    """The model of one column by itself: what the other column does is in the hidden states."""
    return WordRepRBM(D=model.D[WORDS[i]], U=model.U[i : i + 1], b=model.b[WORDS[i]], c=model.c)


def window_probability(model):
    """P(v) of every window, zero where a word is outside its column."""
    inside = [v[0] < 2 <= v[1] for v in reference.all_windows(model)]
    p = reference.window_probability(model) * inside
    return p / p.sum()


@settings(deadline=None)  # the first example may wait for the compiler
@given(weights)
def test_table_holds_exactly_the_distribution_it_was_built_from(w):
    p = w / w.sum()
    np.testing.assert_allclose(AliasTable.build(p).probability(), p, rtol=1e-6, atol=1e-12)


def test_a_large_skewed_table_is_read_back_to_rounding():
    p = 1.0 / np.arange(1, 100_002)
    p /= p.sum()
    np.testing.assert_allclose(AliasTable.build(p).probability(), p, rtol=1e-9)


def test_draws_are_the_referees(rng, stream):
    table = AliasTable.build(rng.dirichlet(np.ones(17)))
    random = reference.Xoshiro(stream)
    expected = [reference.alias_draw(random, table.keep, table.alias) for _ in range(500)]
    np.testing.assert_array_equal(table.draw(stream, 500), expected)


def test_draws_follow_the_distribution(rng):
    p = rng.dirichlet(np.ones(17))
    words = AliasTable.build(p).draw(seed_stream(3, 0, 0), 200_000)
    frequency = np.bincount(words, minlength=17) / words.size
    assert reference.total_variation(frequency, p) < 4 * np.sqrt(p * (1 - p) / words.size).sum() / 2


@pytest.mark.parametrize("bad", [[0.5, 0.5, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_weights_that_cannot_be_proposed_are_refused(bad):
    with pytest.raises(WordRBMError, match="positive one"):
        AliasTable.build(np.array(bad))


def test_detailed_balance_holds_inside_every_column(rng, wordrep, q):
    log_q = PooledMetropolis.from_columns(q, steps=1).log_q
    h = rng.integers(0, 2, (1, wordrep.c.size)).astype(float)
    for i, part in enumerate(WORDS):
        pi = reference.word_conditional(alone(wordrep, i), 0, h[0])
        weight = log_weights(wordrep, h, i, log_q, range(part.start, part.stop))
        flow = pi[:, None] * q[i] * np.exp(np.minimum(0.0, weight - weight[:, None]))
        np.testing.assert_allclose(flow, flow.T, rtol=1e-12)


def test_the_walk_of_a_column_takes_the_referees_decisions(stream, wordrep, q, rows):
    v, h = rows
    operator = Metropolis.from_columns(q, steps=25)
    random = reference.Xoshiro(stream)
    moved, info = operator(stream, wordrep, Chains(v, h))
    for i, (table, _, words) in enumerate(operator.proposal.position_groups(2)):
        value = v[:, i : i + 1] - words.start
        tables = table.keep, table.alias
        expected = reference.walk(random, alone(wordrep, i), q[i], *tables, 25, value, h)
        np.testing.assert_array_equal(moved[:, i : i + 1] - words.start, expected)
    assert np.all(info.accepted[moved != v] > 0)


def test_the_pooled_walk_of_columns_takes_the_referees_decisions(stream, wordrep, q, rows):
    v, h = rows
    operator = PooledMetropolis.from_columns(q, steps=25, size=32)
    random = reference.Xoshiro(stream)
    pool = np.array(
        [
            [reference.alias_draw(random, table.keep, table.alias) + words.start for _ in range(32)]
            for table, _, words in operator.proposal.position_groups(2)
        ]
    )
    moved, _ = operator(stream, wordrep, Chains(v, h))
    expected = reference.pooled_walk(random, wordrep, np.concatenate(q), pool, 25, v, h)
    np.testing.assert_array_equal(moved, expected)


def test_columns_moved_group_by_group_are_moved_one_after_the_other(
    monkeypatch, stream, wordrep, q, rows
):
    v, h = rows
    operator = PooledMetropolis.from_columns(q, steps=5, size=8)
    random = reference.Xoshiro(stream)
    monkeypatch.setattr(proposals, "MAX_SCORES", 1)
    moved, _ = operator(stream, wordrep, Chains(v, h))
    for i, (table, _, words) in enumerate(operator.proposal.position_groups(2)):
        pool = [[reference.alias_draw(random, table.keep, table.alias) for _ in range(8)]]
        value, pool = v[:, i : i + 1] - words.start, np.array(pool)
        expected = reference.pooled_walk(random, alone(wordrep, i), q[i], pool, 5, value, h)
        np.testing.assert_array_equal(moved[:, i : i + 1] - words.start, expected)


@pytest.mark.parametrize("sweeps", [1, 4])
def test_chains_started_at_the_target_of_a_table_stay_there(rng, stream, wordrep, q, sweeps):
    p = window_probability(wordrep)
    v = np.array(reference.all_windows(wordrep))[rng.choice(len(p), size=40_000, p=p)]
    chains = Chains(v, draw_hidden(stream, wordrep.hidden_mean(v)))
    for _ in range(sweeps):
        chains, _ = sweep(stream, wordrep, Metropolis.from_columns(q, steps=3), chains)
    assert drift(wordrep, chains.v, p) < 4


def test_a_row_alone_with_its_pools_stays_at_the_target(rng, stream, wordrep, q):
    p = window_probability(wordrep)
    v = np.array(reference.all_windows(wordrep))[rng.choice(len(p), size=8_000, p=p)]
    h = draw_hidden(stream, wordrep.hidden_mean(v))
    operator = PooledMetropolis.from_columns(q, steps=3, size=4)
    moved = [operator(stream, wordrep, Chains(v[m : m + 1], h[m : m + 1]))[0] for m in range(8_000)]
    assert drift(wordrep, np.concatenate(moved), p) < 4


def test_memory_is_that_of_all_values_once(q):
    tables = ColumnProposals.build(q)
    assert sum(table.keep.size for table in tables.tables) == tables.log_probability().size == K
    np.testing.assert_array_equal(tables.offsets, [0, 2, 5])
    np.testing.assert_allclose(np.exp(tables.log_probability()), np.concatenate(q))


def test_steps_and_pools_of_columns_are_checked_too(q):
    with pytest.raises(WordRBMError, match="use 1 or more"):
        Metropolis.from_columns(q, steps=0)
    with pytest.raises(WordRBMError, match="power of two"):
        PooledMetropolis.from_columns(q, steps=5, size=6)


def test_a_shared_proposal_moves_words_as_it_always_has(wordrep):
    """Pinned when columns came: what one shared q does with a fixed stream must not change."""
    q = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
    v, h = np.arange(40).reshape(20, 2) % K, (np.arange(60).reshape(20, 3) % 2).astype(float)
    plain, pooled = (
        operator.from_probability(q, steps=3)(
            np.arange(1, 5, dtype=np.uint64) << np.uint64(50), wordrep, Chains(v, h)
        )[0]
        for operator in (Metropolis, PooledMetropolis)
    )
    assert "".join(map(str, plain.ravel())) == PLAIN
    assert "".join(map(str, pooled.ravel())) == POOLED


PLAIN = "4434331034402440243033300231230004342134"
POOLED = "2302244304032343343423313304240322410034"
