import copy

import numpy as np
import pytest

from tests.conftest import H, K, d, n
from wordrbm.models import Gradient, Rows
from wordrbm.models.exact import to_dense
from wordrbm.training import TrainingSettings
from wordrbm.training.optimizer import LearningRates, RowRates, row_rates_of, sgd_step


@pytest.fixture
def gradients(rng, wordrep):
    """Two shards over words 1, 2 and 4; words 0 and 3 are never named."""
    words = np.array([1, 2, 4])
    return [
        wordrep.gradient(
            words[rng.integers(3, size=(5, n))], rng.random((5, H)), rng.normal(size=5)
        )
        for _ in range(2)
    ]


def steps(rate_scale, max_weight=np.inf):
    """Row steps with this damping and, unless asked, no clipping."""
    rate_scale = np.asarray(rate_scale)
    return RowRates(rate_scale, np.full_like(rate_scale, max_weight), np.zeros(len(rate_scale)))


def still(model):
    return {"U": np.zeros_like(model.stacked), "c": np.zeros_like(model.c)}


def test_a_step_without_penalty_is_the_dense_step(wordrep, gradients):
    before = {name: value.copy() for name, value in wordrep.parameters().items()}
    rate_scale = np.linspace(0.5, 1.0, K)
    sgd_step(
        wordrep,
        gradients,
        still(wordrep),
        LearningRates(0.1, 0.2, 0.9, 0.0),
        steps(rate_scale),
        B=10,
    )
    for name, value in wordrep.parameters().items():
        total = sum(to_dense(wordrep, gradient, name) for gradient in gradients)
        step = 0.2 / 10 * total if name in "Uc" else 0.1 * (total.T * rate_scale).T
        np.testing.assert_allclose(value, before[name] + step, atol=1e-12)


def test_momentum_carries_the_last_step_on(wordrep, gradients):
    velocity = {"U": np.ones_like(wordrep.stacked), "c": np.zeros_like(wordrep.c)}
    before = wordrep.U.copy()
    sgd_step(
        wordrep, gradients, velocity, LearningRates(0.0, 0.0, 0.5, 0.0), steps(np.ones(K)), B=10
    )
    np.testing.assert_allclose(wordrep.U, before + 0.5)
    np.testing.assert_allclose(velocity["U"], 0.5)


def test_rows_that_no_gradient_names_keep_their_bits(wordrep, gradients):
    kept = wordrep.D[[0, 3]].copy(), wordrep.b[[0, 3]].copy()
    sgd_step(
        wordrep,
        gradients,
        still(wordrep),
        LearningRates(0.1, 0.1, 0.9, 0.5),
        steps(np.ones(K)),
        B=10,
    )
    np.testing.assert_array_equal(wordrep.D[[0, 3]], kept[0])
    np.testing.assert_array_equal(wordrep.b[[0, 3]], kept[1])


def test_penalty_shrinks_weights_and_leaves_biases(wordrep):
    bias = np.array([0.0, 0.1, 0.1, 0.0, 0.0])  # the gradient is that of two biases, no more
    still_units = wordrep.gradient(np.array([[1, 2]]), np.zeros((1, H)), np.ones(1))
    before = {name: value.copy() for name, value in wordrep.parameters().items()}
    sgd_step(
        wordrep,
        [still_units],
        still(wordrep),
        LearningRates(0.1, 0.2, 0.0, 0.5),
        steps(np.ones(K)),
        B=1,
    )
    np.testing.assert_allclose(wordrep.U, before["U"] * (1 - 0.2 * 0.5))
    np.testing.assert_allclose(wordrep.D[1], before["D"][1] * (1 - 0.1 * 0.5))
    np.testing.assert_allclose(wordrep.b, before["b"] + bias)
    np.testing.assert_array_equal(wordrep.c, before["c"])


def test_damping_is_by_the_expected_number_of_readings(wordrep, softmax):
    q = np.array([0.5, 0.3, 0.1, 0.06, 0.04])
    alone = TrainingSettings(batch_size=100, objective="sml")
    shared = row_rates_of(wordrep, q, alone)
    np.testing.assert_allclose(shared.rate_scale, (1 + 100 * n * q) ** -0.75)
    np.testing.assert_allclose(shared.max_weight, 4 * (1 + 200 * n * q))
    ranked = row_rates_of(wordrep, q, TrainingSettings(batch_size=100, ranking_weight=5.0))
    np.testing.assert_allclose(ranked.max_weight, 6 * shared.max_weight)
    apart = row_rates_of(softmax, q, alone)
    np.testing.assert_allclose(apart.rate_scale, np.tile((1 + 100 * q) ** -0.75, n))


def test_the_weight_of_a_row_is_clipped(wordrep):
    """Word 1 has a weight of 12 where 3 count, word 2 of 2; both shards make one update."""
    limited = steps(np.full(K, 0.5), max_weight=3.0)
    named = [np.array([1] * 10 + [2], np.int32), np.array([1, 1, 2], np.int32)]
    gradients = [Gradient({}, {"b": Rows(number, np.ones((number.size, 1)))}) for number in named]
    for _ in range(2):  # the scratch is clean after each use
        before = wordrep.b.copy()
        sgd_step(wordrep, gradients, {}, LearningRates(0.1, 0.1, 0.9, 0.0), limited, B=1)
        expected = [0, 0.1 * 0.5 * 3, 0.1 * 0.5 * 2, 0, 0]
        np.testing.assert_allclose(wordrep.b - before, expected, atol=1e-12)
        assert not limited.total.any()


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_a_step_in_parts_has_the_bits_of_the_whole_step(wordrep, gradients, parts):
    rates, rate_scale = (
        LearningRates(0.1, 0.2, 0.9, 0.01),
        steps(np.linspace(0.5, 1.0, K), max_weight=2.0),
    )
    whole, cut = (copy.deepcopy(wordrep) for _ in range(2))
    speeds = still(wordrep), still(wordrep)
    for _ in range(2):
        sgd_step(whole, gradients, speeds[0], rates, rate_scale, B=10)
        for part in reversed(range(parts)):
            sgd_step(cut, gradients, speeds[1], rates, rate_scale, B=10, threads=parts, thread=part)
    for name, value in whole.parameters().items():
        np.testing.assert_array_equal(value, cut.parameters()[name])


def test_a_dense_parameter_that_diverges_is_reported(wordrep, gradients):
    rates = LearningRates(0.1, 0.1, 0.9, 0.0)
    assert sgd_step(wordrep, gradients, still(wordrep), rates, steps(np.ones(K)), B=10)
    for far in (101.0, -101.0, np.nan, np.inf):
        lost = copy.deepcopy(wordrep)
        lost.U[-1, -1, -1] = far
        assert not sgd_step(lost, gradients, still(lost), rates, steps(np.ones(K)), B=10)


def test_single_precision_stays_single(wordrep):
    single = type(wordrep)(
        **{name: value.astype(np.float32) for name, value in wordrep.parameters().items()}
    )
    v, h = np.array([[1, 2]]), np.ones((1, H), np.float32)
    gradient = single.gradient(v, h, np.ones(1, np.float32))
    assert gradient.rows["D"].values.dtype == np.float32
    sgd_step(
        single,
        [gradient],
        still(single),
        LearningRates(0.1, 0.1, 0.9, 0.1),
        steps(np.ones(K, "f4")),
        B=1,
    )
    assert {value.dtype for value in single.parameters().values()} == {np.dtype(np.float32)}
    assert single.D.shape == (K, d)
