import tracemalloc

import numpy as np

from wordrbm import CategoricalRBM
from wordrbm.estimators.learning import rows_as_windows, table_learner, text_learner
from wordrbm.text.windows import read_batch
from wordrbm.training import check_settings

SETTINGS = check_settings(
    {"window": 2, "hidden": 3, "dimension": 4, "batch_size": 100, "chains": 48, "mh_steps": 5}
)


def test_a_value_is_expected_as_often_as_its_column_shows_it():
    """B rows hold B values of each column: value x of column i is read B q_i(x) times."""
    q = [np.array([0.7, 0.3]), np.array([0.5, 0.3, 0.2])]
    learner = table_learner(q, SETTINGS)
    expected = (1 + 100 * np.concatenate(q)) ** -0.75
    np.testing.assert_allclose(learner.row_rates.rate_scale, expected, rtol=1e-6)
    np.testing.assert_allclose(learner.rbm.b, np.log(np.concatenate(q)), rtol=1e-6)


def test_a_word_of_text_is_expected_at_every_position():
    q = np.array([0.7, 0.3])
    damping = text_learner(q, SETTINGS).row_rates.rate_scale
    np.testing.assert_allclose(damping, (1 + 100 * 2 * q) ** -0.75, rtol=1e-6)


def test_rows_are_windows_and_all_are_visited():
    v = np.arange(30, dtype=np.int32).reshape(10, 3)
    found = read_batch(rows_as_windows(v), 5, 0, 10)
    np.testing.assert_array_equal(found[np.argsort(found[:, 0])], v)


def test_going_on_allocates_nothing_that_grows_with_the_number_of_values():
    def peak(K):
        X = np.random.default_rng(1).integers(500, size=(64, 2))
        model = CategoricalRBM(3, dimension=2, n_categories=K, batch_size=32, chains=32, mh_steps=4)
        model.partial_fit(X).partial_fit(X).transform(X)  # so that all code is loaded
        tracemalloc.start()
        model.partial_fit(X)
        model.transform(X)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(200_000) < 1.1 * peak(1_000) + 10_000
