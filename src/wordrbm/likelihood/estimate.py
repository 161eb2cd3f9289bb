"""The likelihood of held-out text under a model, with its errors and diagnostics.

    log P(v) = -F(v) - log Z

log Z is a stratified estimate: heavy windows of the text summed exactly, the rest by annealing,

    Z = sum_{v in S} exp(-F(v)) + mean_c( w_c [v_c not in S] )

S holds the windows of the text that carry at least ``exp(-7)`` of the text windows' mass. It does
not depend on the particles, so the estimate is unbiased whatever S is. A mode on a few windows,
which annealing does not reach, is counted exactly if the text shows it; particles inside S count
nothing, so nothing is counted twice. log Z is never below the bound of `heaviest.py`.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.likelihood.annealing import (
    Annealing,
    AnnealingSettings,
    Particles,
    build_annealing,
    effective_sample_size,
)
from wordrbm.likelihood.heaviest import (
    DistinctWindows,
    HeaviestWindows,
    is_among,
    log_masses,
    log_sum,
)
from wordrbm.models import WordRepRBM
from wordrbm.shapes import PerWindow, Probability, Words
from wordrbm.text.windows import Windows
from wordrbm.threads import ProgressCallback, no_progress

TEXT_WINDOWS = 1_000_000
VERY_RARE = 0.05  # of the text: its windows with the lowest mean log frequency of their words
HEAVY = 7.0  # nats below the mass of all windows of the text
RESAMPLES = 2000  # of the bootstrap


@final
@dataclass(frozen=True)
class MeanAndError:
    """A mean of independent numbers, its standard error, and how many there are."""

    mean: float
    standard_error: float
    count: int

    @classmethod
    def of(cls, values: PerWindow) -> "MeanAndError":
        """The mean of these values, of which there must be two: one has no standard error."""
        if values.size < 2:
            raise WordRBMError(
                f"{values.size} held-out windows were found; a likelihood needs 2 or more to know "
                "its error, so prepare more text or hold more of it out."
            )
        error = values.std(ddof=1) / np.sqrt(values.size)
        return cls(float(values.mean()), float(error), values.size)


class HeavyWindows(NamedTuple):
    """The windows of S and ``-F`` of each."""

    windows: Words
    log_masses: PerWindow


class PartitionFunction(NamedTuple):
    """An estimate of log Z with its error."""

    log_Z: float
    standard_error: float  # of log Z, by the delta method
    interval: tuple[float, float]  # 95 %, by the bootstrap
    effective_sample_size: float  # of the weights that count


@final
@dataclass(frozen=True, eq=False)
class LikelihoodEstimate:
    """Estimates of log Z and of the likelihood of held-out text, in nats."""

    log_Z: float  # stratified, and not below the bound
    stratified: PartitionFunction
    forward: PartitionFunction  # annealing alone
    reverse: MeanAndError  # log weights of annealing in reverse from held-out windows
    heaviest: HeaviestWindows  # shares are of the model
    text_windows: int  # distinct ones that were weighed
    summed_windows: int  # of these, summed exactly
    summed_share: float  # of the model, on the windows summed exactly
    very_rare_share: float  # of the model, on very rare windows
    very_rare_error: float  # standard error of `very_rare_share`
    very_rare_held_out: float  # of held-out windows, the share of very rare ones
    held_out: MeanAndError  # log P(v) of held-out windows
    unigram: MeanAndError  # log P(v) of held-out windows by word frequencies
    annealing: Annealing

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of log Z; no end of it is below the bound."""
        low, high = self.stratified.interval
        return max(low, self.heaviest.log_bound), max(high, self.heaviest.log_bound)

    def perplexity(self, log_likelihood: float) -> float:
        """``exp(-log P / n)`` per word."""
        return float(np.exp(-log_likelihood / self.annealing.positions))


def estimate_likelihood(
    rbm: WordRepRBM,
    q: Probability,
    train: Windows,
    held_out: Words,
    settings: AnnealingSettings,
    *,
    text_windows: int = TEXT_WINDOWS,
    threads: int = 1,
    report: ProgressCallback = no_progress,
) -> LikelihoodEstimate:
    """Estimate log Z and the likelihood of held-out windows; the same for any number of threads."""
    report(0.0, "weighing the windows of the text")
    text = DistinctWindows.sample(train, text_windows)
    masses = log_masses(rbm, text.windows, threads=threads)
    annealing = build_annealing(rbm, q, text, masses, settings)
    particles = annealing.forward(
        threads=threads, report=lambda done, note: report(0.5 * done, note)
    )
    reverse = annealing.reverse(
        evenly(held_out, settings.particles),
        threads=threads,
        report=lambda done, note: report(0.5 + 0.5 * done, note),
    )
    heavy = heavy_windows(text, masses)
    stratified, heaviest = stratified_log_Z(particles, heavy, settings.seed), text.heaviest(masses)
    log_Z = max(stratified.log_Z, heaviest.log_bound)
    rare, rare_held_out = _very_rare(text, np.log(q), particles, heavy, held_out)
    return LikelihoodEstimate(
        log_Z=log_Z,
        stratified=stratified,
        forward=annealed_log_Z(particles, settings.seed),
        reverse=MeanAndError.of(reverse.log_weights),
        heaviest=_shares_of_model(heaviest, log_Z),
        text_windows=len(text),
        summed_windows=len(heavy.windows),
        summed_share=float(np.exp(heavy.log_masses - log_Z).sum()),
        very_rare_share=rare,
        very_rare_error=sqrt(rare * (1.0 - rare) / max(stratified.effective_sample_size, 1.0)),
        very_rare_held_out=rare_held_out,
        held_out=MeanAndError.of(log_masses(rbm, held_out, threads=threads) - log_Z),
        unigram=MeanAndError.of(np.log(q[held_out]).sum(axis=1)),
        annealing=annealing,
    )


def evenly(windows: Words, count: int) -> Int[np.ndarray, "C n"]:
    """At most `count` of these windows, evenly spread."""
    return windows[np.linspace(0, len(windows) - 1, min(count, len(windows))).astype(np.int64)]


def heavy_windows(text: DistinctWindows, log_mass: PerWindow) -> HeavyWindows:
    """The windows that carry at least ``exp(-HEAVY)`` of the mass of all of them."""
    is_heavy = log_mass >= log_sum(log_mass) - HEAVY
    return HeavyWindows(text.windows[is_heavy], log_mass[is_heavy])


def annealed_log_Z(particles: Particles, seed: int) -> PartitionFunction:
    """``log mean_c w_c``: annealing alone."""
    return stratified_log_Z(particles, HeavyWindows(particles.windows[:0], np.empty(0)), seed)


def stratified_log_Z(particles: Particles, heavy: HeavyWindows, seed: int) -> PartitionFunction:
    """``log( sum_{v in S} exp(-F(v)) + mean_c w_c [v_c not in S] )``."""
    outside = ~is_among(particles.windows, heavy.windows)
    scale = max(float(particles.log_weights.max()), log_sum(heavy.log_masses))
    exact = np.exp(log_sum(heavy.log_masses) - scale)
    counted = np.where(outside, np.exp(particles.log_weights - scale), 0.0)
    total = exact + counted.mean()
    error = counted.std(ddof=1) / np.sqrt(counted.size) / total
    rng = np.random.default_rng(seed)
    resample = rng.integers(0, counted.size, (RESAMPLES, counted.size))
    tiny = np.finfo(np.float64).tiny  # a resample may hold no weight to speak of
    resampled = scale + np.log(np.maximum(exact + counted[resample].mean(axis=1), tiny))
    low, high = np.percentile(resampled, [2.5, 97.5], method="nearest")
    size = effective_sample_size(particles.log_weights[outside])
    return PartitionFunction(
        float(scale + np.log(total)), float(error), (float(low), float(high)), size
    )


def property_probability(
    particles: Particles,
    heavy: HeavyWindows,
    of_particles: Bool[np.ndarray, " C"],
    of_heavy: Bool[np.ndarray, " S"],
) -> float:
    """The model's probability of a property, given which particles and windows of S have it."""
    outside = ~is_among(particles.windows, heavy.windows)
    average = particles.log_weights - np.log(len(outside))
    with_property = np.concatenate([heavy.log_masses[of_heavy], average[outside & of_particles]])
    everything = np.concatenate([heavy.log_masses, average[outside]])
    return float(np.exp(log_sum(with_property) - log_sum(everything)))


def _shares_of_model(heaviest: HeaviestWindows, log_Z: float) -> HeaviestWindows:
    """Shares of all windows' mass instead of the text windows' alone."""
    from_model = np.exp(heaviest.log_bound - log_Z)
    return heaviest._replace(
        share_of_ten=float(heaviest.share_of_ten * from_model), shares=heaviest.shares * from_model
    )


def _very_rare(
    text: DistinctWindows,
    log_q: Float[np.ndarray, " K"],
    particles: Particles,
    heavy: HeavyWindows,
    held_out: Words,
) -> tuple[float, float]:
    """The share of very rare windows in the model and in held-out text.

    A window is very rare if the mean log frequency of its words is below that of 95 % of the text.
    """
    commonness = log_q[text.windows].mean(axis=1)
    order = np.argsort(commonness, kind="stable")
    seen = np.cumsum(text.counts[order])
    limit = commonness[order[np.searchsorted(seen, VERY_RARE * seen[-1])]]
    of_particles, of_heavy, of_text = (
        log_q[v].mean(axis=1) < limit for v in (particles.windows, heavy.windows, held_out)
    )
    share = property_probability(particles, heavy, of_particles, of_heavy)
    return share, float(of_text.mean())
