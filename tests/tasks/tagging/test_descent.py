"""L-BFGS on functions whose minimum is known."""

import numpy as np
import pytest

from wordrbm.tasks.tagging.descent import minimum


def bowl(N=60, seed=1):
    """A quadratic with curvatures from 1 to 1000, its minimum and how often it was asked."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(N, N)))[0]
    A, best, asked = turn @ np.diag(np.geomspace(1, 1000, N)) @ turn.T, rng.normal(size=N), []

    def value(x, g):
        g[:] = A @ (x - best)
        asked.append(1)
        return float(0.5 * (x - best) @ g) + 3.0

    return value, best, asked


def quiet(step, value):
    return None


def test_the_minimum_of_a_bowl():
    value, best, _ = bowl()
    found = minimum(value, np.zeros(60), delta=1e-14, most=1000, tell=quiet)
    np.testing.assert_allclose(found, best, atol=1e-4)


def test_few_steps_are_enough():
    value, _, asked = bowl()
    minimum(value, np.zeros(60), delta=1e-9, most=1000, tell=quiet)
    assert len(asked) < 250


def test_values_never_rise_and_the_last_is_told():
    told = []
    value, _, _ = bowl()
    minimum(value, np.zeros(60), delta=1e-6, most=25, tell=lambda step, x: told.append((step, x)))
    assert [step for step, _ in told] == list(range(1, len(told) + 1))
    assert len(told) <= 25
    assert all(np.diff([x for _, x in told]) <= 0)


def test_at_the_minimum_nothing_is_done():
    value, best, asked = bowl()
    np.testing.assert_array_equal(
        minimum(value, best.copy(), delta=1e-5, most=10, tell=quiet), best
    )
    assert len(asked) == 1


def test_a_start_with_nowhere_to_go_ends():
    def edge(x, g):
        g[:] = 1.0
        return 0.0 if np.array_equal(x, np.zeros(3)) else 1.0

    np.testing.assert_allclose(
        minimum(edge, np.zeros(3), delta=1e-5, most=10, tell=quiet), 0.0, atol=1e-12
    )


@pytest.mark.parametrize("most", [0, 1])
def test_no_more_steps_than_asked(most):
    value, _, asked = bowl()
    minimum(value, np.zeros(60), delta=1e-9, most=most, tell=quiet)
    assert len(asked) <= 1 + most * 20


def test_values_that_are_not_finite_are_never_gone_to():
    def cliff(x, g):
        g[:] = 2 * (x - 3.0)
        return float(((x - 3.0) ** 2).sum()) if np.abs(x).max() < 3.5 else -np.inf

    found = minimum(cliff, np.full(4, -3.0), delta=1e-12, most=100, tell=quiet)
    np.testing.assert_allclose(found, 3.0, atol=1e-3)


def test_very_steep_functions_are_gone_down_too():
    value, best, _ = bowl()

    def steep(x, g):
        found = value(x, g)
        g *= 1e16
        return 1e16 * found

    found = minimum(steep, np.zeros(60), delta=1e-14, most=1000, tell=quiet)
    np.testing.assert_allclose(found, best, atol=1e-4)
