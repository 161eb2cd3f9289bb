"""log Z in reverse, against enumeration; warnings where estimates disagree."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from tests.likelihood.test_length_annealing import K, exact_log_Z, model  # noqa: F401 - a fixture
from wordrbm.errors import WordRBMError
from wordrbm.kernels.length_annealing import anneal_back
from wordrbm.likelihood.length_checks import (
    LengthCheck,
    check_likelihood,
    find_warnings,
    length_groups,
    reverse_log_Z,
)
from wordrbm.models import ReplicatedSoftmaxRBM

H = 5


def exact_draws(rbm, N, count, seed=0):
    """Hidden vectors drawn from p_N(h) itself, all 2^H of them enumerated."""
    h = np.array(list(itertools.product((0.0, 1.0), repeat=H)))
    log_p = N * rbm.log_normalizer(h)
    p = np.exp(log_p - np.logaddexp.reduce(log_p))
    return h[np.random.default_rng(seed).choice(len(h), count, p=p)]


@pytest.mark.parametrize("N", [1, 4, 25, 60])
def test_from_exact_draws_the_mean_inverse_weight_is_the_inverse_of_z(model, N):  # noqa: F811
    h = exact_draws(model, N, 1000)
    log_w = reverse_log_Z(model, h, np.full(len(h), N))
    ratio = np.exp(exact_log_Z(model, N)[N] - log_w)
    error = ratio.std() / len(h) ** 0.5
    assert abs(ratio.mean() - 1) < 4 * error + 1e-9
    assert error < 0.1
    assert log_w.mean() > exact_log_Z(model, N)[N] - 3 * log_w.std() / len(h) ** 0.5


def test_on_a_coarse_path_the_mean_inverse_weight_is_still_the_inverse_of_z():
    """Three lengths: what a particle gathers, and where it moves, must fit to the letter."""
    W = np.array([[1.2, -1.0], [1.0, -1.2], [-1.1, 1.1]])
    rbm = ReplicatedSoftmaxRBM(W.T, np.eye(3), np.zeros(2), np.array([-0.9, -0.1, -0.3]))
    path, h = np.array([0.0, 2.0, 4.0, 6.0]), np.array(list(itertools.product((0, 1), repeat=3)))
    log_p = 6 * rbm.log_normalizer(h.astype(float))
    p = np.exp(log_p - np.logaddexp.reduce(log_p))
    starts = h[np.random.default_rng(3).choice(8, 10_000, p=p)].astype(bool)
    log_w = [anneal_back(1, k, W, rbm.b, rbm.c, path, x) for k, x in enumerate(starts)]
    ratio = np.exp(np.logaddexp.reduce(log_p) - np.array(log_w))
    error = ratio.std() / len(starts) ** 0.5
    assert error < 0.05
    assert abs(ratio.mean() - 1) < 4 * error


def test_reverse_is_above_and_forward_below_a_rugged_model():
    """With large weights the two sides differ, and the truth is between them."""
    rng = np.random.default_rng(7)
    rugged = ReplicatedSoftmaxRBM(*(rng.normal(0, 2.0, x) for x in ((K, 3), (H, 3), (K,), (H,))))
    N, exact = 40, exact_log_Z(rugged, 40)[40]
    log_w = reverse_log_Z(rugged, exact_draws(rugged, N, 500), np.full(500, N))
    assert log_w.mean() > exact
    assert np.log(np.exp(exact - log_w).mean()) == pytest.approx(0, abs=0.5)


def test_bits_do_not_depend_on_threads(model):  # noqa: F811
    h, lengths = exact_draws(model, 9, 40), np.arange(1, 41)
    one, three = (reverse_log_Z(model, h, lengths, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one, three)


def drawn_documents(rbm, lengths, seed=0):
    """Documents drawn from the model, each of its own length."""
    rng, rows = np.random.default_rng(seed), []
    for N in lengths:
        score = exact_draws(rbm, N, 1, seed=int(rng.integers(1 << 30))) @ rbm.U @ rbm.D.T + rbm.b
        p = np.exp(score - np.logaddexp.reduce(score, axis=1)[:, None])[0]
        rows.append(rng.multinomial(N, p))
    return sparse.csr_matrix(np.array(rows, float))


def test_documents_of_the_model_itself_give_no_warning(model):  # noqa: F811
    counts = drawn_documents(model, np.random.default_rng(3).integers(3, 40, 200))
    found = check_likelihood(model, counts, particles=200)
    assert found.warnings == []
    assert found.perplexity == pytest.approx(found.perplexity_reverse, rel=0.01)
    lengths = np.asarray(counts.sum(axis=1)).reshape(-1).astype(int)
    exact = -model.free_energy(counts) - exact_log_Z(model, 40)[lengths]
    np.testing.assert_allclose(found.log_probability, exact, atol=0.1)
    assert found.perplexity == pytest.approx(np.exp(-(exact / lengths).mean()), rel=0.01)
    for check in found.checks:
        truth = exact_log_Z(model, 40)[check.length]
        assert check.bound <= truth + 1e-9
        assert check.forward == pytest.approx(truth, abs=0.1)
        assert check.reverse == pytest.approx(truth, abs=0.3)
    assert sum(check.documents for check in found.checks) == 200


def test_documents_away_from_the_mass_of_the_model_are_noticed():
    """Both units on is the heaviest, neither on the second, one of them is a barrier."""
    W = np.array([[3.0, -3.0], [3.0, -3.0]])
    rbm = ReplicatedSoftmaxRBM(W.T, np.eye(2), np.zeros(2), np.array([-2.5, -2.5]))
    balanced = sparse.csr_matrix(np.array([[30.0, 30.0]] * 40))  # as neither on has them
    found = check_likelihood(rbm, balanced, particles=300)
    check = found.checks[0]
    assert check.forward - check.reverse > 2
    (sentence,) = found.warnings
    assert "where no document is" in sentence


def test_every_disagreement_is_a_sentence():
    fine = LengthCheck(50, 10, 99.0, 100.0, 0.05, 60.0, 100.1, 0.05)
    assert find_warnings([fine], 64) == []
    cases = {
        "hold for certain": fine._replace(bound=102.0),
        "use more particles": fine._replace(reverse=103.0),
        "effective sample size": fine._replace(effective_sample_size=2.0, standard_error=0.7),
    }
    for words, check in cases.items():
        (sentence,) = find_warnings([fine, check], 64)
        assert words in sentence
        assert "length 50" in sentence


def test_groups_and_empty_documents(model):  # noqa: F811
    lengths = np.array([5, 1, 3])
    assert [group.tolist() for group in length_groups(lengths)] == [[1], [2], [0]]
    with pytest.raises(WordRBMError, match="without words"):
        check_likelihood(model, sparse.csr_matrix((2, K)))
