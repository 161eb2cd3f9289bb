import subprocess
import sys
import tracemalloc

import joblib
import numpy as np

from wordrbm import CategoricalRBM
from wordrbm.run.in_memory import InMemoryTrainer, rows_as_windows
from wordrbm.text.windows import read_batch
from wordrbm.training import averaged, check_settings

SETTINGS = check_settings(
    {"window": 2, "hidden": 3, "dimension": 4, "batch_size": 100, "chains": 48, "mh_steps": 5}
)


def test_a_value_is_expected_as_often_as_its_column_shows_it():
    """B rows hold B values of each column: value x of column i is read B q_i(x) times."""
    q = [np.array([0.7, 0.3]), np.array([0.5, 0.3, 0.2])]
    trainer = InMemoryTrainer.for_table(q, SETTINGS)
    expected = (1 + 100 * np.concatenate(q)) ** -0.75
    np.testing.assert_allclose(trainer.row_rates.rate_scale, expected, rtol=1e-6)
    np.testing.assert_allclose(trainer.rbm.b, np.log(np.concatenate(q)), rtol=1e-6)


def test_a_word_of_text_is_expected_at_every_position():
    q, windows = np.array([0.7, 0.3]), rows_as_windows(np.array([[0, 1]], np.int32))
    damping = InMemoryTrainer.for_text(windows, q, SETTINGS).row_rates.rate_scale
    np.testing.assert_allclose(damping, (1 + 100 * 2 * q) ** -0.75, rtol=1e-6)


def test_training_from_the_start_gives_the_averages():
    windows = rows_as_windows(np.random.default_rng(1).integers(9, size=(200, 2), dtype=np.int32))
    settings, q = SETTINGS.model_copy(update={"windows": 2_000}), np.full(9, 1 / 9)
    trainer, again = (InMemoryTrainer.for_text(windows, q, settings) for _ in range(2))
    *_, (state, _) = trainer.train(windows, settings, trainer.initial_state(windows, settings), 1)
    found = again.train_from_start(windows, settings, 1, lambda progress: None)
    np.testing.assert_array_equal(found.D, averaged(trainer.rbm, state).D)
    assert (found.D != trainer.rbm.D).any()


def test_a_text_of_many_words_starts_from_its_neighbours():
    v = np.random.default_rng(1).integers(1_500, size=(5_000, 2), dtype=np.int32)
    q = (np.bincount(v.ravel(), minlength=1_500) + 1) / (v.size + 1_500)
    initial = [
        InMemoryTrainer.for_text(rows_as_windows(v), q, settings).rbm
        for settings in (SETTINGS, SETTINGS.model_copy(update={"initialization": "random"}))
    ]
    assert (initial[0].D != initial[1].D).any()
    np.testing.assert_array_equal(initial[0].U, initial[1].U)


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


X = np.array([[0, 3], [2, 0], [1, 1]] * 10)
CONTINUE = """
import sys, joblib, numpy as np
model = joblib.load(sys.argv[1], mmap_mode="r")
X = np.array([[0, 3], [2, 0], [1, 1]] * 10)
model.sample(3), model.transform(X), model.score(X)
joblib.dump(model.partial_fit(X), sys.argv[2])
"""


def test_training_continues_from_a_memory_map(tmp_path):
    """In a process of its own, since a write to such an array ends it."""
    model = CategoricalRBM(3, dimension=4, n_iter=2, batch_size=16, chains=16, random_state=0)
    joblib.dump(model.fit(X), tmp_path / "model")
    stored = (tmp_path / "model").read_bytes()
    command = [sys.executable, "-c", CONTINUE, str(tmp_path / "model"), str(tmp_path / "on")]
    assert subprocess.run(command, timeout=120).returncode == 0
    again, model = joblib.load(tmp_path / "on"), model.partial_fit(X)
    np.testing.assert_array_equal(again.rbm_.D, model.rbm_.D)
    assert again._trainer.rbm is again.rbm_
    assert (tmp_path / "model").read_bytes() == stored
