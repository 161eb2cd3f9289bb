"""The mixing study of several operators, each also at the time that the first one takes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from experiments.mixing.equal_time import CHAINS, steps_at_equal_time
from experiments.tables import Report, Table
from wordrbm.analysis.mixing import (
    FORMATS,
    MixingCase,
    PositionResult,
    build_operator,
    draw_cases,
    finish_panel,
    plot_mixing,
    position_records,
    study_mixing,
    summarise,
    write_curves,
)
from wordrbm.analysis.plots import new_figure, save_figure
from wordrbm.errors import WordRBMError
from wordrbm.run.evaluation import heldout_sample
from wordrbm.storage import make_folder, write_text
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.threads import ProgressCallback
from wordrbm.trained_model import TrainedModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class StudySpec(NamedTuple):
    """What is studied: operators by name, the first of which sets the time, and the cases."""

    operators: Sequence[str]
    cases: int
    steps: Sequence[int]
    seed: int


class OperatorResult(NamedTuple):
    """One operator: its positions after the steps of the study, and at equal time."""

    results: list[PositionResult]
    equal_steps: int
    equal_distance: list[float]  # total variation of each position after so many steps


class StudyResult(NamedTuple):
    """The cases of a study, and what each operator does with them."""

    cases: list[MixingCase]
    operators: Mapping[str, OperatorResult]


def run_study(
    trained: TrainedModel, corpus: PreparedCorpus, spec: StudySpec, show: ProgressCallback
) -> StudyResult:
    """Study every operator on the same cases."""
    if not spec.operators:
        raise WordRBMError("No operator was given; give some, as unigram,clusters.")
    rbm, q = trained.rbm, corpus.vocabulary.probability()
    operators = {name: build_operator(name, rbm, q) for name in spec.operators}
    held_out = corpus, trained.vocabulary, rbm.positions
    cases = draw_cases(rbm, heldout_sample(*held_out, spec.cases, spec.seed), spec.seed)
    timed = heldout_sample(*held_out, CHAINS, spec.seed)
    equal_steps = steps_at_equal_time(rbm, operators, timed)
    total, studied = len(cases) * rbm.positions * len(operators), {}
    for number, (name, operator) in enumerate(operators.items()):
        steps, results = [*spec.steps, equal_steps[name]], []
        for result in study_mixing(rbm, operator, cases, steps):
            results.append(result)
            show((number * len(cases) * rbm.positions + len(results)) / total, name)
        studied[name] = _split(results, equal_steps[name])
    return StudyResult(cases, studied)


def _split(results: Sequence[PositionResult], equal_steps: int) -> OperatorResult:
    """The last number of steps is that of equal time: it is not a point of the curves."""
    curves = [
        result._replace(divergence=result.divergence[:-1], distance=result.distance[:-1])
        for result in results
    ]
    return OperatorResult(curves, equal_steps, [float(result.distance[-1]) for result in results])


def summary_rows(study: StudyResult, steps: Sequence[int]) -> list[dict[str, Any]]:
    """A row of numbers for each operator."""
    return [
        {
            "operator": name,
            **summarise(studied.results, steps),
            "equal_time": {
                "steps": studied.equal_steps,
                "mean": float(np.mean(studied.equal_distance)),
                "worst": max(studied.equal_distance),
            },
        }
        for name, studied in study.operators.items()
    ]


def make_report(study: StudyResult, steps: Sequence[int]) -> Report:
    """The summary as a table: mean over positions, the worst position in brackets."""
    rows = summary_rows(study, steps)
    shown = [t for t in (1, 10, 100) if t in steps] or steps[:3]
    heads = ["operator", "acceptance", *[f"after {t}" for t in shown], "to 0.1", "to 0.01", "gap"]
    heads += ["autocorrelation", "equal time (steps)"]
    table = Table(heads, [_cells(row, shown) for row in rows])
    return Report(table.as_text(), table.as_markdown(), {"operators": rows})


def _cells(row: Mapping[str, Any], shown: Sequence[int]) -> list[str]:
    equal = row["equal_time"]
    return [
        row["operator"],
        f"{row['acceptance']:.3f}",
        *[_pair(row["distance"][str(t)]) for t in shown],
        *[_needed(row[f"steps_to_{target}"]) for target in (0.1, 0.01)],
        f"{row['spectral_gap']:.2g}",
        f"{row['autocorrelation_time']:.0f} steps",
        f"{_pair(equal)} {equal['steps']:,}",
    ]


def _pair(distance: Mapping[str, float]) -> str:
    return f"{distance['mean']:.3f} ({distance['worst']:.3f})"


def _needed(steps: Mapping[str, float | None]) -> str:
    median, most = ("never" if t is None else f"{t:,.0f}" for t in steps.values())
    return f"{median} ({most})"


def write_study(
    out: Path, study: StudyResult, trained: TrainedModel, steps: Sequence[int]
) -> Report:
    """Write the table, every curve as JSON and CSV, and the figures."""
    make_folder(out)
    report, vocabulary = make_report(study, steps), trained.vocabulary
    report.write(out)
    positions = {
        name: position_records(studied.results, study.cases, vocabulary, steps)
        for name, studied in study.operators.items()
    }
    write_text(out / "curves.json", json.dumps(positions, indent=1))
    write_curves(out / "curves.csv", positions)
    for name, studied in study.operators.items():
        plot_mixing(out, name, studied.results, study.cases, vocabulary, steps)
    if len(study.operators) > 1:
        for suffix in FORMATS:
            save_figure(out / f"operators.{suffix}", lambda: comparison_figure(study, steps))
    return report


def comparison_figure(study: StudyResult, steps: Sequence[int]) -> "Figure":
    """Total variation of every operator: the mean over all positions, and the worst position."""
    figure = new_figure((10, 4))
    panels = figure.subplots(1, 2, sharey=True)
    for name, studied in study.operators.items():
        distance = np.array([result.distance for result in studied.results])
        panels[0].plot(steps, distance.mean(axis=0), label=name)
        panels[1].plot(steps, distance.max(axis=0), label=name)
    finish_panel(panels[0], "Total variation, mean")
    finish_panel(panels[1], "Total variation, worst position")
    for axes in panels:
        axes.set_xlabel("steps")
    return figure
