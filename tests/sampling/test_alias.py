import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import seed_stream
from wordrbm.sampling import AliasTable

weights = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40).map(np.array)


@settings(deadline=None)  # the first example may wait for the compiler
@given(weights)
def test_table_holds_exactly_the_distribution_it_was_built_from(w):
    p = w / w.sum()
    np.testing.assert_allclose(AliasTable.build(p).probability(), p, rtol=1e-6, atol=1e-12)


def test_a_large_skewed_table_is_read_back_to_rounding():
    p = 1.0 / np.arange(1, 100_002)
    p /= p.sum()
    np.testing.assert_allclose(AliasTable.build(p).probability(), p, rtol=1e-9)


def test_draws_are_the_referees(rng, stream):
    table = AliasTable.build(rng.dirichlet(np.ones(17)))
    random = reference.Xoshiro(stream)
    expected = [reference.alias_draw(random, table.keep, table.alias) for _ in range(500)]
    np.testing.assert_array_equal(table.draw(stream, 500), expected)


def test_draws_follow_the_distribution(rng):
    p = rng.dirichlet(np.ones(17))
    words = AliasTable.build(p).draw(seed_stream(3, 0, 0), 200_000)
    frequency = np.bincount(words, minlength=17) / words.size
    assert reference.total_variation(frequency, p) < 4 * np.sqrt(p * (1 - p) / words.size).sum() / 2


@pytest.mark.parametrize("bad", [[0.5, 0.5, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_weights_that_cannot_be_proposed_are_refused(bad):
    with pytest.raises(WordRBMError, match="positive one"):
        AliasTable.build(np.array(bad))
