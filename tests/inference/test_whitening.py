"""Exported vectors have cosines that do not depend on the factorisation; raw rows are D."""

from dataclasses import replace

import numpy as np
import pytest

from wordrbm.inference import whitening
from wordrbm.inference.whitening import fit_whitening
from wordrbm.io.word2vec import read_word2vec, write_word2vec
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import TrainingSettings

K, n, H, d = 40, 3, 7, 6


@pytest.fixture
def trained(rng):
    words = [(f"w{k}", int(count)) for k, count in enumerate(range(2 * K, K + 1, -1))]
    vocabulary = Vocabulary.build(words, 5)
    assert len(vocabulary) == K
    rbm = WordRepRBM(
        D=rng.normal(0.3, 0.8, (K, d)),
        U=rng.normal(0, 0.8, (n, H, d)),
        b=rng.normal(0, 0.5, K),
        c=rng.normal(0, 0.5, H),
    )
    return TrainedModel(rbm, vocabulary, TrainingSettings(window=n, hidden=H, dimension=d))


def cosines(vectors):
    x = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    return x @ x.T


def factorised_anew(trained, A):
    """The same model: D A and U A^-T."""
    rbm = trained.rbm
    other = replace(rbm, D=rbm.D @ A, U=rbm.U @ np.linalg.inv(A).T)
    return replace(trained, rbm=other)


@pytest.mark.parametrize("seed", range(5))
def test_cosines_do_not_depend_on_the_factorisation(trained, seed):
    A = np.random.default_rng(seed).normal(size=(d, d))
    other = factorised_anew(trained, A)
    v = np.array([[1, 2, 3], [4, 0, 6]], np.int32)
    np.testing.assert_allclose(other.rbm.free_energy(v), trained.rbm.free_energy(v), rtol=1e-9)
    np.testing.assert_allclose(cosines(other.vectors), cosines(trained.vectors), atol=1e-6)
    assert np.abs(cosines(other.raw_vectors) - cosines(trained.raw_vectors)).max() > 0.1


def test_vectors_have_mean_zero_and_unit_covariance_by_frequency(trained, monkeypatch):
    monkeypatch.setattr(whitening, "VOCAB_BLOCK", 7)
    q, x = trained.vocabulary.probability(), trained.vectors.matrix
    np.testing.assert_allclose(q @ x, 0.0, atol=1e-12)
    np.testing.assert_allclose((x * q[:, None]).T @ x, np.eye(d), atol=1e-10)


def test_a_direction_without_spread_is_left_out(trained):
    D = trained.rbm.D.copy()
    D[:, 0] = 2.5 * D[:, 1]
    x = fit_whitening(D, trained.vocabulary.probability())(D)
    assert np.isfinite(x).all()
    assert np.linalg.matrix_rank(x) == d - 1
    assert not fit_whitening(0 * D, trained.vocabulary.probability())(0 * D).any()


def test_raw_vectors_are_the_rows_of_D(trained):
    assert trained.raw_vectors.matrix is trained.rbm.D
    assert trained.raw_vectors.words == trained.vectors.words == trained.vocabulary.words


def test_vectors_survive_saving_and_export(trained, tmp_path):
    rbm = WordRepRBM(**{k: x.astype(np.float32) for k, x in trained.rbm.parameters().items()})
    single = replace(trained, rbm=rbm)
    save(tmp_path / "model", single)
    back = load(tmp_path / "model")
    assert back.vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(back.vectors.matrix, single.vectors.matrix)
    for vectors in (back.vectors, back.raw_vectors):
        write_word2vec(vectors, tmp_path / "vectors.txt", "word2vec")
        found = read_word2vec(tmp_path / "vectors.txt")
        assert found.words == vectors.words
        np.testing.assert_array_equal(found.matrix, vectors.matrix)
    np.testing.assert_allclose(cosines(back.vectors), cosines(trained.vectors), atol=1e-5)
