import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.inference import generate


def test_samples_have_the_models_distribution(trained):
    """Seeds are independent, chains of one seed are not quite: the error is taken over seeds.

    For each of 125 windows, z = (mean frequency - P) / (standard error over 100 seeds) is nearly
    normal, so the mean of z^2 is 1 with a spread of sqrt(2 / 124) = 0.13. The bound is 5 spreads.
    """
    p = reference.window_probability(trained.rbm)
    frequency = np.array([frequencies(trained.sample(seed, 200, 20)) for seed in range(100)])
    z = (frequency.mean(axis=0) - p) / (frequency.std(axis=0, ddof=1) / 10)
    assert np.mean(z[p > 1e-3] ** 2) < 1.65
    assert reference.total_variation(frequency.mean(axis=0), p) < 0.04


def frequencies(v):
    return np.bincount(v @ [25, 5, 1], minlength=125) / len(v)


def test_the_same_seed_samples_the_same(trained):
    first, again, other = (trained.sample(seed, 6, 3) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    by_rng = [trained.sample(np.random.default_rng(4), 6, 3) for _ in range(2)]
    np.testing.assert_array_equal(*by_rng)


def test_many_chains_move_in_blocks_of_their_own_streams(trained, monkeypatch):
    monkeypatch.setattr(generate, "CHAINS_PER_BLOCK", 4)
    v = trained.sample(1, 10, 3)
    assert v.shape == (10, 3)
    np.testing.assert_array_equal(v[:8], trained.sample(1, 8, 3))
    assert not np.array_equal(v[:4], v[4:8])


def test_samples_are_decoded(trained):
    assert trained.words(np.array([[0, 1, 4]])) == [["<unk>", "the", "on"]]
    assert trained.words([[0, 1, 4]]) == [["<unk>", "the", "on"]]
    for wrong in ([[0, 1], [2]], [["the", "cat", "said"]], [0, 1, 4]):
        with pytest.raises(WordRBMError, match="integer array"):
            trained.words(wrong)


def test_more_windows_than_fit_are_refused_at_once(trained):
    with pytest.raises(WordRBMError, match="at most 10,000,000"):
        trained.sample(1, 100_000_000_000)


@pytest.mark.parametrize(
    "wrong", [{"count": 0}, {"sweeps": 0}, {"seed": "x"}, {"seed": True}, {"seed": 1.5}]
)
def test_what_cannot_be_sampled_is_refused(trained, wrong):
    with pytest.raises(WordRBMError, match="whole number"):
        trained.sample(**{"seed": 1, "count": 2, "sweeps": 2} | wrong)
