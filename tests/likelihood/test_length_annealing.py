"""log Z of every length, against enumeration."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from wordrbm.likelihood.length_annealing import (
    document_perplexity,
    estimate_log_Z,
    length_path,
    log_probability,
    log_Z_bound,
)
from wordrbm.models import ReplicatedSoftmaxRBM

H, K = 5, 7


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(2)
    shapes = (K, 3), (H, 3), (K,), (H,)
    return ReplicatedSoftmaxRBM(*(rng.normal(0, 0.7, shape) for shape in shapes))


def exact_log_Z(model, longest):
    A = model.log_normalizer(np.array(list(itertools.product((0.0, 1.0), repeat=H))))
    return np.array([np.logaddexp.reduce(N * A) for N in range(longest + 1)])


def test_log_Z_of_all_lengths_is_the_exact_one(model):
    estimate = estimate_log_Z(model, 40, particles=200, seed=4)
    error = np.abs(estimate.log_Z - exact_log_Z(model, 40))
    assert error[0] < 1e-12  # 2^H hidden vectors of the empty document
    assert (error < 4 * estimate.standard_error + 1e-9).all()
    assert error.max() < 0.1


def test_threads_do_not_change_a_bit_and_a_shorter_path_is_a_beginning(model):
    long = estimate_log_Z(model, 120, particles=6, threads=2)
    short = estimate_log_Z(model, 33, particles=6)
    np.testing.assert_array_equal(long.log_Z[:34], short.log_Z)
    assert length_path(120)[-1] == 120


def test_topics_of_documents_give_a_lower_bound(model):
    counts = sparse.csr_matrix(np.random.default_rng(1).poisson(1.0, (50, K)))
    bound, exact = log_Z_bound(model, counts, 30), exact_log_Z(model, 30)
    assert (bound <= exact + 1e-9).all()
    assert bound[30] > exact[30] - 3.0


def test_probabilities_of_documents_add_up(model):
    """Over all sequences of two words the probabilities add up to one."""
    windows = itertools.product(range(K), repeat=2)
    counts = sparse.csr_matrix([np.bincount(words, minlength=K) for words in windows])
    log_Z = exact_log_Z(model, 2)
    log_p = log_probability(model, counts, log_Z)
    assert np.exp(log_p).sum() == pytest.approx(1.0)
    assert document_perplexity(model, counts, log_Z) == pytest.approx(np.exp(-log_p.mean() / 2))
