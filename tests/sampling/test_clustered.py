"""Clusters of words, and the proposals that are drawn by them."""

import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.kernels.clustered import (
    PLACES,
    draw_cluster,
    draw_clusters,
    draw_members,
    log_cluster_ratio,
    sum_blocks,
    sum_fits,
)
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains, ClusteredMetropolis, cluster_words
from wordrbm.sampling.clustered import cluster_table


@pytest.fixture
def operator(model, q):
    return ClusteredMetropolis.from_model(model, q, steps=6, singletons=1, clusters=2, share=0.2)


def test_frequent_words_stand_alone_and_blobs_are_found(rng):
    q = rng.dirichlet(np.ones(200))
    blob = rng.integers(0, 4, 200)
    rows = 10.0 * np.eye(4)[blob] + 0.1 * rng.normal(size=(200, 4))
    found = cluster_words(rows, np.log(q), q, singletons=3, clusters=8)
    often = np.argsort(-q)[:3]
    assert found.label[often].tolist() == [0, 1, 2]
    np.testing.assert_allclose(found.centroid[:3], rows[often])
    for cluster in range(3, 11):
        assert len(set(blob[found.label == cluster])) <= 1


def test_the_same_vectors_give_the_same_clusters(rng):
    rows, q = rng.normal(size=(300, 5)), rng.dirichlet(np.ones(300))
    first, again = (cluster_words(rows, np.log(q), q, singletons=10, clusters=20) for _ in range(2))
    np.testing.assert_array_equal(first.label, again.label)


def test_a_cluster_weighs_what_its_words_weigh_without_context(rng):
    """And a little way off its centroid tells how the sum changes."""
    rows, bias, q = rng.normal(size=(40, 3)), rng.normal(size=40), rng.dirichlet(np.ones(40))
    found = cluster_words(rows, bias, q, singletons=4, clusters=5)
    g = 1e-4 * rng.normal(size=3)
    exact = np.bincount(found.label, np.exp(bias + rows @ g))
    proposal = found.weight * np.exp(found.centroid @ g)
    np.testing.assert_allclose(proposal / proposal.sum(), exact / exact.sum(), rtol=1e-6)


@pytest.mark.parametrize(("singletons", "clusters"), [(0, 1), (5, 0), (3, 9), (50, 50), (0, 50)])
def test_few_words_make_few_clusters(rng, singletons, clusters):
    rows, q = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(7))
    found = cluster_words(rows, np.log(q), q, singletons=singletons, clusters=clusters)
    laid = cluster_table(found, q, share=0.1, steps=2)
    np.testing.assert_allclose(np.exp(laid.log_q), q, rtol=1e-12)
    assert laid.mass.sum() == pytest.approx(1.0)
    assert len(laid.mass) % PLACES == 0


def test_what_is_drawn_has_the_probability_that_is_told(rng, stream, model, q, operator):
    h = rng.integers(0, 2, (1, model.c.size)).astype(float)
    context = model.word_context(h)[0]
    for i, table in enumerate(model.table_index.tolist()):
        known = operator.tables[table]
        proposal = np.exp(operator.log_proposal(context[i], table))
        np.testing.assert_allclose(proposal, expected(known, q, context[i]), rtol=1e-10)
        words = draws(stream, known, context[i], 40_000)
        frequency = np.bincount(words, minlength=len(q)) / len(words)
        chance = np.sqrt(proposal * (1 - proposal) / len(words)).sum() / 2
        assert reference.total_variation(frequency, proposal) < 4 * chance


def draws(stream, known, context, count):
    """Words as the compiled walk draws them."""
    asked, blocks = known.centroid @ context, len(known.mass) // PLACES
    sums, ends = np.empty((PLACES, blocks)), np.empty(blocks)
    sum_fits(asked.reshape(sums.shape), asked.max(), known.weight.reshape(sums.shape), sums)
    sum_blocks(sums[-1], ends)
    place, word = np.empty((2, count), np.int32)
    draw_clusters(stream, known.share, known.masses, known.ends, sums, ends, place)
    draw_members(stream, known.first, known.keep, known.member, place, word)
    return word


def expected(known, q, context):
    return reference.clustered_proposal(*formula(known, q), context)


def formula(known, q):
    used = known.mass > 0
    assert np.all(used[: used.sum()])
    return known.centroid[used], known.weight[used], known.cluster, q, known.share


def test_the_compiled_walk_takes_the_referees_decisions(rng, stream, model, q, operator):
    v = rng.integers(reference.choices(model), size=(20, model.positions))
    h = rng.integers(0, 2, (20, model.c.size)).astype(float)
    random = reference.Xoshiro(stream)
    moved, info = operator(stream, model, Chains(v, h))
    known = [referees(table, q) for table in operator.tables]
    context = model.word_context(h)
    np.testing.assert_array_equal(
        moved, reference.clustered_walk(random, model, known, 6, v, h, context)
    )
    assert info.proposed == 6
    assert np.any(moved != v)
    assert np.all(info.accepted[moved != v] > 0)


def referees(table, q):
    members = [
        list(zip(table.keep[here], *table.member[here].T, strict=True))
        for here in map(slice, table.first[:-1], table.first[1:])
    ]
    return {"formula": formula(table, q), "clusters": len(table.mass), "members": members}


def test_a_cluster_is_as_likely_as_it_is_said_to_be_after_rounding(stream):
    """Beside a sum of one, 1e-9 is lost in single precision: then q must not count on it."""
    weight = np.full((PLACES, 2), 1e-9, np.float32)
    weight[3, 0], weight[5, 1] = 0.5, 0.5
    sums, ends = np.empty((PLACES, 2), np.float32), np.empty(2)
    sum_fits(np.zeros_like(weight), np.float32(0), weight, sums)
    total, place = sum_blocks(sums[-1], ends), np.arange(2 * PLACES, dtype=np.int32)
    likely = np.empty(place.size)
    log_cluster_ratio(0.25, 0.75 / total, sums, np.ones(place.size), place, likely)
    p = (np.exp(likely) - 0.25) / 0.75
    assert p.sum() == pytest.approx(1.0)
    tries = np.concatenate([np.linspace(0, 4e-9, 997), np.linspace(0.5, 1 - 1e-12, 997)])
    drawn = {draw_cluster(u, sums, ends) for u in tries.tolist()}
    assert drawn <= set(np.flatnonzero(p > 0))
    assert 31 not in drawn  # added after a half, it is nothing


@pytest.mark.parametrize(("steps", "share"), [(0, 0.1), (3, 0.0), (3, 1.5)])
def test_what_cannot_be_used_is_refused(model, q, steps, share):
    with pytest.raises(WordRBMError, match="a share above 0"):
        ClusteredMetropolis.from_model(model, q, steps=steps, share=share)


def test_a_word_that_is_never_proposed_is_refused(model, q):
    q[1] = 0.0
    with pytest.raises(WordRBMError, match="can never be proposed"):
        ClusteredMetropolis.from_model(model, q, steps=2)


@pytest.mark.parametrize("far", [0.0, 80.0, 100.0, 500.0, -100.0, -500.0])
@pytest.mark.parametrize(("singletons", "clusters"), [(0, 30), (20, 20)])
def test_scores_beyond_all_measure_leave_the_target_unchanged(
    rng, stream, far, singletons, clusters
):
    """In single precision, where exp of them would overflow or vanish; all words are far alike."""
    K, B = 300, 40_000
    rows = np.column_stack([np.ones(K), rng.normal(size=(K, 3))]).astype(np.float32)
    U = np.array([[[far], [1.0], [1.0], [1.0]]], np.float32).transpose(0, 2, 1)
    bias = rng.normal(size=K).astype(np.float32)
    model = WordRepRBM(D=rows, U=U, b=bias, c=np.zeros(1, np.float32))
    q = rng.dirichlet(np.ones(K))
    operator = ClusteredMetropolis.from_model(
        model, q, steps=20, singletons=singletons, clusters=clusters
    )
    score = bias + rows[:, 1:].sum(axis=1).astype(float)
    pi = np.exp(score - np.logaddexp.reduce(score))
    v = rng.choice(K, p=pi, size=(B, 1)).astype(np.int32)
    moved, info = operator(stream, model, Chains(v, np.ones((B, 1), np.float32)))
    frequency = np.bincount(moved[:, 0], minlength=K) / B
    chance = np.sqrt(pi * (1 - pi) / B).sum() / 2
    assert reference.total_variation(frequency, pi) < 3 * chance
    assert info.accepted.mean() > 20 * 0.1
