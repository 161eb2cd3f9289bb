"""The likelihood of held-out text under a model, with its errors and diagnostics.

    log P(v) = -F(v) - log Z

log Z is the stratified estimate (`stratified.py`), never below the bound that the windows of the
text give (`heaviest.py`). Also reported: annealing alone, forward and reverse (`annealing.py`),
and where the mass of the model is: on which windows, and how much of it on very rare ones.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.likelihood.annealing import Annealing, AnnealingSettings, Particles
from wordrbm.likelihood.heaviest import DistinctWindows, HeaviestWindows
from wordrbm.likelihood.stratified import (
    HeavyWindows,
    PartitionFunction,
    annealed_log_Z,
    heavy_windows,
    mixed_reservoir,
    share_of_model,
    stratified_log_Z,
)
from wordrbm.models import WordRepRBM
from wordrbm.sampling.proposals import AliasTable
from wordrbm.shapes import Probability, Words
from wordrbm.text.windows import Windows
from wordrbm.threads import ProgressCallback, no_progress

TEXT_WINDOWS = 1_000_000
VERY_RARE = 0.05  # of the text: its windows with the lowest mean log frequency of their words


@final
@dataclass(frozen=True)
class MeanAndError:
    """A mean of independent numbers, its standard error, and how many there are."""

    mean: float
    standard_error: float
    count: int

    @classmethod
    def of(cls, values: Float[np.ndarray, " N"]) -> "MeanAndError":
        """The mean of these values, of which there must be two: one has no standard error."""
        if values.size < 2:
            raise WordRBMError(
                f"{values.size} held-out windows were found; a likelihood needs 2 or more to know "
                "its error, so prepare more text or hold more of it out."
            )
        error = values.std(ddof=1) / np.sqrt(values.size)
        return cls(float(values.mean()), float(error), values.size)


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
    very_rare_error: float  # its standard error
    very_rare_held_out: float  # of held-out windows, the same
    held_out: MeanAndError  # log P(v) of held-out windows
    unigram: MeanAndError  # the same windows by word frequencies
    words: int  # n
    particles: Particles

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of log Z; no end of it is below the bound."""
        low, high = self.stratified.interval
        return max(low, self.heaviest.log_bound), max(high, self.heaviest.log_bound)

    def perplexity(self, log_likelihood: float) -> float:
        """``exp(-log P / n)`` per word."""
        return float(np.exp(-log_likelihood / self.words))


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
    log_masses = text.log_masses(rbm, threads=threads)
    heavy = heavy_windows(text, log_masses)
    annealing = build_annealing(rbm, q, text, log_masses, settings)
    particles = annealing.forward(
        threads=threads, report=lambda done, note: report(0.5 * done, note)
    )
    reverse = annealing.reverse(
        evenly(held_out, settings.particles),
        threads=threads,
        report=lambda done, note: report(0.5 + 0.5 * done, note),
    )
    stratified = stratified_log_Z(particles, heavy, settings.seed)
    heaviest = text.heaviest(log_masses)
    log_Z = max(stratified.log_Z, heaviest.log_bound)
    rare, rare_held_out = _very_rare(text, np.log(q), particles, heavy, held_out)
    size = max(stratified.effective_sample_size, 1.0)
    return LikelihoodEstimate(
        log_Z,
        stratified,
        annealed_log_Z(particles, settings.seed),
        MeanAndError.of(reverse.log_weights),
        _shares_of_model(heaviest, log_Z),
        len(text),
        len(heavy.windows),
        float(np.exp(heavy.log_masses - log_Z).sum()),
        rare,
        float(np.sqrt(rare * (1.0 - rare) / size)),
        rare_held_out,
        MeanAndError.of(-free_energies(rbm, held_out, threads) - log_Z),
        MeanAndError.of(np.log(q[held_out]).sum(axis=1)),
        rbm.positions,
        particles,
    )


def build_annealing(
    rbm: WordRepRBM,
    q: Probability,
    text: DistinctWindows,
    log_masses: Float[np.ndarray, " N"],
    settings: AnnealingSettings,
) -> Annealing:
    """The path to this model, with jumps to windows of the text."""
    proposal = AliasTable.build(q)
    reservoir = mixed_reservoir(text, log_masses, proposal, settings.seed)
    return Annealing.build(rbm, proposal, reservoir, settings)


def evenly(windows: Words, count: int) -> Int[np.ndarray, "C n"]:
    """At most `count` of these windows, evenly spread."""
    return windows[np.linspace(0, len(windows) - 1, min(count, len(windows))).astype(np.int64)]


def free_energies(rbm: WordRepRBM, v: Words, threads: int) -> Float[np.ndarray, " B"]:
    """``F(v)`` of windows that may repeat, in bounded memory."""
    every = DistinctWindows(v.astype(np.int32), np.ones(len(v), np.int64))
    return -every.log_masses(rbm, threads=threads)


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
    return share_of_model(particles, heavy, (of_particles, of_heavy)), float(of_text.mean())
