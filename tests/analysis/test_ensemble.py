"""Distances from many chains, against enumeration."""

import numpy as np
import pytest

from tests import reference
from wordrbm.analysis.ensemble import cells_of, distance, sampled_study
from wordrbm.analysis.mixing import cases_of, conditional
from wordrbm.sampling import ClusteredMetropolis, Cycle, Metropolis


def test_a_cycle_is_where_the_product_of_its_matrices_is(rng, model, q):
    """Words are few here, so that every one is a cell of its own."""
    v = rng.integers(reference.choices(model), size=(2, model.positions))
    parts = (
        Metropolis.from_probability(q, steps=1),
        ClusteredMetropolis.of_model(model, q, steps=1, singles=1, groups=1),
    )
    cases = cases_of(model, v, seed=3)
    points = list(sampled_study(7, model, Cycle(parts), cases, q, [1, 2], 20_000))
    assert len(points) == 2 * model.positions * 2
    for point in points:
        case, table = cases[point.case], int(model.table_index[point.position])
        context = case.context[point.position]
        pi = np.exp(conditional(model, context, table))
        matrix = np.eye(len(q))
        for part in parts:
            proposal = np.exp(part.log_proposal(context, table))
            matrix = matrix @ reference.independence_matrix(pi, proposal / proposal.sum())
        p = q @ np.linalg.matrix_power(matrix, point.calls)
        expected = reference.total_variation(p, pi)
        assert abs(point.distance - expected) < 4 * point.error + 2 * point.floor


def test_cells_hold_every_word_once_and_likely_words_alone(rng):
    log_pi, log_q = (np.log(rng.dirichlet(np.full(5_000, 0.1)) + 1e-12) for _ in range(2))
    cell, p = cells_of(log_pi, log_q)
    np.testing.assert_allclose(p, np.bincount(cell, np.exp(log_pi)))
    assert p.size < 1_000
    likely = np.exp(log_pi) >= 1 / 500
    assert np.all(np.bincount(cell)[cell[likely]] == 1)


def test_exact_draws_are_at_the_floor(rng):
    p = rng.dirichlet(np.ones(50))
    found, error, floor = distance(rng.choice(50, 40_000, p=p), p)
    assert found == pytest.approx(floor, rel=0.5)
    assert 0.0 < error < floor
