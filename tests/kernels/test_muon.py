import numpy as np
import pytest

from tests import reference
from wordrbm.kernels.muon import RATE, muon_step, orthogonalize

SHAPES = [(6, 4), (4, 6), (5, 5), (4, 1), (1, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_orthogonalising_is_newton_schulz_on_the_matrix_itself(rng, shape):
    M = rng.normal(size=shape)
    np.testing.assert_allclose(orthogonalize(M), reference.orthogonalized(M), atol=1e-9)


@pytest.mark.parametrize("shape", [(250, 50), (40, 90)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_singular_values_end_near_one_with_the_same_vectors(rng, shape, dtype):
    spread = np.diag(np.exp(rng.normal(size=shape[1])))
    M = (rng.normal(size=shape) @ spread).astype(dtype)
    P, _, Q = np.linalg.svd(M, full_matrices=False)
    core = P.T @ orthogonalize(M) @ Q.T
    value = np.diag(core)
    assert value.min() > 0.6
    assert value.max() < 1.25
    np.testing.assert_allclose(core - np.diag(value), 0, atol=5e-3)
    assert orthogonalize(M).dtype == dtype


def test_the_size_of_a_gradient_does_not_matter(rng):
    M = rng.normal(size=(7, 3))
    np.testing.assert_allclose(orthogonalize(1e4 * M), orthogonalize(1e-4 * M), atol=1e-9)


def test_no_gradient_is_no_step():
    np.testing.assert_array_equal(orthogonalize(np.zeros((4, 3))), 0)


def step_of(U, velocity, gradient, rate=0.04, momentum=0.9, shrink=0.0):
    return muon_step(U, velocity, gradient, 0.1, rate, momentum, shrink, 100.0)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
def test_a_step_is_along_the_orthogonalised_momentum(rng, shape):
    U, velocity, gradient = (rng.normal(size=size) for size in (shape, shape, (2, *shape)))
    before, mean = U.copy(), 0.1 * gradient.sum(axis=0)
    after = 0.9 * velocity + mean
    direction = np.array(reference.orthogonalized(0.9 * after + mean))
    assert step_of(U, velocity, gradient, shrink=0.5)
    np.testing.assert_allclose(velocity, after)
    scale = 0.04 * RATE * np.sqrt(max(shape))
    np.testing.assert_allclose(U, 0.5 * before + scale * direction, atol=1e-9)


def test_entries_move_by_the_rate_in_the_root_mean_square(rng):
    U = np.zeros((250, 50), np.float32)
    numbers = [np.float32(x) for x in (0.1, 0.04, 0.9, 0.0, 100.0)]
    muon_step(U, np.zeros_like(U), rng.normal(size=(1, 250, 50)).astype(np.float32), *numbers)
    assert np.sqrt((U**2).mean()) == pytest.approx(0.04 * RATE, rel=0.2)


@pytest.mark.parametrize("far", [101.0, np.nan, np.inf])
def test_an_entry_that_runs_away_is_told(rng, far):
    U, gradient = np.zeros((4, 3)), rng.normal(size=(1, 4, 3))
    assert step_of(U, np.zeros_like(U), gradient)
    U[2, 1] = far
    assert not step_of(U, np.zeros_like(U), gradient)
    gradient[0, 1, 1] = np.nan
    assert not step_of(np.zeros((4, 3)), np.zeros((4, 3)), gradient)
