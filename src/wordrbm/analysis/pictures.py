"""Runs as a picture: how well they told held-out text, and how they went, against windows read.

One panel for each of: the exact cloze perplexity beside that of word frequencies, the free-energy
gap between held-out text and chains, the bound on the joint log-likelihood, the share of the ten
heaviest windows, the share of proposals taken, the learning rates, and windows a second where times
were kept. The same runs give the same bytes.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wordrbm.analysis.history import Run
from wordrbm.errors import WordRBMError
from wordrbm.storage import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METADATA: Mapping[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}
STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.size": 9,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.5,
    "svg.hashsalt": "wordrbm",  # else the names inside an SVG differ each time
}
Dashes = Literal["-", "--", ":"]
MANY = 40  # points of a curve from which on they are no longer marked


class Line(NamedTuple):
    """One number of the records as a line, with its dashes and what it means."""

    number: str
    dashes: Dashes
    meaning: str


class Panel(NamedTuple):
    """What a panel shows."""

    title: str
    lines: Sequence[Line]


PANELS = {
    "perplexity": Panel(
        "Held-out cloze perplexity (exact, log scale)",
        [Line("cloze_perplexity", "-", "model"), Line("unigram_perplexity", ":", "word counts")],
    ),
    "joint": Panel(
        "Upper bound on the held-out log-likelihood, nats a window",
        [Line("joint_bound", "-", "model"), Line("unigram_joint", ":", "word frequencies")],
    ),
    "heaviest": Panel(
        "Share on the ten heaviest windows of the text",
        [Line("ten_heaviest", "-", "of the model"), Line("ten_heaviest_text", ":", "of the text")],
    ),
    "gap": Panel("Free-energy gap, held-out text less chains", [Line("free_energy_gap", "-", "")]),
    "acceptance": Panel(
        "Share of proposals taken",
        [Line("acceptance", "-", "words"), Line("jump_acceptance", "--", "windows")],
    ),
    "rates": Panel(
        "Learning rates",
        [Line("word_rate", "-", "words"), Line("hidden_rate", "--", "hidden units")],
    ),
    "pace": Panel("Windows a second", [Line("windows_per_second", "-", "")]),
}


def draw_runs(runs: Sequence[Run], path: Path) -> None:
    """Draw the runs into one picture, a PNG or an SVG by the path's suffix."""
    save_picture(path, lambda: figure_of(runs))


def save_picture(path: Path, draw: Callable[[], "Figure"]) -> None:
    """Draw in the common style and write; the same figure gives the same bytes."""
    form = checked_kind(path)
    from matplotlib import style

    with (
        style.context(["default", STYLE]),
        warnings.catch_warnings(),
        atomic_write(path) as temporary,
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a script the font does not have
        draw().savefig(temporary, format=form, metadata=METADATA[form])


def checked_kind(path: Path) -> str:
    """`png` or `svg` by the path's suffix, if a picture of it can be drawn."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in METADATA:
        raise WordRBMError(
            f"{path} is neither .png nor .svg; name a picture of one of these kinds."
        )
    refuse_without_matplotlib()
    return kind


def refuse_no_folder(path: Path) -> None:
    """Say so before long work when a picture could not be written after it."""
    if not path.absolute().parent.is_dir():
        raise WordRBMError(f"{path} is in no folder that is there; make the folder first.")


def refuse_without_matplotlib() -> None:
    """Say what to install when pictures cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise WordRBMError(
            "Pictures need the package matplotlib, which is not there; run pip install "
            "'wordrbm[pictures]'."
        )


def canvas(size: tuple[float, float]) -> "Figure":
    """An empty figure: no window, no screen, nothing that pyplot would remember."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_of(runs: Sequence[Run]) -> "Figure":
    """The runs as a figure of matplotlib, its panels in the order of `PANELS`."""
    timed = any(run.curve("windows_per_second")[1] for run in runs)
    rows = [["perplexity"] * 2, ["gap", "acceptance"], ["rates", "pace" if timed else "rates"]]
    weighed = any(run.curve("ten_heaviest")[1] for run in runs)
    rows[1:1] = [["joint", "heaviest"]] if weighed else []  # runs of before have no such numbers
    figure = canvas((9, 3 * len(rows)))
    panels: dict[str, Axes] = figure.subplot_mosaic(rows)  # type: ignore[arg-type]
    for name, axes in panels.items():
        _draw_panel(axes, PANELS[name], runs)
    _scale(panels)
    _name(figure, runs)
    return figure


def _draw_panel(axes: "Axes", panel: Panel, runs: Sequence[Run]) -> None:
    for number, run in enumerate(runs):
        for line in panel.lines:
            x, y = run.curve(line.number)
            marker = "." if len(x) == 1 or (line.dashes == "-" and len(x) < MANY) else ""
            axes.plot(x, y, linestyle=line.dashes, marker=marker, color=f"C{number % 10}")
    axes.set_title(panel.title, loc="left")
    axes.set_xlabel("millions of windows read")
    axes.set_xlim(left=0.0)
    if len(panel.lines) > 1:
        _explain(axes, panel)


def _explain(axes: "Axes", panel: Panel) -> None:
    """A legend of dashes; the colours are told once, for the whole picture."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color="0.3", linestyle=line.dashes) for line in panel.lines]
    axes.legend(handles, [line.meaning for line in panel.lines], frameon=False)


def _scale(panels: Mapping[str, "Axes"]) -> None:
    """Axes that show sizes as they are: shares from 0 to 1, a pace from 0, perplexity by ratios."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    vertical = panels["perplexity"].yaxis
    panels["perplexity"].set_yscale("log")
    vertical.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    vertical.set_major_formatter(StrMethodFormatter("{x:,g}"))
    vertical.set_minor_formatter(NullFormatter())
    panels["gap"].axhline(0.0, color="0.3", linewidth=0.8)
    for shares in {"acceptance", "heaviest"} & panels.keys():
        panels[shares].set_ylim(0.0, 1.0)
    if "pace" in panels:
        panels["pace"].set_ylim(bottom=0.0)
        panels["pace"].yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))


def _name(figure: "Figure", runs: Sequence[Run]) -> None:
    """One run's name is the title; several are told apart by colour."""
    from matplotlib.lines import Line2D

    if len(runs) == 1:
        figure.suptitle(runs[0].name, parse_math=False)
        return
    handles = [Line2D([], [], color=f"C{number % 10}", linewidth=3) for number in range(len(runs))]
    legend = figure.legend(
        handles, [run.name for run in runs], loc="outside upper center", ncols=4, frameon=False
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a folder may have a $ in its name
