"""Whether an estimate of the likelihood can be trusted: log Z from both sides, and warnings.

Annealing has run long enough when the forward estimate, which is low, and the reverse estimate,
which is high, meet as the number of temperatures grows. Where they meet and a hard bound is higher
all the same, particles have missed a mode.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wordrbm.likelihood.annealing import Annealing
from wordrbm.likelihood.estimate import LikelihoodEstimate, MeanAndError
from wordrbm.likelihood.stratified import PartitionFunction, annealed_log_Z
from wordrbm.shapes import Words
from wordrbm.threads import ProgressCallback, no_progress

SHORTEST = 10  # temperatures
PER_DECADE = 2
NOTE = "annealing with fewer temperatures"
HEAVY_SHARE = 0.05  # of the model's mass on ten windows, from which on it is reported
HEAVY_RATIO = 3.0  # times their share of the text
LARGEST_GAP = 0.5  # nats between annealing forward and in reverse
LEAST_SAMPLE = 0.1  # effective sample size, of the particles
LARGEST_ERROR = 0.1  # standard error of log Z, in nats


class Layer(NamedTuple):
    """Both estimates at one number of temperatures."""

    temperatures: int
    forward: PartitionFunction
    reverse: MeanAndError


def temperature_grid(most: int) -> list[int]:
    """Numbers of temperatures below `most`, evenly spread by their logarithm."""
    if most <= SHORTEST:
        return []
    count = max(1, round(PER_DECADE * np.log10(most / SHORTEST)))
    steps = np.geomspace(SHORTEST, most, count + 1)[:-1]
    return sorted({round(step) for step in steps.tolist()})


def build_sandwich(
    annealing: Annealing,
    start: Words,
    *,
    threads: int = 1,
    report: ProgressCallback = no_progress,
) -> list[Layer]:
    """Anneal in both directions at each number of temperatures below that of `annealing`."""
    layers: list[Layer] = []
    grid = temperature_grid(annealing.settings.temperatures)
    for temperatures in grid:
        settings = replace(annealing.settings, temperatures=temperatures)
        shorter = replace(annealing, settings=settings)
        forward = annealed_log_Z(shorter.forward(threads=threads), settings.seed)
        reverse = shorter.reverse(start, threads=threads).log_weights
        layers.append(Layer(temperatures, forward, MeanAndError.of(reverse)))
        report(sum(layer.temperatures for layer in layers) / sum(grid), NOTE)
    return layers


def find_warnings(estimate: LikelihoodEstimate) -> list[str]:
    """What to know before trusting an estimate; nothing if all is well."""
    checks = [_mass_off_the_text, _gap_of_annealing, _few_particles_count, _below_the_bound]
    return [sentence for check in checks if (sentence := check(estimate))]


def _mass_off_the_text(estimate: LikelihoodEstimate) -> str:
    heaviest = estimate.heaviest
    is_heavy = heaviest.share_of_ten > HEAVY_SHARE
    if not is_heavy or heaviest.share_of_ten <= HEAVY_RATIO * heaviest.text_share_of_ten:
        return ""
    return (
        f"{heaviest.share_of_ten:.1%} of the model lies on ten windows that are "
        f"{heaviest.text_share_of_ten:.2%} of the text: the chains of its training did not reach "
        "them; train again with --jumps 1, or with lower rates if it had jumps."
    )


def _gap_of_annealing(estimate: LikelihoodEstimate) -> str:
    gap = abs(estimate.reverse.mean - estimate.forward.log_Z)
    if gap <= LARGEST_GAP:
        return ""
    return (
        f"Annealing forward and in reverse differ by {gap:.1f} nats; use more --temperatures. If "
        "they still differ then, the model is not where the text is."
    )


def _few_particles_count(estimate: LikelihoodEstimate) -> str:
    stratified, C = estimate.stratified, len(estimate.particles.windows)
    size = stratified.effective_sample_size
    if size >= LEAST_SAMPLE * C or stratified.standard_error <= LARGEST_ERROR:
        return ""
    return (
        f"The effective sample size is {size:.1f} of {C} particles: the interval of log Z is too "
        "narrow; use more --temperatures or more --chains."
    )


def _below_the_bound(estimate: LikelihoodEstimate) -> str:
    below = estimate.heaviest.log_bound - estimate.stratified.log_Z
    if below <= LARGEST_ERROR:
        return ""
    return (
        f"Annealing ended {below:.1f} nats below what the windows of the text hold for certain; "
        "the bound is given instead, and log Z may be larger still."
    )
