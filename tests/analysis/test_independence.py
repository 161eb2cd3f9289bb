"""The closed form of the independence sampler against powers of its matrix."""

import numpy as np
import pytest

from tests import reference
from wordrbm.analysis.independence import IndependenceChain, steps_until

CASES = {
    "mild": (12, 1.0),
    "sharp": (40, 4.0),
    "very sharp": (60, 30.0),
    "two words": (2, 1.0),
    "ties": (30, None),
    "one word": (1, 1.0),
}


@pytest.fixture(params=CASES)
def case(request, rng):
    """Target and proposal."""
    K, spread = CASES[request.param]
    q = rng.dirichlet(np.full(K, 0.5)) + 1e-9
    q /= q.sum()
    pi = (
        q * 2.0 ** rng.integers(-2, 3, K) if spread is None else np.exp(spread * rng.normal(size=K))
    )
    return pi / pi.sum(), q


def chain_of(case, start=None):
    with np.errstate(divide="ignore"):
        return IndependenceChain.build(*np.log(case), None if start is None else np.log(start))


@pytest.mark.parametrize("start", ["proposal", "one word", "any"])
def test_it_is_where_powers_of_the_matrix_are(case, rng, start):
    pi, q = case
    starts = {"proposal": q, "one word": np.eye(len(q))[0], "any": rng.dirichlet(np.ones(len(q)))}
    nu, matrix = starts[start], reference.independence_matrix(pi, q)
    chain = chain_of(case, None if start == "proposal" else nu)
    for t in [0, 1, 2, 3, 7, 50, 1000]:
        expected = nu @ np.linalg.matrix_power(matrix, t)
        p = chain.ratios(t) * chain.pi
        np.testing.assert_allclose(p, expected[chain.order], atol=1e-12, rtol=0)


def test_near_eigenvalues_are_told_apart():
    """Many words that hold the chain, all but equally: only the series sees that they differ."""
    q = np.append(np.full(399, 1e-3 / 399), 0.999)
    pi = np.append(q[:399] * 900 * np.exp(1e-5 * np.arange(399)), 0.1)
    pi /= pi.sum()
    nu, matrix = np.eye(400)[7], reference.independence_matrix(pi, q)
    chain = chain_of((pi, q), nu)
    for t in [1, 2, 5]:
        expected = nu @ np.linalg.matrix_power(matrix, t)
        p = chain.ratios(t) * chain.pi
        np.testing.assert_allclose(p, expected[chain.order], atol=1e-12, rtol=0)


def test_distances_are_those_of_the_matrix(case):
    pi, q = case
    chain, matrix = chain_of(case), reference.independence_matrix(pi, q)
    for t in [0, 1, 5, 40]:
        p = q @ np.linalg.matrix_power(matrix, t)
        divergence = sum((a - b) * np.log(a / b) for a, b in zip(p, pi, strict=True) if b > 1e-9)
        found, distance = chain.distances(t)
        assert distance == pytest.approx(reference.total_variation(p, pi), abs=1e-12)
        assert distance == pytest.approx(chain.total_variation(t), abs=1e-14)
        if pi.min() > 1e-9:
            assert found == pytest.approx(divergence, abs=1e-10)


def test_gap_and_acceptance_are_those_of_the_matrix(case):
    pi, q = case
    chain, matrix = chain_of(case), reference.independence_matrix(pi, q)
    values = np.sort(np.linalg.eigvals(matrix).real)[::-1]
    assert chain.gap == pytest.approx(1.0 - (values[1] if len(q) > 1 else 0.0), abs=1e-10)
    weight = pi / q
    taken = sum(
        pi[x] * q[y] * min(1.0, weight[y] / weight[x]) for x in range(len(q)) for y in range(len(q))
    )
    assert chain.acceptance == pytest.approx(taken, abs=1e-12)


def test_autocorrelation_time_is_the_sum_over_the_matrix(case):
    pi, q = case
    K, matrix = len(q), reference.independence_matrix(pi, q)
    if K == 1:
        assert chain_of(case).autocorrelation_time() == 1.0
        return
    always = np.tile(pi, (K, 1))
    later = np.linalg.inv(np.eye(K) - matrix + always) - np.eye(K)  # sum_{t >= 1} P^t - Pi
    expected = 1.0 + 2.0 * (pi * np.diag(later)).sum() / (pi * (1.0 - pi)).sum()
    assert chain_of(case).autocorrelation_time() == pytest.approx(expected, rel=1e-8)


def test_steps_until_are_the_fewest(case):
    chain = chain_of(case)
    for distance in [0.5, 0.1, 0.01]:
        steps = steps_until(chain, distance)
        assert chain.total_variation(steps) <= distance
        assert steps == 0 or chain.total_variation(steps - 1) > distance
    assert (
        steps_until(IndependenceChain.build(np.log([0.5, 0.5]), np.log([0.1, 0.9])), 0.0, limit=64)
        is None
    )


def test_a_word_that_is_never_wanted_and_one_never_proposed_do_no_harm():
    log_pi = np.array([-0.1, -2.0, -2000.0, -9.0])
    log_pi -= np.logaddexp.reduce(log_pi)
    log_q = np.log(np.array([1e-300, 0.3, 0.7 - 1e-12, 1e-12]))
    chain = IndependenceChain.build(log_pi, log_q)
    for t in [0, 1, 10**6, 10**12]:
        divergence, distance = chain.distances(t)
        assert np.isfinite(divergence)
        assert 0.0 <= distance <= 1.0
    assert chain.gap < 1e-250
