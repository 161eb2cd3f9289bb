"""The sandwich plot: log Z by annealing from both sides against the number of temperatures."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordrbm.analysis.pictures import canvas, save_picture
from wordrbm.likelihood.sandwich import Layer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_sandwich(layers: Sequence[Layer], log_Z: float, log_bound: float, path: Path) -> None:
    """Draw both estimates with their errors, the shipped log Z and the bound of the text."""
    save_picture(path, lambda: figure_of(layers, log_Z, log_bound))


def figure_of(layers: Sequence[Layer], log_Z: float, log_bound: float) -> "Figure":
    """The plot as a figure of matplotlib; bars are two standard errors."""
    figure = canvas((7, 4.5))
    axes = figure.subplots()
    x = [layer.temperatures for layer in layers]
    up = [layer.forward for layer in layers]
    down = [layer.reverse for layer in layers]
    axes.errorbar(
        x, [y.log_Z for y in up], [2 * y.standard_error for y in up],
        marker="o", color="C0", label="forward",
    )  # fmt: skip
    axes.errorbar(
        x, [y.mean for y in down], [2 * y.standard_error for y in down],
        marker="o", color="C1", label="reverse, from held-out windows",
    )  # fmt: skip
    axes.axhline(log_Z, color="0.3", linewidth=0.8, label="log Z, heavy windows summed exactly")
    axes.axhline(log_bound, color="0.3", linestyle=":", label="windows of the text: log Z is above")
    axes.set_xscale("log")
    axes.set_xlabel("temperatures")
    axes.set_title("log Z by annealed importance sampling", loc="left")
    axes.legend(frameon=False)
    return figure
