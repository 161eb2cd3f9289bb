"""log Z from both sides, at several numbers of temperatures: forward below, reverse above.

Annealing has run long enough when the two sides meet and stay together. Where they meet and a hard
bound is higher all the same, particles have missed a mode.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wordrbm.likelihood.annealing import Annealing
from wordrbm.likelihood.estimate import MeanAndError
from wordrbm.likelihood.stratified import PartitionFunction, annealed_log_Z
from wordrbm.shapes import Words
from wordrbm.threads import ProgressCallback, no_progress

SHORTEST = 10  # temperatures
PER_DECADE = 2
NOTE = "annealing with fewer temperatures"


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
