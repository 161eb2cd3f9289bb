import numpy as np
import pytest
from numba import njit

from wordrbm.kernels.fastmath import exp, log, sigmoid_inplace, softplus_row_sums


@njit
def each_exp(x, out):
    for k in range(x.size):
        out[k] = exp(x[k])


@njit
def each_log(x, out):
    for k in range(x.size):
        out[k] = log(x[k])


def computed(function, x):
    out = np.empty_like(x)
    function(x, out)
    return out


def worst_ulp(found, exact):
    return (np.abs(found.astype(float) - exact) / np.spacing(exact.astype(np.float32))).max()


def test_exp_is_good_to_two_units_in_the_last_place():
    x = np.linspace(-87, 88, 1_000_003).astype(np.float32)
    assert worst_ulp(computed(each_exp, x), np.exp(x.astype(float))) < 2


def test_log_is_good_to_two_units_in_the_last_place():
    x = np.exp(np.linspace(-86, 88, 1_000_003)).astype(np.float32)
    exact = np.log(x.astype(float))
    far = np.abs(exact) > 0.1  # near log 1 = 0 the last place is too small to ask for
    assert worst_ulp(computed(each_log, x)[far], exact[far]) < 2
    np.testing.assert_allclose(computed(each_log, x), exact, rtol=1e-6, atol=1e-7)


def test_exp_is_one_at_zero_and_keeps_nan():
    assert computed(each_exp, np.zeros(9, np.float32)).tolist() == [1.0] * 9
    assert np.isnan(computed(each_exp, np.full(9, np.nan, np.float32))).all()


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-7), (np.float64, 1e-15)])
def test_the_logistic_of_a_sum(rng, dtype, tolerance):
    x, c = rng.normal(0, 9, (7, 33)).astype(dtype), rng.normal(size=33).astype(dtype)
    exact = 1 / (1 + np.exp(-(x.astype(float) + c)))
    sigmoid_inplace(x, c)
    np.testing.assert_allclose(x, exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_logistic_ends_at_nought_and_one(dtype):
    x = np.array([[-np.inf, -1e30, -200, 200, 1e30, np.inf, np.nan]], dtype)
    sigmoid_inplace(x, np.zeros(7, dtype))
    assert (x[0, :3] < 1e-37).all()
    assert (x[0, 3:6] == 1).all()
    assert np.isnan(x[0, 6])


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_softplus_is_summed_by_rows(rng, dtype, tolerance):
    x = rng.normal(0, 9, (7, 250)).astype(dtype)
    x[0, :4] = [-1e30, -100, 100, 1e30]
    total = np.zeros(7)
    softplus_row_sums(x, total)
    np.testing.assert_allclose(total, np.logaddexp(0, x.astype(float)).sum(axis=1), rtol=tolerance)


def test_softplus_of_no_rows_is_no_sum():
    total = np.zeros(0)
    softplus_row_sums(np.zeros((0, 5), np.float32), total)
    assert total.size == 0
