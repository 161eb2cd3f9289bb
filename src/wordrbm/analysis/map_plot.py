"""The map of words as a plot: every word a point, frequent words written where there is room."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wordrbm.analysis.mixing import CONTROL
from wordrbm.analysis.plots import new_figure, save_figure
from wordrbm.io.map_file import WordMap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = 0.035, 0.018  # least distance of two written words across and along, in units of the map
COLOURS = (
    "#4269d0", "#e0791f", "#d4434f", "#2f9e8f", "#3d8f3d", "#a463f2",
    "#c24d9a", "#8a6b4f", "#5f7185", "#a48a00", "#00819e", "#7a5fc0",
)  # fmt: skip


def plot_map(word_map: WordMap, words: Sequence[str], path: Path, *, labels: int) -> None:
    """Plot the map into a PNG or an SVG, with at most so many words written."""
    save_figure(path, lambda: map_figure(word_map, words, labels))


def map_figure(word_map: WordMap, words: Sequence[str], labels: int) -> "Figure":
    """All words as points by cluster, and frequent ones as text."""
    figure = new_figure((11, 11))
    axes = figure.subplots()
    order = np.arange(len(word_map.xy))[::-1]  # rare words first, so that frequent ones are on top
    colour = np.array(COLOURS)[word_map.cluster[order] % len(COLOURS)]
    xy = word_map.xy[order]
    # An SVG of 100,000 paths would open in no program: the points are pixels in it.
    axes.scatter(xy[:, 0], xy[:, 1], s=1.2, c=colour, alpha=0.35, linewidths=0, rasterized=True)
    for k in written_words(word_map, labels):
        text = CONTROL.sub("", words[k])
        x, y = word_map.xy[k].tolist()
        axes.text(x, y, text, fontsize=6.5, ha="center", va="center", parse_math=False)
    axes.set_aspect("equal")
    axes.set_axis_off()
    title = f"{len(xy):,} words, {word_map.method} of the {word_map.embedded:,} most frequent"
    axes.set_title(title, loc="left")
    return figure


def written_words(word_map: WordMap, count: int) -> list[int]:
    """The most frequent words, the unknown word left out, no two of which overlap."""
    taken: set[tuple[int, int]] = set()
    chosen: list[int] = []
    for k, (x, y) in enumerate(word_map.xy.tolist()):
        cell = round(x / CELL[0]), round(y / CELL[1])
        around = {(cell[0] + i, cell[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        if len(chosen) == count:
            break
        if k and not taken & around:
            taken.add(cell)
            chosen.append(k)
    return chosen
