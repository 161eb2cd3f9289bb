"""Word vectors of a word model for the words of a topic model."""

import numpy as np
import pytest

from tests.corpora import prepared
from wordrbm import load_vectors, train
from wordrbm.errors import WordRBMError
from wordrbm.run.shared_vectors import SCALE, shared_vectors


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("vectors")
    train(
        prepared(base / "text").path, base / "model", windows=640, dimension=4, hidden=6,
        batch_size=32, chains=32, shards=4, evaluations=1, heldout_windows=20,
    )  # fmt: skip
    return base / "model"


def test_known_words_have_their_vectors_and_others_begin_at_random(folder):
    vectors = load_vectors(folder)
    known = vectors.words[1:9]
    found = shared_vectors(folder, [*known, "zzz"], seed=1)
    assert found.shape == (9, 4)
    expected = vectors.matrix[1:9] * (SCALE / vectors.matrix[1:9].std())
    np.testing.assert_allclose(found[:8], expected, rtol=1e-4)
    assert 0 < np.abs(found[8]).max() < 6 * SCALE
    np.testing.assert_array_equal(found, shared_vectors(folder, [*known, "zzz"], seed=1))


def test_what_does_not_fit_is_refused(folder):
    with pytest.raises(WordRBMError, match="none of the 2 words"):
        shared_vectors(folder, ["zzz", "yyy"], seed=1)
    with pytest.raises(WordRBMError, match="leave the dimension out"):
        shared_vectors(folder, [load_vectors(folder).words[1]], seed=1, dimension=9)
