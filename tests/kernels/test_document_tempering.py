"""Chains of documents keep their distribution over length, words and hidden states."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2

from wordrbm.kernels import document_jumps
from wordrbm.kernels.document_tempering import LengthWeights, TemperedChains
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals
from wordrbm.kernels.replicated import move_chains
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.sampling import AliasTable

K, H, L = 3, 2, 3
G = np.array([5.5, 3.4, 0.3, -2.2])  # g_N, near -log Z_N: all lengths are visited
STATES = [v for N in range(L + 1) for v in itertools.product(range(K), repeat=N)]


def tiny():
    rng = np.random.default_rng(4)
    shapes = (K, 2), (H, 2), (K,), (H,)
    return ReplicatedSoftmaxRBM(*(rng.normal(0, 1.0, s).astype(np.float32) for s in shapes))


def probabilities(model):
    counts = sparse.csr_matrix([np.bincount(np.array(v, int), minlength=K) for v in STATES])
    log_p = -model.free_energy(counts) + G[[len(v) for v in STATES]]
    return np.exp(log_p - np.logaddexp.reduce(log_p)), model.hidden_mean(counts)


def draw_chains(model, M, seed=0):
    """Chains drawn from the distribution itself."""
    rng, (p, mean) = np.random.default_rng(seed), probabilities(model)
    chosen = rng.choice(len(STATES), M, p=p)
    words, length = np.zeros((M, L), np.int32), np.zeros(M, np.int64)
    for m, k in enumerate(chosen):
        length[m] = len(STATES[k])
        words[m, : length[m]] = STATES[k]
    h = (rng.random((M, H)) < mean[chosen]).astype(np.float32)
    return TemperedChains(words, length, h, rng.choice(np.array([-1, 1]), M))


def move(model, chains, rounds):
    alias = AliasTable.build(np.array([0.5, 0.3, 0.2]))
    log_q = alias.log_probability().astype(np.float32)
    proposals = PooledProposals(alias.keep, alias.alias, log_q, 0, rounds)
    parameters = Parameters(model.D, model.U, model.b, model.c)
    found = np.zeros((2, L + 1, 2))
    lengths = LengthWeights(np.diff(G), np.arange(L + 1), *found)
    for shard in range(0, chains.length.size, 4):  # few chains share a pool
        part = TemperedChains(*(x[shard : shard + 4] for x in chains))
        move_chains(3, 1, shard, parameters, proposals, part, lengths)
    return found


def test_chains_keep_their_distribution():
    model, M = tiny(), 12_000
    chains = draw_chains(model, M)
    before = chains.length.copy()
    found = move(model, chains, 1)
    assert (chains.length != before).mean() > 0.2
    index = {state: k for k, state in enumerate(STATES)}
    pattern = chains.h.astype(int) @ (1 << np.arange(H))
    p, mean = probabilities(model)
    seen = np.zeros((len(STATES), 2**H))
    for words, N, code in zip(chains.words.tolist(), chains.length, pattern, strict=True):
        seen[index[tuple(words[:N])], code] += 1
    codes = (np.arange(2**H)[:, None] >> np.arange(H)) & 1
    hidden = np.prod(np.where(codes, mean[:, None], 1 - mean[:, None]), axis=2)
    expected = p[:, None] * hidden * M
    # Chains that share a pool are not independent, so the limit is wider than for independent ones.
    statistic = ((seen - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    assert statistic < 1.15 * chi2.ppf(0.9999, seen.size - 1)
    assert (chains.direction > 0).mean() == pytest.approx(0.5, abs=0.03)
    assert (found[..., 1] <= found[..., 0]).all()


def test_proposals_tell_the_slope_of_log_z():
    """``log Z_{N+1} / Z_N = log(mean acceptance up / down) - (g_{N+1} - g_N)``."""
    model, M = tiny(), 8000
    found = move(model, draw_chains(model, M), 2)
    p, _ = probabilities(model)
    log_share = np.log(np.bincount([len(v) for v in STATES], p))
    for N in range(L):
        up, down = (found[way, N, 1] / found[way, N, 0] for way in (0, 1))
        slope = np.diff(log_share - G)[N]
        assert np.log(up / down) - np.diff(G)[N] == pytest.approx(slope, abs=0.06)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_proposal_of_documents_is_a_distribution(length):
    alias = AliasTable.build(np.array([0.5, 0.3, 0.2]))
    log_q = alias.log_probability()
    documents = itertools.product(range(K), repeat=length)
    log_r = [document_jumps.log_document_proposal(log_q, np.array(v)) for v in documents]
    assert np.exp(log_r).sum() == pytest.approx(1.0)
