"""Whether an estimate of the likelihood can be trusted: log Z from both sides, and warnings.

Annealing has run long enough when the forward estimate, which is low, and the reverse estimate,
which is high, meet as the number of temperatures grows. Where they meet and a hard bound is higher
all the same, particles have missed a mode.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wordrbm.likelihood.annealing import Annealing
from wordrbm.likelihood.estimate import (
    LikelihoodEstimate,
    MeanAndError,
    PartitionFunction,
    annealed_log_Z,
)
from wordrbm.shapes import Words
from wordrbm.threads import ProgressCallback, no_progress

MIN_TEMPERATURES = 10
PER_DECADE = 2
NOTE = "annealing with fewer temperatures"
HEAVY_SHARE = 0.05  # of the model's mass on ten windows, from which on it is reported
HEAVY_RATIO = 3.0  # times their share of the text
MAX_GAP = 0.5  # nats between annealing forward and in reverse
MIN_SAMPLE = 0.1  # effective sample size, of the particles
MAX_ERROR = 0.1  # standard error of log Z, in nats


class Layer(NamedTuple):
    """Both estimates at one number of temperatures."""

    temperatures: int
    forward: PartitionFunction
    reverse: MeanAndError


def temperature_grid(limit: int) -> list[int]:
    """Numbers of temperatures below `limit`, evenly spread by their logarithm."""
    if limit <= MIN_TEMPERATURES:
        return []
    count = max(1, round(PER_DECADE * np.log10(limit / MIN_TEMPERATURES)))
    steps = np.geomspace(MIN_TEMPERATURES, limit, count + 1)[:-1]
    return sorted({round(step) for step in steps.tolist()})


def build_sandwich(
    annealing: Annealing, start: Words, *, threads: int = 1, report: ProgressCallback = no_progress
) -> list[Layer]:
    """Anneal in both directions at each number of temperatures below that of `annealing`."""
    layers: list[Layer] = []
    grid = temperature_grid(annealing.settings.temperatures)
    for temperatures in grid:
        settings = annealing.settings.model_copy(update={"temperatures": temperatures})
        shorter = replace(annealing, settings=settings)
        forward = annealed_log_Z(shorter.forward(threads=threads), settings.seed)
        reverse = shorter.reverse(start, threads=threads).log_weights
        layers.append(Layer(temperatures, forward, MeanAndError.of(reverse)))
        report(sum(layer.temperatures for layer in layers) / sum(grid), NOTE)
    return layers


def find_warnings(estimate: LikelihoodEstimate) -> list[str]:
    """What to know before trusting an estimate; nothing if all is well."""
    heaviest, stratified = estimate.heaviest, estimate.stratified
    share, text_share = heaviest.share_of_ten, heaviest.text_share_of_ten
    gap = abs(estimate.reverse.mean - estimate.forward.log_Z)
    size, C = stratified.effective_sample_size, estimate.annealing.settings.particles
    below = heaviest.log_bound - stratified.log_Z
    warnings = []
    if share > max(HEAVY_SHARE, HEAVY_RATIO * text_share):
        warnings.append(
            f"{share:.1%} of the model lies on ten windows that are {text_share:.2%} of the text: "
            "the chains of its training did not reach them; train again with --jumps 1, or with "
            "lower rates if it had jumps."
        )
    if gap > MAX_GAP:
        warnings.append(
            f"Annealing forward and in reverse differ by {gap:.1f} nats; use more --temperatures. "
            "If they still differ then, the model is not where the text is."
        )
    if size < MIN_SAMPLE * C and stratified.standard_error > MAX_ERROR:
        warnings.append(
            f"The effective sample size is {size:.1f} of {C} particles: the interval of log Z is "
            "too narrow; use more --temperatures or more --chains."
        )
    if below > MAX_ERROR:
        warnings.append(
            f"Annealing ended {below:.1f} nats below what the windows of the text hold for "
            "certain; the bound is given instead, and log Z may be larger still."
        )
    return warnings
