"""Annealed importance sampling against plain loops and exact enumeration."""

import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.kernels.annealing import (
    Moves,
    WordProposal,
    anneal_forward,
    anneal_reverse,
    hidden_input,
    log_annealed,
)
from wordrbm.kernels.pcd_gradient import Parameters
from wordrbm.kernels.rng import seed_stream
from wordrbm.likelihood.annealing import (
    BIGRAM_SHARE,
    PART,
    STRIDE,
    Annealing,
    AnnealingSettings,
    effective_sample_size,
)
from wordrbm.models import WordRepRBM
from wordrbm.models.exact import all_windows, log_Z_over_v, window_probability
from wordrbm.sampling import AliasTable
from wordrbm.sampling.jumps import Reservoir

BETAS = (0.0, 0.2, 0.5, 0.9, 1.0)
K, n, H, d = 3, 2, 2, 4
STEPS = 10  # of words in the paths that are compared draw for draw


class Case(NamedTuple):
    rbm: WordRepRBM
    table: AliasTable
    q: np.ndarray
    reservoir: Reservoir

    def annealing(self, **settings):
        return Annealing.build(self.rbm, self.table, self.reservoir, AnnealingSettings(**settings))

    @property
    def r(self):
        """The probability that each window is proposed, in counting order."""
        return np.exp(self.reservoir.log_probability(all_windows(self.rbm)))

    @property
    def words(self):
        return WordProposal(self.table.keep, self.table.alias, np.log(self.q))

    @property
    def model(self):
        return Parameters(
            self.rbm.D, np.ascontiguousarray(self.rbm.stacked), self.rbm.b, self.rbm.c
        )


def make(rng, scale=0.7):
    rbm = WordRepRBM(
        D=rng.normal(0, scale, (K, d)),
        U=rng.normal(0, scale, (n, H, d)),
        b=rng.normal(0, 0.5, K),
        c=rng.normal(0, 0.5, H),
    )
    table = AliasTable.build(rng.dirichlet(np.full(K, 5.0)))
    stored = rng.integers(0, K, (5, n))
    reservoir = Reservoir.build(stored, table, bigram_share=BIGRAM_SHARE)
    return Case(rbm, table, table.probability(), reservoir)


@pytest.fixture
def case(rng):
    return make(rng)


@pytest.mark.parametrize("beta", BETAS)
def test_masses_along_the_path_are_the_referees(case, beta):
    v = all_windows(case.rbm)
    x = hidden_input(case.model, v)
    for window, inputs in zip(v, x, strict=True):
        expected = reference.annealed_mass(case.rbm, case.q, beta, window)
        found = log_annealed(case.rbm.b, np.log(case.q), beta, window, inputs)
        assert found == pytest.approx(math.log(expected), abs=1e-12)


def test_the_base_is_the_sum_over_all_windows(case):
    masses = [reference.annealed_mass(case.rbm, case.q, 0.0, v) for v in all_windows(case.rbm)]
    assert case.annealing().log_Z_0 == pytest.approx(math.log(sum(masses)), abs=1e-12)


def test_the_reservoir_is_a_distribution_over_all_windows(case):
    assert case.r.sum() == pytest.approx(1.0, abs=1e-12)
    assert (case.r > 0).all()


@pytest.mark.parametrize("beta", BETAS)
def test_both_halves_of_a_transition_are_in_detailed_balance(case, beta):
    target = np.array(
        [reference.annealed_mass(case.rbm, case.q, beta, v) for v in all_windows(case.rbm)]
    )
    target /= target.sum()
    for matrix in (
        reference.annealed_matrix(case.rbm, case.q, beta, 3),
        reference.jump_matrix(case.rbm, case.q, case.r, beta),
    ):
        flow = target[:, None] * matrix
        assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
        assert np.abs(flow - flow.T).max() < 1e-12


def test_the_mean_of_all_weights_is_z(case):
    """Every path weighed by its probability, by matrices: weights first, then the move."""
    betas = np.linspace(0, 1, 4)
    masses = np.array(
        [
            [reference.annealed_mass(case.rbm, case.q, beta, v) for v in all_windows(case.rbm)]
            for beta in betas
        ]
    )
    flow = masses[0] / masses[0].sum()
    for t in range(1, len(betas)):
        words = reference.annealed_matrix(case.rbm, case.q, betas[t], 2)
        jumps = reference.jump_matrix(case.rbm, case.q, case.r, betas[t])
        flow = (flow * masses[t] / masses[t - 1]) @ words @ jumps
    # Not only the sum: the weighted particles are the model.
    assert flow * masses[0].sum() == pytest.approx(masses[-1], rel=1e-10)


def test_the_compiled_path_takes_the_referees_decisions(case):
    """Windows and weights of six particles, forwards and in reverse, draw for draw."""
    path, moves = np.array([0.0, 0.4, 1.0]), Moves(STEPS, 1)
    start = np.array([[0, 1], [2, 2], [1, 0], [1, 1], [2, 0], [0, 0]], np.int32)
    for kernel, referee in ((anneal_forward, forward), (anneal_reverse, reverse)):
        stream = seed_stream(7, 0, 0)
        expected_v, expected_w = referee(reference.Xoshiro(stream), case, path, start.tolist())
        v, log_weight = start.copy(), np.zeros(len(start))
        kernel(stream, case.model, case.words, case.reservoir.table, moves, path, v, log_weight)
        assert v.tolist() == expected_v
        assert log_weight == pytest.approx(expected_w, abs=1e-10)


def forward(random, case, path, v):
    log_weight = np.zeros(len(v))
    for lower, upper in itertools.pairwise(path):
        log_weight += log_ratios(case, lower, upper, v)
        words(random, case, upper, v)
        jumps(random, case, upper, v)
    return v, log_weight


def reverse(random, case, path, v):
    log_weight = np.zeros(len(v))
    for lower, upper in reversed(list(itertools.pairwise(path))):
        jumps(random, case, upper, v)
        words(random, case, upper, v)
        log_weight += log_ratios(case, lower, upper, v)
    return v, log_weight


def log_ratios(case, lower, upper, v):
    masses = [
        [reference.annealed_mass(case.rbm, case.q, beta, w) for w in v] for beta in (lower, upper)
    ]
    return np.log(masses[1]) - np.log(masses[0])


def words(random, case, beta, v):
    table = case.table
    reference.annealed_words(random, case.rbm, case.q, table.keep, table.alias, beta, STEPS, v)


def jumps(random, case, beta, v):
    """The reservoir draws from the referee's stream, which then goes on from there."""
    stream = np.array(random.s, np.uint64)
    proposed = case.reservoir.draw(stream, len(v)).tolist()
    random.s = stream.tolist()
    r = dict(zip(reference.all_windows(case.rbm), case.r, strict=True))
    reference.annealed_jumps(random, case.rbm, case.q, proposed, r, beta, v)


def test_weights_are_unbiased_in_both_directions(rng, tally):
    """200 random models: mean w is Z, mean 1/w is 1/Z from draws of the model, within 4 errors."""
    worst = 0.0
    for seed in range(200):
        case = make(rng)
        log_Z, settings = log_Z_over_v(case.rbm), {"temperatures": 3, "particles": 1500}
        annealing = case.annealing(word_steps=1, seed=seed, **settings)
        drawn = rng.choice(K**n, 1500, p=window_probability(case.rbm))
        up = annealing.forward().log_weights - log_Z
        down = annealing.reverse(all_windows(case.rbm)[drawn]).log_weights - log_Z
        for ratio in (np.exp(up), np.exp(-down)):
            worst = max(worst, abs(ratio.mean() - 1) / (ratio.std() / len(ratio) ** 0.5))
        assert up.mean() - 4 * up.std() / len(up) ** 0.5 < 0
        assert down.mean() + 4 * down.std() / len(down) ** 0.5 > 0
    tally(f"annealing: 200 random models, worst of 400 means {worst:.1f} standard errors off")
    assert worst < 4


def test_more_temperatures_narrow_the_sandwich(rng):
    case = make(rng, scale=1.2)
    log_Z = log_Z_over_v(case.rbm)
    drawn = rng.choice(K**n, 1000, p=window_probability(case.rbm))
    gaps = []
    for T in (2, 50):
        annealing = case.annealing(temperatures=T, particles=1000)
        up = annealing.forward().log_weights.mean()
        down = annealing.reverse(all_windows(case.rbm)[drawn]).log_weights.mean()
        assert up < log_Z + 0.02
        assert down > log_Z - 0.02
        gaps.append(down - up)
    assert gaps[1] < gaps[0] / 4


def test_final_particles_are_the_models_windows(rng):
    case = make(rng)
    particles = case.annealing(temperatures=40, particles=4000).forward()
    w = np.exp(particles.log_weights - particles.log_weights.max())
    index = particles.windows @ np.array([K, 1])
    found = np.bincount(index, weights=w, minlength=K**n) / w.sum()
    assert reference.total_variation(found, window_probability(case.rbm)) < 0.03


def test_same_digits_for_any_number_of_threads(case):
    annealing = case.annealing(temperatures=STRIDE + 3, particles=2 * PART + 5, seed=3)
    done = []

    def report(fraction, note):
        done.append((round(fraction * (STRIDE + 3)), note))

    one, two = (annealing.forward(threads=threads, report=report) for threads in (1, 2))
    assert np.array_equal(one.log_weights, two.log_weights)
    assert np.array_equal(one.windows, two.windows)
    assert done == [(step, "annealing forward") for step in [STRIDE, STRIDE + 3] * 2]
    back = [annealing.reverse(one.windows, threads=threads) for threads in (1, 2)]
    assert np.array_equal(back[0].log_weights, back[1].log_weights)


def test_another_seed_gives_other_particles(case):
    one, two = (case.annealing(temperatures=5, seed=seed).forward() for seed in (1, 2))
    assert not np.array_equal(one.windows, two.windows)


@pytest.mark.parametrize("H", [8, pytest.param(12, marks=pytest.mark.slow)])
def test_a_large_vocabulary_against_all_hidden_vectors(rng, H):
    """K = 100,000: Z is a sum over 256 or 4,096 hidden vectors, in single precision."""
    K, n, d = 100_000, 3, 5
    q = 1 / (np.arange(K) + 10.0)
    q /= q.sum()
    rbm = WordRepRBM(
        D=rng.normal(0, 0.5, (K, d)).astype(np.float32),
        U=rng.normal(0, 0.5, (n, H, d)).astype(np.float32),
        b=np.log(q).astype(np.float32),
        c=rng.normal(-1, 0.5, H).astype(np.float32),
    )
    h = ((np.arange(2**H)[:, None] >> np.arange(H)) & 1).astype(np.float32)
    log_Z = exact_over_h(rbm, h)
    text = rng.choice(K, (5000, n), p=q)
    table = AliasTable.build(q)
    annealing = Annealing.build(
        rbm, table, Reservoir.build(text, table), AnnealingSettings(temperatures=300)
    )
    log_weights = annealing.forward(threads=2).log_weights
    found = np.logaddexp.reduce(log_weights) - np.log(len(log_weights))
    w = np.exp(log_weights - found)
    assert effective_sample_size(log_weights) > 100
    assert abs(found - log_Z) < 4 * w.std() / len(w) ** 0.5 + 1e-3


def exact_over_h(rbm, h):
    """``log sum_h exp(c . h) prod_i sum_k exp(b_k + g_i . D_k)``, some hidden vectors at a time."""
    terms = []
    for first in range(0, len(h), 128):
        few = h[first : first + 128]
        context = rbm.word_context(few).reshape(-1, rbm.D.shape[1])
        sums = np.exp(context @ rbm.D.T + rbm.b).sum(axis=1, dtype=np.float64)
        terms.append(few @ rbm.c + np.log(sums).reshape(len(few), -1).sum(axis=1))
    return np.logaddexp.reduce(np.concatenate(terms).astype(np.float64))


def test_effective_sample_size():
    assert effective_sample_size(np.full(7, 900.0)) == pytest.approx(7)
    assert effective_sample_size(np.array([0.0, -800.0, -800.0])) == pytest.approx(1)
    assert effective_sample_size(np.empty(0)) == 0


def test_without_jumps_the_reservoir_is_not_used(case):
    other = case._replace(reservoir=Reservoir.build(np.zeros((1, n), np.int32), case.table))
    alone, same = (x.annealing(temperatures=5, jumps=0).forward() for x in (case, other))
    np.testing.assert_array_equal(alone.log_weights, same.log_weights)


def test_a_model_beyond_all_numbers_is_refused(case):
    huge = case._replace(rbm=replace(case.rbm, D=case.rbm.D * 1e200, U=case.rbm.U * 1e200))
    with pytest.raises(WordRBMError, match="not finite"), np.errstate(all="ignore"):
        huge.annealing(temperatures=2).forward()


def test_impossible_settings_are_refused():
    with pytest.raises(WordRBMError, match=r"temperatures: .* 1 \(found 0\)"):
        AnnealingSettings(temperatures=0)
