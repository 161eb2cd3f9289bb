"""The plot of a mixing study: the paper's figure 2 for one operator."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wordrbm.analysis.mixing import MixingCase, PositionResult, slowest_case
from wordrbm.analysis.plots import new_figure, save_figure
from wordrbm.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # characters that no font can show
MAX_LABELS = 12  # windows in a legend


def plot_mixing(
    folder: Path,
    name: str,
    results: Sequence[PositionResult],
    cases: Sequence[MixingCase],
    vocabulary: Vocabulary,
    steps: Sequence[int],
) -> list[Path]:
    """Plot the study of the operator `name` as PNG and as SVG; returns the paths."""
    words = [CONTROL.sub("", word) for word in vocabulary.words]
    windows = [" ".join(words[k] for k in case.words) for case in cases]
    paths = [folder / f"{name}.{suffix}" for suffix in FORMATS]
    for path in paths:
        save_figure(path, lambda: mixing_figure(name, results, windows, words, steps))
    return paths


def mixing_figure(
    name: str,
    results: Sequence[PositionResult],
    windows: Sequence[str],
    words: Sequence[str],
    steps: Sequence[int],
) -> "Figure":
    """(a, b) every case, mean over positions; (c, d) the positions of the slowest one."""
    figure = new_figure((10, 7.5))
    panels = figure.subplots(2, 2, sharex=True)
    slowest = slowest_case(results)
    curves = {"divergence": "Symmetric KL divergence", "distance": "Total variation"}
    for column, (field, title) in enumerate(curves.items()):
        for case, window in enumerate(windows):
            of_case = [getattr(result, field) for result in results if result.case == case]
            style = {"color": f"C{case % 10}", "linewidth": 2.5 if case == slowest else 1.2}
            label = window if len(windows) <= MAX_LABELS else None
            panels[0, column].plot(steps, np.mean(of_case, axis=0), label=label, **style)
        for result in (result for result in results if result.case == slowest):
            label = f"{result.position + 1}, bottleneck “{words[result.bottleneck_word]}”"
            panels[1, column].plot(steps, getattr(result, field), label=label)
        finish_panel(panels[0, column], f"({'ab'[column]}) {title}, mean over positions")
        finish_panel(panels[1, column], f"({'cd'[column]}) {title} by position: {windows[slowest]}")
        panels[1, column].set_xlabel("Metropolis–Hastings steps")
    figure.suptitle(f"From the proposal to P(v | h): {name}", parse_math=False)
    return figure


def finish_panel(axes: "Axes", title: str) -> None:
    """A logarithmic axis of steps, a title, and a legend in which a word may be a $."""
    axes.set_xscale("log")
    axes.set_title(title, loc="left", parse_math=False)
    axes.set_ylim(bottom=0.0)
    if axes.get_legend_handles_labels()[0]:
        for text in axes.legend(frameon=False, fontsize=7).get_texts():
            text.set_parse_math(False)
