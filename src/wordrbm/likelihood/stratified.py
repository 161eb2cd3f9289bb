"""A stratified estimate of Z: heavy windows of the text summed exactly, the rest by annealing.

    Z = sum_{v in S} exp(-F(v)) + mean_c( w_c [v_c not in S] )

S holds the windows of the text that carry at least ``exp(-7)`` of the text windows' mass. It does
not depend on the particles, so the estimate is unbiased whatever S is. A mode on a few windows,
which annealing does not reach, is counted exactly if the text shows it; particles inside S count
nothing, so nothing is counted twice.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from wordrbm.likelihood.annealing import Particles, effective_sample_size
from wordrbm.likelihood.heaviest import DistinctWindows, log_sum
from wordrbm.sampling.jumps import Reservoir
from wordrbm.sampling.proposals import AliasTable
from wordrbm.shapes import Words

HEAVY = 7.0  # nats below the mass of all windows of the text
RESERVOIR = 1 << 18  # windows
BY_MASS = 0.25  # of the reservoir: drawn by the model's mass, not by the text
RESAMPLES = 2000


class HeavyWindows(NamedTuple):
    """The windows of S and ``-F`` of each."""

    windows: Words
    log_masses: Float[np.ndarray, " S"]

    def contains(self, v: Words) -> Bool[np.ndarray, " B"]:
        """Which of these windows are in S."""
        known = {tuple(window) for window in self.windows.tolist()}
        return np.array([tuple(window) in known for window in v.tolist()], np.bool_)


class PartitionFunction(NamedTuple):
    """An estimate of log Z with its error."""

    log_Z: float
    standard_error: float  # of log Z, by the delta method
    interval: tuple[float, float]  # 95 %, by the bootstrap
    effective_sample_size: float  # of the weights that count


def heavy_windows(text: DistinctWindows, log_masses: Float[np.ndarray, " N"]) -> HeavyWindows:
    """The windows that carry at least ``exp(-HEAVY)`` of the mass of all of them."""
    heavy = log_masses >= log_sum(log_masses) - HEAVY
    return HeavyWindows(text.windows[heavy], log_masses[heavy])


def mixed_reservoir(
    text: DistinctWindows, log_masses: Float[np.ndarray, " N"], proposal: AliasTable, seed: int
) -> Reservoir:
    """Windows to propose while annealing: most as the text has them, some by the model's mass.

    Any fixed reservoir leaves the estimate unbiased. Windows of large mass are in it many times,
    so that particles find them although the text hardly ever shows them.
    """
    rng = np.random.default_rng(seed)
    by_mass = int(BY_MASS * RESERVOIR)
    mass = np.exp(log_masses - log_masses.max())
    index = [
        _draw(rng, text.counts.astype(np.float64), RESERVOIR - by_mass),
        _draw(rng, mass, by_mass),
    ]
    return Reservoir.build(text.windows[np.concatenate(index)], proposal)


def annealed_log_Z(particles: Particles, seed: int) -> PartitionFunction:
    """``log mean_c w_c``: annealing alone."""
    nothing = HeavyWindows(particles.windows[:0], np.empty(0))
    return stratified_log_Z(particles, nothing, seed)


def stratified_log_Z(particles: Particles, heavy: HeavyWindows, seed: int) -> PartitionFunction:
    """``log( sum_{v in S} exp(-F(v)) + mean_c w_c [v_c not in S] )``."""
    outside = ~heavy.contains(particles.windows)
    scale = max(float(particles.log_weights.max()), log_sum(heavy.log_masses))
    exact = np.exp(log_sum(heavy.log_masses) - scale)
    counted = np.where(outside, np.exp(particles.log_weights - scale), 0.0)
    total = exact + counted.mean()
    error = counted.std(ddof=1) / np.sqrt(counted.size) / total
    rng = np.random.default_rng(seed)
    again = rng.integers(0, counted.size, (RESAMPLES, counted.size))
    least = np.finfo(np.float64).tiny  # a resample may hold no weight to speak of
    resampled = scale + np.log(np.maximum(exact + counted[again].mean(axis=1), least))
    low, high = np.percentile(resampled, [2.5, 97.5], method="nearest")
    size = effective_sample_size(particles.log_weights[outside])
    return PartitionFunction(
        float(scale + np.log(total)), float(error), (float(low), float(high)), size
    )


def share_of_model(
    particles: Particles,
    heavy: HeavyWindows,
    is_in: tuple[Bool[np.ndarray, " C"], Bool[np.ndarray, " S"]],
) -> float:
    """The model's probability of a property, given for the particles and for the windows of S."""
    of_particles, of_heavy = is_in
    outside = ~heavy.contains(particles.windows)
    average = particles.log_weights - np.log(len(outside))
    inside = np.concatenate([heavy.log_masses[of_heavy], average[outside & of_particles]])
    whole = np.concatenate([heavy.log_masses, average[outside]])
    return float(np.exp(log_sum(inside) - log_sum(whole)))


def _draw(
    rng: np.random.Generator, weight: Float[np.ndarray, " N"], count: int
) -> Int[np.ndarray, " count"]:
    """Independent indices in proportion to the weights."""
    ends = np.cumsum(weight)
    chosen = np.searchsorted(ends, rng.random(count) * ends[-1], side="right")
    return np.minimum(chosen, weight.size - 1)
