import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError


def test_free_energy_is_the_referees(trained, rng):
    v = rng.integers(5, size=(30, 3))
    expected = [-np.log(reference.mass(trained.rbm, window)) for window in v]
    np.testing.assert_allclose(trained.free_energy(v), expected, rtol=1e-12)


def test_texts_and_ids_are_the_same_windows(trained):
    by_id = trained.free_energy(np.array([[1, 2, 3], [4, 0, 1]]))
    by_text = trained.free_energy(["The cat said", ["on", "zebra", "the"]])
    np.testing.assert_array_equal(by_text, by_id)


def test_no_window_gives_no_number(trained):
    assert trained.free_energy([]).shape == (0,)
    assert trained.free_energy(np.empty((0, 3), int)).shape == (0,)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (np.array([[0, 1, 5]]), "from 0 to 5"),
        (np.array([[-1, 1, 2]]), "from -1 to 2"),
        (np.array([0, 1, 2]), r"integer array \(N, 3\)"),
        (np.array([[0.0, 1.0, 2.0]]), "float64"),
        (np.array([[True, False, True]]), "bool"),
        (["the cat"], "Window 0 has 2 words"),
        ("the cat said", "put it in a list"),
        ([[0, 1, 2]], "integer array"),
        (["the ___ said"], "A blank was found"),
    ],
)
def test_what_is_no_window_is_refused(trained, wrong, sentence):
    with pytest.raises(WordRBMError, match=sentence):
        trained.free_energy(wrong)
