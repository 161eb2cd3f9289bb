"""The replicated softmax against the referee, enumeration, finite differences and stationarity."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from tests import reference
from wordrbm.kernels.pcd_gradient import Parameters, ShardGradient
from wordrbm.kernels.replicated import (
    Documents,
    add_phase,
    allocate_sums,
    limit_rows,
    word_sums,
)
from wordrbm.models import ReplicatedSoftmaxRBM, exact

K, H, DIM = 4, 3, 2


def tiny(seed=0, scale=0.8, dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (K, DIM), (H, DIM), (K,), (H,)
    return ReplicatedSoftmaxRBM(*(rng.normal(0, scale, shape).astype(dtype) for shape in shapes))


def sequences(length):
    return list(itertools.product(range(K), repeat=length))


def counts_of(documents):
    return sparse.csr_matrix([np.bincount(words, minlength=K) for words in documents])


def test_energies_are_the_referee_s():
    model, documents = tiny(), [(0, 1, 1), (3,), (2, 2, 2, 0)]
    h = np.array([(1, 0, 1), (0, 0, 0), (1, 1, 1)], float)
    expected = [
        reference.replicated_energy(model, *pair) for pair in zip(documents, h, strict=True)
    ]
    np.testing.assert_allclose(model.energy(counts_of(documents), h), expected)
    for words, free in zip(documents, model.free_energy(counts_of(documents)), strict=True):
        energies = [
            reference.replicated_energy(model, words, h)
            for h in itertools.product((0, 1), repeat=H)
        ]
        assert free == pytest.approx(-np.logaddexp.reduce(-np.array(energies)))


@pytest.mark.parametrize("length", [1, 2, 3])
def test_partition_function_in_three_ways(length):
    model = tiny()
    over_h = np.logaddexp.reduce(
        length * model.log_normalizer(np.array(list(itertools.product((0.0, 1.0), repeat=H))))
    )
    expected = reference.replicated_log_Z(model, length)
    assert over_h == pytest.approx(expected)
    assert exact.log_Z_over_v(model.at_length(length)) == pytest.approx(expected)


def test_hidden_means_are_those_of_the_window_model():
    model, documents = tiny(), [(0, 1, 1), (3, 2, 0)]
    window = model.at_length(3)
    mean = window.hidden_mean(np.array(documents))
    np.testing.assert_allclose(model.hidden_mean(counts_of(documents)), mean)


def as_documents(documents, dtype=np.float64):
    offsets = np.append(0, np.cumsum([len(words) for words in documents])).astype(np.int64)
    words = np.concatenate(documents).astype(np.int32)
    return Documents(offsets, words, np.ones(words.size, dtype))


def empty_gradient(rows, chains, dtype=np.float64):
    sizes = (H, DIM), (H,), (rows,), (rows, DIM), (rows,), (rows,)
    U, c, number, D, b, weight = (np.zeros(size, dtype) for size in sizes)
    moved = np.zeros(chains, np.int64), np.zeros(chains, np.int64), np.zeros(1, np.int64)
    return ShardGradient(U, c, number.astype(np.int32), D, b, weight, *moved)


def phase(model, documents, weight, gradient):
    parameters = Parameters(model.D, model.U, model.b, model.c)
    documents = as_documents(documents)
    sums, lengths = allocate_sums(parameters, len(weight))
    word_sums(documents, model.D, sums, lengths)
    add_phase(parameters, documents, sums, lengths, weight, gradient)


def log_likelihood(model, documents):
    counts = counts_of(documents)
    log_Z = [exact.log_Z_over_v(model.at_length(len(words))) for words in documents]
    return (-model.free_energy(counts) - log_Z).mean()


def test_gradient_is_that_of_the_exact_log_likelihood():
    model, documents = tiny(), [(0, 1), (3, 3), (0, 2)]
    windows = sequences(2)
    p = np.exp(-model.free_energy(counts_of(windows)) - exact.log_Z_over_v(model.at_length(2)))
    gradient = empty_gradient(100, 1)
    phase(model, documents, np.full(3, 1 / 3), gradient)
    phase(model, windows, -p, gradient)
    D, b = np.zeros((K, DIM)), np.zeros(K)
    rows = slice(0, gradient.rows[0])
    np.add.at(D, gradient.row_index[rows], gradient.D[rows])
    np.add.at(b, gradient.row_index[rows], gradient.b[rows])
    found = {"D": D, "U": gradient.U, "b": b, "c": gradient.c}
    for name, values in found.items():
        parameter = getattr(model, name)
        for place in np.ndindex(parameter.shape):
            before, step = parameter[place], 1e-5
            parameter[place] = before + step
            above = log_likelihood(model, documents)
            parameter[place] = before - step
            below = log_likelihood(model, documents)
            parameter[place] = before
            assert values[place] == pytest.approx((above - below) / (2 * step), abs=1e-8), name


def test_rows_are_scaled_down_to_the_limit():
    model, gradient = tiny(1), empty_gradient(4, 1)
    before = model.D.copy()
    gradient.row_index[:], gradient.rows[0] = [2, 0, 2, 1], 3  # the last is not in use
    shards = ShardGradient(*(x[None] for x in gradient[:-1]), gradient.rows)
    parameters, seen = Parameters(model.D, model.U, model.b, model.c), np.zeros(K)
    limit_rows(0, 1, parameters, False, shards, seen, 0.5)
    total = np.maximum(model.topic_weights(), 0).sum(axis=0)
    assert (total[[0, 2]] <= 0.5 + 1e-12).all()
    assert total[[0, 2]].max() == pytest.approx(0.5)
    np.testing.assert_array_equal(model.D[[1, 3]], before[[1, 3]])
    assert not seen.any()
