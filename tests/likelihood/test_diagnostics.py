"""Both sides of log Z by number of temperatures, and their plot."""

import numpy as np
import pytest

from wordrbm.analysis.plots import plot_sandwich, sandwich_figure
from wordrbm.likelihood.annealing import Annealing, AnnealingSettings
from wordrbm.likelihood.diagnostics import build_sandwich, temperature_grid
from wordrbm.models.exact import all_windows, log_Z_over_v, window_probability
from wordrbm.sampling import AliasTable
from wordrbm.sampling.jumps import Reservoir


def test_numbers_of_temperatures_are_spread_by_their_logarithm():
    assert temperature_grid(1000) == [10, 32, 100, 316]
    assert temperature_grid(100) == [10, 32]
    assert temperature_grid(10) == []


@pytest.fixture
def layers(wordrep, rng):
    table = AliasTable.build(np.full(5, 0.2))
    settings = AnnealingSettings(temperatures=300, particles=128, jumps=0)
    reservoir = Reservoir.build(all_windows(wordrep), table)
    annealing = Annealing.build(wordrep, table, reservoir, settings)
    drawn = rng.choice(25, 128, p=window_probability(wordrep))
    done = []
    layers = build_sandwich(
        annealing, all_windows(wordrep)[drawn], report=lambda *progress: done.append(progress)
    )
    assert done[-1] == (1.0, "annealing with fewer temperatures")
    return layers


def test_both_sides_close_in_on_log_z(layers, wordrep):
    log_Z = log_Z_over_v(wordrep)
    assert [layer.temperatures for layer in layers] == temperature_grid(300)
    gaps = [abs(layer.reverse.mean - layer.forward.log_Z) for layer in layers]
    assert gaps[-1] < 0.3
    assert layers[0].reverse.mean > log_Z
    assert abs(layers[-1].forward.log_Z - log_Z) < 0.3


def test_the_plot_has_both_sides_and_both_lines(layers, tmp_path):
    pytest.importorskip("matplotlib")
    axes = sandwich_figure(layers, 3.0, 2.5).axes[0]
    assert len(axes.containers) == 2
    assert len(axes.get_legend().get_texts()) == 4
    plot_sandwich(layers, 3.0, 2.5, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
