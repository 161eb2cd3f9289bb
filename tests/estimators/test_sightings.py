import numpy as np

from tests.estimators.test_categorical import SMALL
from wordrbm import CategoricalRBM
from wordrbm.estimators.sightings import Sightings
from wordrbm.estimators.table import Table

TABLE = Table((3, 2), ("'a'", "'b'"))


def test_values_are_counted_and_the_new_ones_named():
    seen = Sightings(TABLE)
    assert seen.add(np.array([[0, 3], [0, 4]], np.int32)).tolist() == [0, 3, 4]
    assert seen.add(np.array([[2, 4], [0, 4]], np.int32)).tolist() == [2]
    np.testing.assert_allclose(np.exp(seen.log_share(np.array([0, 2, 4]))), [3 / 4, 1 / 4, 3 / 4])


def test_proposals_are_due_when_the_rows_have_doubled():
    seen = Sightings(TABLE)
    seen.add(np.array([[0, 3], [1, 3]], np.int32))
    first, second = seen.frequencies()
    np.testing.assert_allclose(first.sum() + second.sum(), 2.0)
    assert (first > 0).all()
    seen.add(np.array([[2, 4]], np.int32))
    assert not seen.have_doubled()
    seen.add(np.array([[2, 4]], np.int32))
    assert seen.have_doubled()
    assert seen.frequencies()[0][2] > first[2]


def test_a_value_that_comes_late_begins_at_its_frequency():
    """Else it would begin as one that never comes, and the model would run away from its chains."""
    model = CategoricalRBM(**SMALL, n_categories=50, word_rate=1e-9, random_state=1)
    model.partial_fit(np.arange(20)[:, None] % 10)
    model.partial_fit(np.full((60, 1), 40))
    np.testing.assert_allclose(model.rbm_.b[40], np.log(60 / 80), rtol=1e-5)
    proposed = np.exp(model._learner.transition.log_q)
    assert proposed[40] > 0.5
