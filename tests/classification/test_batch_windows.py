"""Windows of a batch of documents: their words, energies and gradient against those by window."""

from dataclasses import replace

import numpy as np
import pytest

from wordrbm.classification.batch_windows import (
    document_windows,
    masked_free_energies,
    window_gradient,
)
from wordrbm.classification.documents import DocumentIds
from wordrbm.models import init_wordrep
from wordrbm.models.exact import to_dense

K, n, H, d = 7, 3, 4, 3
DOCUMENTS = DocumentIds(
    np.array([1, 2, 3, 4, 5, 2, 2, 1, 6, 6, 1, 3], np.int32), np.array([0, 5, 8, 12])
)
WINDOWS = [[1, 2, 3], [2, 3, 4], [3, 4, 5], [2, 2, 1], [6, 6, 1], [6, 1, 3]]


@pytest.fixture
def rbm():
    """A model in double precision."""
    rng = np.random.default_rng(1)
    q = np.full(K, 1 / K)
    fresh = init_wordrep(rng, n=n, H=H, d=d, word_probability=q)
    values = {
        name: rng.normal(size=x.shape) + x.astype(float) for name, x in fresh.parameters().items()
    }
    return replace(fresh, **values)


def test_windows_stay_inside_their_documents():
    windows = document_windows(DOCUMENTS, n)
    assert windows.words.tolist() == [1, 2, 3, 4, 5, 6]
    assert windows.v.tolist() == WINDOWS
    assert windows.document.tolist() == [0, 0, 0, 1, 2, 2]
    assert windows.per_document.tolist() == [3, 1, 2]


def test_free_energies_by_distinct_words_are_those_of_windows(rbm):
    windows = document_windows(DOCUMENTS, n)
    F, h = masked_free_energies(rbm, windows, np.ones((3, H)))
    np.testing.assert_allclose(F, rbm.free_energy(np.array(WINDOWS)))
    x = [sum(rbm.U[i] @ rbm.D[w] for i, w in enumerate(v)) for v in WINDOWS]
    np.testing.assert_allclose(h, 1 / (1 + np.exp(-np.array(x) - rbm.c)))


def test_dropped_units_add_nothing(rbm):
    windows, mask = document_windows(DOCUMENTS, n), np.ones((3, H))
    mask[1, :3] = 0.0
    F, h = masked_free_energies(rbm, windows, mask)
    whole, hidden = masked_free_energies(rbm, windows, np.ones((3, H)))
    x = rbm.c[3] + sum(rbm.U[i, 3] @ rbm.D[w] for i, w in enumerate(WINDOWS[3]))
    assert F[3] == pytest.approx(-rbm.b[WINDOWS[3]].sum() - np.log1p(np.exp(x)))
    assert (h[3] == [0, 0, 0, hidden[3, 3]]).all()
    others = np.arange(6) != 3
    assert (F[others] == whole[others]).all()


def test_the_gradient_by_distinct_words_is_that_of_windows(rbm):
    rng, windows = np.random.default_rng(4), document_windows(DOCUMENTS, n)
    h, weight = rng.random((6, H)), rng.normal(size=6)
    expected = rbm.gradient(windows.v, h, weight)
    actual = window_gradient(rbm, windows, h, weight)
    for name in rbm.parameters():
        np.testing.assert_allclose(
            to_dense(rbm, actual, name), to_dense(rbm, expected, name), atol=1e-12
        )
