"""How fast an operator's words reach ``P(v | h)``: the paper's mixing study, exact, and its plot.

For windows of held-out text, h is drawn and every position started from the operator's own
proposal, as the paper does [Dahl 2012, section 4.2]; then the distance from the softmax conditional
after t steps is computed by `independence.py`, for operators whose proposals depend on h alone.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Float, Int

from wordrbm.analysis.independence import IndependenceChain, Logs, steps_until
from wordrbm.analysis.plots import new_figure, save_figure
from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import (
    ClusteredMetropolis,
    IndependenceTransition,
    Metropolis,
    PooledMetropolis,
    draw_hidden,
)
from wordrbm.shapes import Probability, Words
from wordrbm.storage import atomic_write
from wordrbm.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TARGETS = (0.1, 0.01)  # total variations whose number of steps is reported
MAX_STEPS = 2**30  # that are searched
MH_STEPS, CLUSTER_STEPS = 100, 4
FORMATS = ("png", "svg")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # characters that no font can show
MAX_LABELS = 12  # windows in a legend

Curve: TypeAlias = Float[np.ndarray, " T"]  # a distance after each number of steps


def tempered(q: Probability, power: float) -> Probability:
    """Word frequencies to a power: 1 leaves them, 0 makes them equal."""
    weight: Probability = np.power(q.astype(np.float64), power)
    weight /= weight.sum()
    return weight


def _pooled(power: float, model: AbstractRBM, q: Probability) -> PooledMetropolis:
    return PooledMetropolis.from_probability(tempered(q, power), steps=MH_STEPS)


_clustered = partial(ClusteredMetropolis.from_model, steps=CLUSTER_STEPS)
OPERATORS: Mapping[str, Callable[[AbstractRBM, Probability], IndependenceTransition]] = {
    "unigram": partial(_pooled, 1.0),  # by word frequency, from pools that 32 chains share
    "power": partial(_pooled, 0.75),
    "uniform": partial(_pooled, 0.0),
    "paper": lambda model, q: Metropolis.from_probability(q, steps=MH_STEPS),  # without pools
    "clusters": _clustered,
    "fine": partial(_clustered, singletons=512, clusters=1024),
}


def build_operator(name: str, model: AbstractRBM, q: Probability) -> IndependenceTransition:
    """Build the operator of this name for a model as it is now."""
    if name not in OPERATORS:
        raise WordRBMError(
            f"There is no operator {name!r}; the operators are {', '.join(OPERATORS)}."
        )
    return OPERATORS[name](model, q)


class MixingCase(NamedTuple):
    """A window of text, hidden states drawn for it, and the context they give to each position."""

    words: Int[np.ndarray, " n"]
    hidden: Float[np.ndarray, " H"]
    context: Float[np.ndarray, "n r"]


class PositionResult(NamedTuple):
    """How an operator mixes at one position of one case."""

    case: int
    position: int
    acceptance: float
    spectral_gap: float
    autocorrelation_time: float
    steps_to_target: tuple[int | None, ...]  # for each of `TARGETS`; None if it is not reached
    divergence: Curve  # symmetric Kullback-Leibler, after each number of steps
    distance: Curve  # total variation
    bottleneck_word: int  # the word with the largest pi / q: a chain on it leaves it last


def draw_cases(model: AbstractRBM, windows: Words, seed: int) -> list[MixingCase]:
    """Draw hidden states for each window."""
    h = draw_hidden(seed_stream(seed, 0, 0), model.hidden_mean(windows))
    return [MixingCase(*arrays) for arrays in zip(windows, h, model.word_context(h), strict=True)]


def study_mixing(
    model: AbstractRBM, operator: IndependenceTransition, cases: Sequence[MixingCase],
    steps: Sequence[int],
) -> Iterator[PositionResult]:  # fmt: skip
    """Study every position of every case, one after another."""
    for number, case in enumerate(cases):
        for i, table in enumerate(model.table_index.tolist()):
            log_pi = word_conditional(model, case.context[i], table)
            log_q = operator.log_proposal(case.context[i], table).astype(np.float64)
            chain = IndependenceChain.build(log_pi, log_q - np.logaddexp.reduce(log_q))
            divergence, distance = np.array([chain.distances(t) for t in steps]).T
            needed = tuple(_steps_to(chain, target, steps, distance) for target in TARGETS)
            yield PositionResult(
                number, i, chain.acceptance, chain.gap, chain.autocorrelation_time(), needed,
                divergence, distance, bottleneck_word=int(chain.order[0]),
            )  # fmt: skip


def word_conditional(model: AbstractRBM, context: Float[np.ndarray, " r"], table: int) -> Logs:
    """``log P(v_i | h)`` of all words, in double precision."""
    rows, bias = model.word_table[table], model.word_bias[table]
    log_pi: Logs = bias.astype(np.float64) + rows.astype(np.float64) @ context
    log_pi -= np.logaddexp.reduce(log_pi)
    return log_pi


def _steps_to(
    chain: IndependenceChain, target: float, steps: Sequence[int], distance: Curve
) -> int | None:
    """The fewest steps to a total variation; the curve says where to search."""
    above = [t for t, tv in zip(steps, distance, strict=True) if tv > target]
    below = [t for t, tv in zip(steps, distance, strict=True) if tv <= target]
    low, high = max(above, default=-1), min(below, default=max(1, 2 * max(above, default=1)))
    return steps_until(chain, target, low=low, high=high, limit=MAX_STEPS)


def summarise(results: Sequence[PositionResult], steps: Sequence[int]) -> dict[str, Any]:
    """Means over all positions, and the worst of them, for JSON."""
    gaps = [result.spectral_gap for result in results]
    row: dict[str, Any] = {
        "acceptance": float(np.mean([result.acceptance for result in results])),
        "spectral_gap": float(np.median(gaps)),
        "smallest_gap": min(gaps),
        "autocorrelation_time": float(np.median([x.autocorrelation_time for x in results])),
    }
    for k, target in enumerate(TARGETS):
        reached = [result.steps_to_target[k] for result in results]
        needed = [np.inf if t is None else float(t) for t in reached]
        summary = {"median": float(np.median(needed)), "most": max(needed)}
        row[f"steps_to_{target}"] = {x: None if t == np.inf else t for x, t in summary.items()}
    distances = np.array([result.distance for result in results]).T
    row["distance"] = {
        str(t): {"mean": float(distance.mean()), "worst": float(distance.max())}
        for t, distance in zip(steps, distances, strict=True)
    }
    return row


def slowest_case(results: Sequence[PositionResult]) -> int:
    """The case with the largest total variation, summed over positions and steps."""
    totals: dict[int, float] = {}
    for result in results:
        totals[result.case] = totals.get(result.case, 0.0) + float(result.distance.sum())
    return max(totals, key=lambda case: totals[case])


def position_records(
    results: Sequence[PositionResult], cases: Sequence[MixingCase], vocabulary: Vocabulary,
    steps: Sequence[int],
) -> list[dict[str, Any]]:  # fmt: skip
    """Every position with its words and its curves, for JSON."""
    words = vocabulary.words
    return [
        {
            "case": result.case,
            "window": [words[k] for k in cases[result.case].words],
            "position": result.position,
            "acceptance": result.acceptance,
            "spectral_gap": result.spectral_gap,
            "autocorrelation_time": result.autocorrelation_time,
            **{f"steps_to_{x}": t for x, t in zip(TARGETS, result.steps_to_target, strict=True)},
            "bottleneck_word": words[result.bottleneck_word],
            "steps": list(steps),
            "divergence": result.divergence.tolist(),
            "distance": result.distance.tolist(),
        }
        for result in results
    ]


def write_curves(path: Path, operators: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write a CSV line for each operator, case, position and number of steps."""
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["operator", "case", "window", "position", "steps", "divergence", "distance"])
        for name, records in operators.items():
            for row in records:
                head = [name, row["case"], " ".join(row["window"]), row["position"]]
                curves = zip(row["steps"], row["divergence"], row["distance"], strict=True)
                out.writerows([*head, *point] for point in curves)


def plot_mixing(
    folder: Path, name: str, results: Sequence[PositionResult], cases: Sequence[MixingCase],
    vocabulary: Vocabulary, steps: Sequence[int],
) -> list[Path]:  # fmt: skip
    """Plot the study of the operator `name` as PNG and as SVG; returns the paths."""
    words = [CONTROL.sub("", word) for word in vocabulary.words]
    windows = [" ".join(words[k] for k in case.words) for case in cases]
    paths = [folder / f"{name}.{suffix}" for suffix in FORMATS]
    for path in paths:
        save_figure(path, lambda: mixing_figure(name, results, windows, words, steps))
    return paths


def mixing_figure(
    name: str, results: Sequence[PositionResult], windows: Sequence[str], words: Sequence[str],
    steps: Sequence[int],
) -> "Figure":  # fmt: skip
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
