"""Plots: the training curves of runs, and log Z by annealing from both sides.

Training curves have one panel for each of: the exact cloze perplexity beside that of word
frequencies, the free-energy gap between held-out text and chains, the bound on the joint
log-likelihood, the share of the ten heaviest windows, the acceptance rate, the learning rates, and
windows a second where there are times. The same numbers give the same bytes.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from wordrbm.analysis.history import Run
from wordrbm.errors import WordRBMError
from wordrbm.likelihood.diagnostics import Layer
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
MAX_MARKED = 40  # points of a curve from which on they are no longer marked


class Curve(NamedTuple):
    """A field of the records as a line."""

    field: str
    linestyle: Literal["-", "--", ":"] = "-"
    label: str = ""


class Panel(NamedTuple):
    """What a panel shows."""

    title: str
    curves: Sequence[Curve]


PANELS = {
    "perplexity": Panel(
        "Held-out cloze perplexity (exact, log scale)",
        [Curve("cloze_perplexity", "-", "model"), Curve("unigram_perplexity", ":", "word counts")],
    ),
    "joint": Panel(
        "Upper bound on the held-out log-likelihood, nats a window",
        [Curve("joint_bound", "-", "model"), Curve("unigram_joint", ":", "word frequencies")],
    ),
    "heaviest": Panel(
        "Share on the ten heaviest windows of the text",
        [Curve("ten_heaviest", "-", "model"), Curve("ten_heaviest_text", ":", "text")],
    ),
    "gap": Panel("Free-energy gap, held-out text less chains", [Curve("free_energy_gap")]),
    "acceptance": Panel(
        "Acceptance rate of proposals",
        [Curve("acceptance", "-", "words"), Curve("jump_acceptance", "--", "windows")],
    ),
    "rates": Panel(
        "Learning rates",
        [Curve("word_rate", "-", "words"), Curve("hidden_rate", "--", "hidden units")],
    ),
    "speed": Panel("Windows a second", [Curve("windows_per_second")]),
}


def plot_runs(runs: Sequence[Run], path: Path) -> None:
    """Plot the runs into one figure, a PNG or an SVG by the path's suffix."""
    save_figure(path, lambda: runs_figure(runs))


def save_figure(path: Path, draw: Callable[[], "Figure"]) -> None:
    """Draw in the common style and write; the same figure gives the same bytes."""
    suffix = image_format(path)
    from matplotlib import style

    styled = style.context(["default", STYLE])
    with styled, warnings.catch_warnings(), atomic_write(path) as temporary:
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a script the font does not have
        draw().savefig(temporary, format=suffix, metadata=METADATA[suffix])


def image_format(path: Path) -> str:
    """`png` or `svg` by the path's suffix; refuses a path where no plot can be written."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in METADATA:
        raise WordRBMError(
            f"{path} is neither .png nor .svg; name a picture of one of these kinds."
        )
    if not path.absolute().parent.is_dir():
        raise WordRBMError(f"{path} is in a folder that does not exist; make the folder first.")
    check_matplotlib()
    return suffix


def check_matplotlib() -> None:
    """Say what to install when matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise WordRBMError(
            "Plots need the package matplotlib, which is not installed; run pip install "
            "'wordrbm[plots]'."
        )


def new_figure(size: tuple[float, float]) -> "Figure":
    """An empty figure: no window, no screen, nothing that pyplot would remember."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def runs_figure(runs: Sequence[Run]) -> "Figure":
    """The runs as a figure of matplotlib, its panels in the order of `PANELS`."""
    has_times = any(run.curve("windows_per_second")[1] for run in runs)
    rows = [["perplexity"] * 2, ["gap", "acceptance"], ["rates", "speed" if has_times else "rates"]]
    has_joint = any(run.curve("ten_heaviest")[1] for run in runs)
    rows[1:1] = [["joint", "heaviest"]] if has_joint else []  # older runs have none
    figure = new_figure((9, 3 * len(rows)))
    panels: dict[str, Axes] = figure.subplot_mosaic(rows)  # type: ignore[arg-type]
    for name, axes in panels.items():
        _draw_panel(axes, PANELS[name], runs)
    _scale(panels)
    _add_title(figure, runs)
    return figure


def _draw_panel(axes: "Axes", panel: Panel, runs: Sequence[Run]) -> None:
    """The curves of every run, a colour each, over the windows read."""
    from matplotlib.lines import Line2D

    for number, run in enumerate(runs):
        for curve in panel.curves:
            x, y = run.curve(curve.field)
            marker = "." if len(x) == 1 or (curve.linestyle == "-" and len(x) < MAX_MARKED) else ""
            axes.plot(x, y, linestyle=curve.linestyle, marker=marker, color=f"C{number % 10}")
    axes.set_title(panel.title, loc="left")
    axes.set_xlabel("millions of windows read")
    axes.set_xlim(left=0.0)
    if len(panel.curves) > 1:  # a legend of line styles; that of colours is the figure's
        handles = [Line2D([], [], color="0.3", linestyle=curve.linestyle) for curve in panel.curves]
        axes.legend(handles, [curve.label for curve in panel.curves], frameon=False)


def _scale(panels: Mapping[str, "Axes"]) -> None:
    """Axes that show sizes as they are: shares from 0 to 1, speed from 0, perplexity by ratios."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    vertical = panels["perplexity"].yaxis
    panels["perplexity"].set_yscale("log")
    vertical.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    vertical.set_major_formatter(StrMethodFormatter("{x:,g}"))
    vertical.set_minor_formatter(NullFormatter())
    panels["gap"].axhline(0.0, color="0.3", linewidth=0.8)
    for shares in {"acceptance", "heaviest"} & panels.keys():
        panels[shares].set_ylim(0.0, 1.0)
    if "speed" in panels:
        panels["speed"].set_ylim(bottom=0.0)
        panels["speed"].yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))


def _add_title(figure: "Figure", runs: Sequence[Run]) -> None:
    """Add the name of a single run as the title, or a legend of the colours of several."""
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


def plot_sandwich(layers: Sequence[Layer], log_Z: float, log_bound: float, path: Path) -> None:
    """Plot log Z by annealing from both sides against the number of temperatures."""
    save_figure(path, lambda: sandwich_figure(layers, log_Z, log_bound))


def sandwich_figure(layers: Sequence[Layer], log_Z: float, log_bound: float) -> "Figure":
    """Both estimates with bars of two standard errors, the final log Z and the text's bound."""
    figure = new_figure((7, 4.5))
    axes = figure.subplots()
    x = [layer.temperatures for layer in layers]
    forward = [(layer.forward.log_Z, 2 * layer.forward.standard_error) for layer in layers]
    reverse = [(layer.reverse.mean, 2 * layer.reverse.standard_error) for layer in layers]
    curves = {"forward": forward, "reverse, from held-out windows": reverse}
    for label, points in curves.items():
        means, errors = [mean for mean, _ in points], [error for _, error in points]
        axes.errorbar(x, means, errors, marker="o", label=label)
    axes.axhline(log_Z, color="0.3", linewidth=0.8, label="log Z, heavy windows summed exactly")
    axes.axhline(log_bound, color="0.3", linestyle=":", label="windows of the text: log Z is above")
    axes.set_xscale("log")
    axes.set_xlabel("temperatures")
    axes.set_title("log Z by annealed importance sampling", loc="left")
    axes.legend(frameon=False)
    return figure
