"""Exact Gibbs in stretches of the vocabulary: the stretches must not be seen in the words."""

import numpy as np
import pytest

from tests import reference
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains, Gibbs, gibbs
from wordrbm.sampling.gibbs import block_log_sums

DRAWS = 40_000


@pytest.fixture
def single(wordrep):
    """The model of the contract tests in single precision, as in training."""
    return WordRepRBM(*(array.astype(np.float32) for array in wordrep.parameters().values()))


@pytest.mark.parametrize(("block", "most"), [(1, 2**20), (2, 7), (5, 1000), (8, 2**20)])
def test_words_come_as_the_referee_says(rng, stream, single, block, most, monkeypatch):
    """Total variation of 40,000 draws over 5 words is below 0.01, by chance in all but 1e-4."""
    monkeypatch.setattr(gibbs, "MAX_SUMS", most)
    h = rng.integers(0, 2, single.c.size).astype(np.float32)
    v = np.zeros((DRAWS, single.positions), np.int32)
    moved, info = Gibbs(block)(stream, single, Chains(v, np.tile(h, (DRAWS, 1))))
    assert moved.shape == info.accepted.shape == v.shape
    for i in range(single.positions):
        found = np.bincount(moved[:, i], minlength=len(single.b)) / DRAWS
        expected = np.array(reference.word_conditional(single, i, h))
        assert reference.total_variation(found, expected) < 0.01


def test_each_chain_follows_its_own_hidden_states(stream, single):
    """A word made certain by one hidden unit comes where that unit is on, and only there."""
    single.D[:], single.U[:], single.b[:] = 0.0, 0.0, 0.0
    single.b[0], single.D[3, 0], single.U[1, 0, 0] = 50.0, 1.0, 100.0
    h = np.zeros((6, single.c.size), np.float32)
    h[::2, 0] = 1.0
    moved, _ = Gibbs(2)(stream, single, Chains(np.ones((6, 2), np.int32), h))
    np.testing.assert_array_equal(moved, [[0, 3], [0, 0]] * 3)


def test_a_stretch_is_known_by_its_largest_score_and_its_sum(rng):
    rows, bias, context = rng.normal(0, 3, (7, 4)), rng.normal(size=7), rng.normal(0, 3, (3, 4))
    largest, total = block_log_sums(rows, bias, context, 3)
    scores = context @ rows.T + bias
    for s, block in enumerate([slice(0, 3), slice(3, 6), slice(6, 7)]):
        part = scores[:, block]
        np.testing.assert_allclose(largest[s], part.max(axis=1))
        np.testing.assert_allclose(total[s] * np.exp(largest[s]), np.exp(part).sum(axis=1))
