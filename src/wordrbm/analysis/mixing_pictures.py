"""A mixing study as pictures: the paper's figure 2 for one operator, and operators side by side."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wordrbm.analysis.mixing import Case, Place
from wordrbm.analysis.mixing_report import slowest_case
from wordrbm.analysis.pictures import canvas, save_picture
from wordrbm.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS = ("png", "svg")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # no picture can show these
MOST_NAMED = 12  # windows in a legend


def draw_study(
    folder: Path,
    places: Sequence[Place],
    cases: Sequence[Case],
    vocabulary: Vocabulary,
    steps: Sequence[int],
) -> list[Path]:
    """Every picture of a study, each as PNG and as SVG."""
    words = [CONTROL.sub("", word) for word in vocabulary.words]
    windows = [" ".join(words[k] for k in case.words) for case in cases]
    names = list(dict.fromkeys(place.operator for place in places))
    drawn = []
    for form in FORMS:
        for name in names:
            own = [place for place in places if place.operator == name]
            path = folder / f"{name}.{form}"
            save_picture(path, lambda own=own: figure_two(own, windows, words, steps))  # type: ignore[misc]
            drawn.append(path)
        if len(names) > 1:
            path = folder / f"operators.{form}"
            save_picture(path, lambda: side_by_side(places, names, steps))
            drawn.append(path)
    return drawn


def figure_two(
    places: Sequence[Place], windows: Sequence[str], words: Sequence[str], steps: Sequence[int]
) -> "Figure":
    """(a, b) every case, mean over positions; (c, d) the positions of the slowest one."""
    figure = canvas((10, 7.5))
    panels = figure.subplots(2, 2, sharex=True)
    slowest = slowest_case(places, places[0].operator)
    for case, window in enumerate(windows):
        own = [place for place in places if place.case == case]
        style = {"color": f"C{case % 10}", "linewidth": 2.5 if case == slowest else 1.2}
        for column, number in enumerate(("divergence", "distance")):
            mean = np.mean([getattr(place, number) for place in own], axis=0)
            label = window if len(windows) <= MOST_NAMED else None
            panels[0, column].plot(steps, mean, label=label, **style)
    for place in (place for place in places if place.case == slowest):
        label = f"{place.position + 1}, held by “{words[place.wanted]}”"
        for column, number in enumerate(("divergence", "distance")):
            panels[1, column].plot(steps, getattr(place, number), label=label)
    titles = ["Symmetric KL divergence", "Total variation"]
    for column, title in enumerate(titles):
        _finish(panels[0, column], f"({'ab'[column]}) {title}, mean over positions")
        _finish(panels[1, column], f"({'cd'[column]}) {title} by position: {windows[slowest]}")
        panels[1, column].set_xlabel("Metropolis–Hastings steps")
    figure.suptitle(f"From the proposal to P(v | h): {places[0].operator}", parse_math=False)
    return figure


def side_by_side(places: Sequence[Place], names: Sequence[str], steps: Sequence[int]) -> "Figure":
    """Total variation of every operator: the mean over all positions, and the worst position."""
    figure = canvas((10, 4))
    panels = figure.subplots(1, 2, sharey=True)
    for name in names:
        distance = np.array([place.distance for place in places if place.operator == name])
        panels[0].plot(steps, distance.mean(axis=0), label=name)
        panels[1].plot(steps, distance.max(axis=0), label=name)
    _finish(panels[0], "Total variation, mean")
    _finish(panels[1], "Total variation, worst position")
    for axes in panels:
        axes.set_xlabel("steps of its own")
    return figure


def _finish(axes: "Axes", title: str) -> None:
    axes.set_xscale("log")
    axes.set_title(title, loc="left", parse_math=False)
    axes.set_ylim(bottom=0.0)
    if axes.get_legend_handles_labels()[0]:
        for text in axes.legend(frameon=False, fontsize=7).get_texts():
            text.set_parse_math(False)  # a word may be a $
