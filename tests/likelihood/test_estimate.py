"""The stratified estimate: exact where annealing is blind, unbiased everywhere; its warnings."""

import math
from dataclasses import replace

import numpy as np
import pytest

from wordrbm.likelihood.annealing import (
    Annealing,
    AnnealingSettings,
    Particles,
    mixed_reservoir,
)
from wordrbm.likelihood.diagnostics import find_warnings
from wordrbm.likelihood.estimate import (
    HeavyWindows,
    MeanAndError,
    annealed_log_Z,
    estimate_likelihood,
    heavy_windows,
    property_probability,
    stratified_log_Z,
)
from wordrbm.likelihood.heaviest import DistinctWindows, is_among, log_masses
from wordrbm.models import WordRepRBM
from wordrbm.models.exact import all_windows, log_Z_over_h, log_Z_over_v, window_probability
from wordrbm.sampling import AliasTable
from wordrbm.sampling.jumps import Reservoir
from wordrbm.text.windows import Windows

SPIKE = [37, 38, 39]  # three rare words


def spiked(K=40, rare=1e-4):
    """Word frequencies, but for one window at about 12 nats that two of its words cannot call."""
    q = np.full(K, (1 - 3 * rare) / (K - 3))
    q[SPIKE] = rare
    D, U = np.zeros((K, 3)), np.zeros((3, 1, 3))
    for i, word in enumerate(SPIKE):
        D[word, i], U[i, 0, i] = 30.0, 1.0
    return WordRepRBM(D=D, U=U, b=np.log(q), c=np.array([-50.0])), q


def text_of(q, rng, words=6000):
    """A text by word frequencies that has the spike once."""
    ids = rng.choice(q.size - 3, words).astype(np.int32)
    ids[words // 2 : words // 2 + 3] = SPIKE
    return Windows.of(ids, np.array([[0, words, 0]]), 3, q.size)


def test_annealing_alone_misses_a_planted_spike_and_the_estimate_does_not(rng):
    rbm, q = spiked()
    log_Z = log_Z_over_h(rbm)
    train, held_out = text_of(q, rng), rng.choice(37, (300, 3)).astype(np.int32)
    table, settings = AliasTable.build(q), AnnealingSettings(temperatures=200, particles=64)
    blind = Annealing.build(rbm, table, Reservoir.build(held_out, table), settings)
    missed = annealed_log_Z(blind.forward(), 1)
    assert log_Z > 12
    assert missed.log_Z < 1  # and looks healthy
    assert missed.effective_sample_size > 60
    estimate = estimate_likelihood(rbm, q, train, held_out, settings)
    assert estimate.log_Z == pytest.approx(log_Z, abs=0.01)
    assert estimate.heaviest.windows[0].tolist() == SPIKE
    assert estimate.heaviest.shares[0] > 0.99
    assert estimate.held_out.mean == pytest.approx(
        -rbm.free_energy(held_out).mean() - log_Z, abs=0.01
    )
    assert "ten windows" in find_warnings(estimate)[0]


def test_the_estimate_is_right_where_particles_missed_the_spike(rng):
    """Even without jumps: the exact sum alone has it."""
    rbm, q = spiked()
    text = DistinctWindows.sample(text_of(q, rng), 10**6)
    table = AliasTable.build(q)
    reservoir, settings = (
        Reservoir.build(text.windows, table),
        AnnealingSettings(temperatures=50, particles=64, jumps=0),
    )
    particles = Annealing.build(rbm, table, reservoir, settings).forward()
    heavy = heavy_windows(text, log_masses(rbm, text.windows))
    assert not is_among(particles.windows, heavy.windows).any()
    found = stratified_log_Z(particles, heavy, 1)
    assert found.log_Z == pytest.approx(log_Z_over_h(rbm), abs=1e-3)


def test_the_sum_of_both_strata_is_unbiased(wordrep, rng):
    """Any set summed exactly: over many runs the mean of the estimates is Z."""
    table = AliasTable.build(rng.dirichlet(np.full(5, 5.0)))
    every = all_windows(wordrep)
    chosen = every[rng.permutation(len(every))[:8]]
    heavy = HeavyWindows(chosen, -wordrep.free_energy(chosen))
    settings = AnnealingSettings(temperatures=20, particles=2000)
    annealing = Annealing.build(wordrep, table, Reservoir.build(every, table), settings)
    found = stratified_log_Z(annealing.forward(), heavy, 1)
    assert abs(found.log_Z - log_Z_over_v(wordrep)) < 4 * found.standard_error
    assert found.interval[0] < found.log_Z < found.interval[1]
    width = found.interval[1] - found.interval[0]
    assert width == pytest.approx(2 * 1.96 * found.standard_error, rel=0.3)


def test_particles_in_the_exact_stratum_count_nothing():
    windows = np.array([[0, 1], [2, 2], [0, 1], [3, 0]], np.int32)
    particles = Particles(windows, np.log([4.0, 8.0, 4.0, 16.0]))
    heavy = HeavyWindows(np.array([[0, 1]], np.int32), np.log([5.0]))
    found = stratified_log_Z(particles, heavy, 1)
    assert math.exp(found.log_Z) == pytest.approx(5 + (8 + 16) / 4)
    assert found.effective_sample_size == pytest.approx(24**2 / (8**2 + 16**2))
    error = np.std([0, 8, 0, 16], ddof=1) / 2
    assert found.standard_error == pytest.approx(error / 11)
    assert math.exp(annealed_log_Z(particles, 1).log_Z) == pytest.approx(8)
    is_rare = np.array([True, False, True, True]), np.array([True])
    assert property_probability(particles, heavy, *is_rare) == pytest.approx((5 + 4) / 11)


def test_when_every_particle_is_in_the_exact_stratum():
    particles = Particles(np.array([[0, 1]] * 3, np.int32), np.zeros(3))
    heavy = HeavyWindows(np.array([[0, 1]], np.int32), np.log([5.0]))
    found = stratified_log_Z(particles, heavy, 1)
    assert found.log_Z == pytest.approx(math.log(5))
    assert found.standard_error == 0
    assert found.effective_sample_size == 0


def test_heavy_windows_are_those_near_the_whole(wordrep):
    every = DistinctWindows.of(all_windows(wordrep))
    log_masses = np.zeros(len(every))
    log_masses[3], log_masses[5] = 20.0, 12.0
    heavy = heavy_windows(every, log_masses)
    assert heavy.windows.tolist() == [every.windows[3].tolist()]


def test_the_reservoir_is_part_text_part_mass(wordrep):
    every = DistinctWindows.of(all_windows(wordrep))
    log_masses = np.where(np.arange(len(every)) == 7, 50.0, 0.0)
    table = AliasTable.build(np.full(5, 0.2))
    r = np.exp(mixed_reservoir(every, log_masses, table, 1).log_probability(every.windows))
    assert r[7] > 5 * np.delete(r, 7).max()
    assert np.delete(r, 7).min() > 0.5 / len(every) / 2


@pytest.fixture(scope="module")
def sound():
    """A model, its words' frequencies, and text drawn from the model itself."""
    rng = np.random.default_rng(3)
    q = rng.dirichlet(np.full(6, 5.0))
    rbm = WordRepRBM(
        D=rng.normal(0, 0.6, (6, 3)),
        U=rng.normal(0, 0.6, (3, 4, 3)),
        b=np.log(q),
        c=rng.normal(0, 0.5, 4),
    )
    drawn = all_windows(rbm)[rng.choice(6**3, 3000, p=window_probability(rbm))].astype(np.int32)
    runs = np.array([[k * 3, k * 3 + 3, 0] for k in range(2000)])
    return rbm, q, Windows.of(drawn[:2000].ravel(), runs, 3, 6), drawn[2000:]


def test_a_sound_model_is_estimated_without_a_warning(sound):
    rbm, q, train, held_out = sound
    estimate = estimate_likelihood(
        rbm, q, train, held_out, AnnealingSettings(temperatures=100, particles=128)
    )
    log_Z = log_Z_over_v(rbm)
    assert abs(estimate.log_Z - log_Z) < 4 * estimate.stratified.standard_error + 1e-9
    assert estimate.heaviest.log_bound <= log_Z + 1e-9
    assert abs(estimate.reverse.mean - log_Z) < 0.05
    assert estimate.unigram.mean == pytest.approx(np.log(q[held_out]).sum(axis=1).mean())
    assert estimate.very_rare_share == pytest.approx(
        estimate.very_rare_held_out, abs=4 * estimate.very_rare_error
    )
    assert estimate.perplexity(-3 * math.log(7)) == pytest.approx(7)
    assert find_warnings(estimate) == []


def test_same_estimate_for_any_number_of_threads(sound):
    rbm, q, train, held_out = sound
    one, two = (
        estimate_likelihood(
            rbm,
            q,
            train,
            held_out,
            AnnealingSettings(temperatures=30, particles=70),
            threads=threads,
        )
        for threads in (1, 2)
    )
    assert one.stratified == two.stratified
    assert one.held_out == two.held_out
    assert one.reverse == two.reverse


def test_every_warning_is_told(sound):
    rbm, q, train, held_out = sound
    good = estimate_likelihood(
        rbm, q, train, held_out, AnnealingSettings(temperatures=30, particles=64)
    )
    gap = replace(good, reverse=MeanAndError(good.forward.log_Z + 0.9, 0.1, 64))
    assert "differ by 0.9 nats" in find_warnings(gap)[0]
    poor = good.stratified._replace(effective_sample_size=1.5, standard_error=0.8)
    assert "1.5 of 64" in find_warnings(replace(good, stratified=poor))[0]
    low = good.stratified._replace(log_Z=good.heaviest.log_bound - 3)
    bound = good.heaviest.log_bound
    low = low._replace(interval=(bound - 4, bound - 2))
    assert replace(good, stratified=low).interval == (bound, bound)
    assert "3.0 nats below" in find_warnings(replace(good, stratified=low))[0]
    heavy = good.heaviest._replace(share_of_ten=0.4, text_share_of_ten=0.1)
    assert "40.0% of the model" in find_warnings(replace(good, heaviest=heavy))[0]


def test_progress_is_reported_to_the_end(sound):
    rbm, q, train, held_out = sound
    seen = []
    estimate_likelihood(
        rbm, q, train, held_out, AnnealingSettings(temperatures=50, particles=32),
        report=lambda done, note: seen.append(done),
    )  # fmt: skip
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
