"""The replicated softmax against the referee, enumeration, finite differences and stationarity."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2

from tests import reference
from wordrbm.kernels.document_jumps import Documents, word_sums
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.replicated import (
    add_phase,
    allocate_sums,
    shard_gradient,
)
from wordrbm.models import ReplicatedSoftmaxRBM, exact
from wordrbm.sampling import AliasTable

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


def test_chains_of_all_lengths_keep_their_distributions():
    """Words, exchanges of lengths and jumps: documents drawn from P stay draws from P."""
    model, rng, M = tiny(3, 1.0, np.float32), np.random.default_rng(5), 3000
    lengths = np.repeat([0, 1, 2, 3], M)
    documents, tables = [], {}
    for length in (1, 2, 3):
        windows = sequences(length)
        log_p = -model.free_energy(counts_of(windows))
        p = np.exp(log_p - np.logaddexp.reduce(log_p))
        tables[length] = windows, p
        documents += [windows[k] for k in rng.choice(len(windows), M, p=p)]
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    words = np.concatenate(documents).astype(np.int32)
    counts = sparse.vstack([sparse.csr_matrix((M, K)), counts_of(documents)])
    mean = model.hidden_mean(counts)
    h = (rng.random(mean.shape) < mean).astype(np.float32)
    # Chains of neighbouring lengths alternate, so that exchanges between all of them are tried.
    order = np.concatenate([np.arange(4) * M + k for k in range(M)])
    alias = AliasTable.build(np.array([0.4, 0.3, 0.2, 0.1]))
    proposals = PooledProposals(
        alias.keep, alias.alias, alias.log_probability().astype(np.float32), 0, 3
    )
    parameters = Parameters(model.D, model.U, model.b, model.c)
    found = {length: np.zeros(len(tables[length][0])) for length in tables}
    exchanged = np.zeros(4 * M)
    read = Documents(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    index = {length: {w: k for k, w in enumerate(tables[length][0])} for length in tables}
    for group in range(0, M, 10):  # ten ladders of four chains in a shard
        chosen = np.sort(order[4 * group : 4 * (group + 10)])
        texts = [words[offsets[m] : offsets[m + 1]] for m in chosen]
        ends = np.append(0, np.cumsum([len(text) for text in texts])).astype(np.int64)
        state, hidden = np.concatenate(texts), h[chosen].copy()
        gradient = empty_gradient(200, 40, np.float32)
        for step in range(3):
            shard_gradient(
                9, step, group, parameters, proposals, read, np.ones(1, np.float32), ends, state,
                hidden, np.ones(40, np.float32), gradient,
            )  # fmt: skip
        exchanged[:40] += gradient.jumped.sum()
        for start, end in itertools.pairwise(ends.tolist()):
            if end > start:
                found[end - start][index[end - start][tuple(state[start:end].tolist())]] += 1
    assert exchanged.sum() > 0
    for length, (_, p) in tables.items():
        expected = p * M
        statistic = ((found[length] - expected) ** 2 / expected).sum()
        assert statistic < chi2.ppf(0.999, len(p) - 1), length
