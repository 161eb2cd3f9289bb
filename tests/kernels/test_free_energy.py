import numpy as np
import pytest

from wordrbm.kernels.free_energy import log_gain


@pytest.mark.parametrize(
    ("rest", "weight"),
    [(0.3, -0.7), (34, -40), (36, -40), (38, -45), (60, -61), (-60, 61), (5, 800), (800, -900)],
)
def test_one_unit_is_exact_however_sure_it_is(rest, weight):
    """softplus(a + x) - softplus(a), where 1 - sigm(a) has no digits left too."""
    a, x = np.array([[float(rest)]]), np.array([[float(weight)]])
    off, on = np.exp(-np.logaddexp(0, a)), np.exp(-np.logaddexp(0, -a))
    out = np.empty((1, 1))
    with np.errstate(over="ignore"):
        log_gain(a, off, on, x, np.exp(x), out)
    assert out[0, 0] == pytest.approx(np.logaddexp(0, a + x)[0, 0] - np.logaddexp(0, a)[0, 0])
