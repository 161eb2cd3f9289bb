"""L-BFGS on functions whose minimum is known."""

import numpy as np
import pytest

from wordrbm.tagging.lbfgs import minimize


def quadratic(N=60, seed=1):
    """A quadratic with curvatures from 1 to 1000, its minimum, and its evaluations."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(N, N)))[0]
    A, optimum, evaluations = (
        rotation @ np.diag(np.geomspace(1, 1000, N)) @ rotation.T,
        rng.normal(size=N),
        [],
    )

    def value(x, g):
        g[:] = A @ (x - optimum)
        evaluations.append(1)
        return float(0.5 * (x - optimum) @ g) + 3.0

    return value, optimum, evaluations


def quiet(step, value):
    return None


def test_the_minimum_of_a_quadratic():
    value, optimum, _ = quadratic()
    minimum = minimize(value, np.zeros(60), delta=1e-14, max_iterations=1000, callback=quiet)
    np.testing.assert_allclose(minimum, optimum, atol=1e-4)


def test_curvature_saves_evaluations():
    value, _, evaluations = quadratic()
    minimize(value, np.zeros(60), delta=1e-9, max_iterations=1000, callback=quiet)
    assert len(evaluations) < 250


def test_values_never_rise_and_all_are_reported():
    reported = []
    value, _, _ = quadratic()
    minimize(
        value,
        np.zeros(60),
        delta=1e-6,
        max_iterations=25,
        callback=lambda step, x: reported.append((step, x)),
    )
    assert [step for step, _ in reported] == list(range(1, len(reported) + 1))
    assert len(reported) <= 25
    assert all(np.diff([x for _, x in reported]) <= 0)


def test_at_the_minimum_one_evaluation_is_enough():
    value, optimum, evaluations = quadratic()
    np.testing.assert_array_equal(
        minimize(value, optimum.copy(), delta=1e-5, max_iterations=10, callback=quiet), optimum
    )
    assert len(evaluations) == 1


def test_a_start_without_descent_ends():
    def edge(x, g):
        g[:] = 1.0
        return 0.0 if np.array_equal(x, np.zeros(3)) else 1.0

    np.testing.assert_allclose(
        minimize(edge, np.zeros(3), delta=1e-5, max_iterations=10, callback=quiet), 0.0, atol=1e-12
    )


@pytest.mark.parametrize("limit", [0, 1])
def test_the_number_of_iterations_is_limited(limit):
    value, _, evaluations = quadratic()
    minimize(value, np.zeros(60), delta=1e-9, max_iterations=limit, callback=quiet)
    assert len(evaluations) <= 1 + limit * 20


def test_points_with_infinite_values_are_never_accepted():
    def cliff(x, g):
        g[:] = 2 * (x - 3.0)
        return float(((x - 3.0) ** 2).sum()) if np.abs(x).max() < 3.5 else -np.inf

    minimum = minimize(cliff, np.full(4, -3.0), delta=1e-12, max_iterations=100, callback=quiet)
    np.testing.assert_allclose(minimum, 3.0, atol=1e-3)


def test_very_steep_functions():
    value, optimum, _ = quadratic()

    def steep(x, g):
        minimum = value(x, g)
        g *= 1e16
        return 1e16 * minimum

    minimum = minimize(steep, np.zeros(60), delta=1e-14, max_iterations=1000, callback=quiet)
    np.testing.assert_allclose(minimum, optimum, atol=1e-4)
