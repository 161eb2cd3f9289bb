import numpy as np
import pytest

from tests import reference
from wordrbm.training import spectral
from wordrbm.training.spectral import spectral_vectors


@pytest.fixture
def text(rng):
    """Windows in which the neighbours of a word depend on it."""
    K, N = 30, 4_000
    transition = rng.dirichlet(np.full(K, 0.2), size=K)
    words = [0]
    for _ in range(N + 4):
        words.append(rng.choice(K, p=transition[words[-1]]))
    stream = np.array(words, np.int32)
    q = np.bincount(stream, minlength=K) / stream.size
    return stream, (q + 1e-3) / (q + 1e-3).sum()


def windows_of(stream, n):
    windows = np.lib.stride_tricks.sliding_window_view(stream, n)
    return lambda first, size: windows[first : first + size]


def vectors(text, n=3, d=5, N=3_000, seed=3):
    stream, q = text
    return spectral_vectors(np.random.default_rng(seed), windows_of(stream, n), N, n, q, d)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_vectors_are_those_of_the_whole_decomposition(text, n, monkeypatch):
    """Counted in blocks, by iteration from random axes: the same as loops and a full SVD."""
    monkeypatch.setattr(spectral, "BLOCK", 700)
    monkeypatch.setattr(spectral, "CONTEXTS", 12)
    monkeypatch.setattr(spectral, "ITERATIONS", 60)
    monkeypatch.setattr(spectral, "OVERSAMPLING", 4)
    monkeypatch.setattr(spectral, "MAX_NORM", 100.0)
    stream, q = text
    rows = [tuple(row) for row in windows_of(stream, n)(0, 3_000)]
    expected = reference.spectral_vectors(rows, q, contexts=12, d=5, prior=10.0, rms=0.6)
    D = vectors(text, n)
    sign = np.sign((D * expected).sum(axis=0))
    np.testing.assert_allclose(D, sign * expected, atol=2e-4)


def test_few_frequent_words_find_the_axes_of_all(text, monkeypatch):
    monkeypatch.setattr(spectral, "AXIS_WORDS", 7)
    D = vectors(text)
    assert D.shape == (30, 5)
    assert np.isfinite(D).all()


def test_words_with_the_same_neighbours_have_the_same_vectors(text):
    """Every second reading of word 2 is spelt as word 30."""
    stream, q = text
    twin, read = stream.copy(), np.flatnonzero(stream == 2)
    twin[read[::2]] = 30
    q = np.append(q, q[2] / 2)
    D = vectors((twin, q / q.sum()))
    distance = np.linalg.norm(D - D[30], axis=1)
    assert np.argsort(distance)[:2].tolist() == [30, 2]


def test_the_same_seed_has_the_same_bits(text):
    np.testing.assert_array_equal(vectors(text), vectors(text))


def test_a_word_that_was_never_read_is_the_mean_word(text):
    stream, q = text
    D = vectors((stream, np.append(q * 0.99, 0.01)))
    assert np.isfinite(D).all()
    assert not D[-1].any()


@pytest.mark.parametrize(("K", "d", "k"), [(3, 5, 2), (2, 5, 1), (1, 5, 0), (30, 100, 29)])
def test_small_vocabularies_have_fewer_components(rng, K, d, k):
    stream = rng.integers(K, size=500).astype(np.int32)
    D = spectral_vectors(rng, windows_of(stream, 3), 400, 3, np.full(K, 1 / K), d)
    assert D.shape == (K, k)
    assert np.isfinite(D).all()
    assert D.dtype == np.float32


def test_windows_of_one_word_have_no_neighbours(text):
    assert vectors(text, n=1).shape == (30, 0)


@pytest.mark.parametrize(
    "rows",
    [[[0, 1, 2]], [[0, 1, 2], [0, 3, 2]] * 20, [[0, 1, 0], [0, 0, 0]] * 20, [[0, 0, 0]] * 9],
    ids=["one window", "the same neighbours", "two words", "one word"],
)
def test_a_text_without_components_has_fewer_and_no_nan(rng, rows):
    windows = np.array(rows, np.int32)
    D = spectral_vectors(
        rng, lambda first, size: windows[first : first + size], len(rows), 3, np.full(4, 0.25), 3
    )
    assert np.isfinite(D).all()
    assert np.abs(D).max(initial=0.0) < 20


def test_directions_of_words_that_were_never_read_are_no_components(rng):
    """Components of rounding errors alone would be large numbers: word 40 is never read."""
    stream = rng.integers(40, size=20_000).astype(np.int32)
    q = np.append(np.full(40, 1 / 40), 1e-6)
    for d in (40, 300):
        D = spectral_vectors(rng, windows_of(stream, 3), 19_000, 3, q / q.sum(), d)
        norm = np.linalg.norm(D, axis=1)
        assert norm[40] == 0.0
        assert norm.max() < 2.01 * spectral.RMS * np.sqrt(D.shape[1])
