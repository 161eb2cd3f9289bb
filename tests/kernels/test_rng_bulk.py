import numpy as np
import pytest

from tests import reference
from wordrbm.kernels.rng import exponentials, fill_bernoulli, random_bits, uniform


@pytest.mark.parametrize("count", [1, 31, 32, 33, 1000])
def test_bits_are_those_of_the_lanes(stream, count):
    random = reference.Xoshiro(stream)
    assert random_bits(stream, count).tolist() == reference.lanes(random, count)


def test_every_bit_is_set_half_of_the_time(stream):
    bits = random_bits(stream, 100_000)
    share = [(bits >> np.uint32(k) & np.uint32(1)).mean() for k in range(32)]
    np.testing.assert_allclose(share, 0.5, atol=5 * 0.5 / np.sqrt(bits.size))


def test_lanes_and_calls_are_unrelated(stream):
    rows = np.concatenate([random_bits(stream, 32 * 500).reshape(500, 32).T for _ in range(2)])
    correlation = np.corrcoef(rows.astype(float))[~np.eye(64, dtype=bool)]
    assert np.abs(correlation).max() < 5.5 / np.sqrt(500)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bernoulli_follows_its_mean(stream, dtype):
    mean = np.tile(np.array([0.0, 0.25, 0.9, 1.0], dtype), (20_000, 1))
    state = np.empty_like(mean)
    fill_bernoulli(stream, mean, state)
    assert set(np.unique(state)) == {0.0, 1.0}
    assert not state[:, 0].any()
    assert state[:, 3].all()
    np.testing.assert_allclose(state.mean(axis=0), mean[0], atol=4 * 0.5 / np.sqrt(20_000))


def test_exponentials_are_logarithms_of_the_same_bits(stream):
    again = stream.copy()
    u = ((random_bits(again, 10_000) >> np.uint32(9)) + 0.5) / 2**23
    np.testing.assert_allclose(exponentials(stream, 10_000), -np.log(u), rtol=3e-7, atol=1.3e-7)


def test_a_uniform_number_is_neither_nought_nor_one():
    assert uniform(np.uint32(0)) == 2.0**-24
    assert uniform(np.uint32(2**32 - 1)) == 1 - 2.0**-24
