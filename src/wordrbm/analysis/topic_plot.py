"""Topics as a plot: a panel for each topic, its top words as bars."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wordrbm.analysis.mixing import CONTROL
from wordrbm.analysis.plots import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 5
PANEL = 2.3, 0.17  # width of a panel, height of a word, in inches
COLOUR = "#4269d0"


class Topic(NamedTuple):
    """A topic's number from 0, its first words, a number for each word, and its NPMI if known."""

    number: int
    words: Sequence[str]
    scores: Sequence[float]
    coherence: float | None


def plot_topics(topics: Sequence[Topic], by: str, path: Path) -> None:
    """Plot topics into a PNG or an SVG."""
    save_figure(path, lambda: topics_figure(topics, by))


def topics_figure(topics: Sequence[Topic], by: str) -> "Figure":
    """A panel for each topic, the bars as long as the scores of the words."""
    columns = min(COLUMNS, len(topics))
    rows = -(-len(topics) // columns)
    height = 0.45 + PANEL[1] * max(len(topic.words) for topic in topics)
    figure = new_figure((PANEL[0] * columns, 0.4 + height * rows))
    figure.suptitle(f"{len(topics)} topics, words by {by}")
    panels = figure.subplots(rows, columns, squeeze=False)
    for axes in panels.flat:
        axes.set_axis_off()
    for axes, topic in zip(panels.flat, topics, strict=False):
        places = range(len(topic.words))
        least = min(0.0, *topic.scores)
        axes.barh(places, [score - least for score in topic.scores], color=COLOUR, alpha=0.35)
        for place, word in zip(places, topic.words, strict=True):
            text = CONTROL.sub("", word)
            axes.text(0.0, place, f" {text}", va="center", fontsize=8, parse_math=False)
        axes.invert_yaxis()
        known = "" if topic.coherence is None else f", NPMI {topic.coherence:.2f}"
        axes.set_title(f"topic {topic.number}{known}", loc="left")
    return figure
