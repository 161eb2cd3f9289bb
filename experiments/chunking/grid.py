"""The grid of table 1: every feature set with every scale and penalty, chosen on the dev set.

The chosen tagger of each row is refitted to train and dev and tested once. A row that is chosen
differently after its grid was widened is tested again; the table says how often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, final

from experiments.cache import UNREADABLE, Record, ResultCache, ResultKey
from wordrbm.tagging.conll import Splits
from wordrbm.tagging.evaluation import Evaluation, SpanCounts
from wordrbm.tagging.features import FeatureConfig
from wordrbm.tagging.model_selection import (
    DevResult,
    FitData,
    Grid,
    GridPoint,
    TaggerFit,
    best_on_dev,
    fit_and_evaluate,
    step_reporter,
    usual_steps,
)
from wordrbm.tagging.tagger_file import save_tagger, saved_digest, training_digest
from wordrbm.threads import ProgressCallback, SharedProgress, StopCheck, one_blas_thread

DEV, TEST, CRFSUITE = "dev", "test", "crfsuite"
RESULTS, TAGGERS = "results", "taggers"


class TestedRow(NamedTuple):
    """A row of the table: what was chosen on the dev set, and its scores."""

    name: str
    best: DevResult
    test: TaggerFit
    folder: Path  # of its tagger
    times_tested: int  # more than once where a grid was widened


@final
@dataclass(frozen=True, eq=False)
class Experiment:
    """Features by row, the grid of each, sentences, and the folder of results and taggers."""

    rows: Mapping[str, FeatureConfig]  # all with or all without spelling attributes
    grid: Grid
    splits: Splits
    out: Path
    workers: int

    @cached_property
    def cache(self) -> ResultCache:
        """The results on disk."""
        return ResultCache(self.out / RESULTS)

    @cached_property
    def digests(self) -> dict[str, str]:
        """Of each row, the SHA-256 of its sentences, vectors, models and settings."""
        return {row: training_digest(self.splits, config) for row, config in self.rows.items()}

    def key(self, row: str, point: GridPoint, stage: str) -> ResultKey:
        """The key of a row's tagger with the hyperparameters of a grid point."""
        name = f"{row} s{point.scale:g} h{point.hidden_scale:g} c{point.c2:g} {stage}"
        return ResultKey.of(name, row=row, point=point, stage=stage, data=self.digests[row])

    def tagger_folder(self, row: str, point: GridPoint) -> Path:
        """The folder of a row's final tagger."""
        return self.out / TAGGERS / self.key(row, point, TEST).stem

    def result(self, row: str, point: GridPoint, stage: str) -> TaggerFit | None:
        """A result on disk, or None."""
        key = self.key(row, point, stage)
        record = self.cache.load(key)
        try:
            return None if record is None else _from_record(record)
        except UNREADABLE:
            raise self.cache.damaged(key) from None

    def is_done(self, row: str, point: GridPoint, stage: str) -> bool:
        """Whether a result, and after the test its tagger, is on disk."""
        done = self.result(row, point, stage) is not None
        if stage != TEST:
            return done
        return done and saved_digest(self.tagger_folder(row, point)) == self.digests[row]


def score_on_dev(
    experiment: Experiment, show: ProgressCallback, stop: StopCheck
) -> dict[str, list[DevResult]]:
    """Score all grid points of every row on the dev set; nothing is tested."""
    progress = SharedProgress(_missing_steps(experiment), show, stop)
    with one_blas_thread():
        results = _dev_results(experiment, progress)
    show(1.0, "done")
    return results


def select_and_test(
    experiment: Experiment, show: ProgressCallback, stop: StopCheck
) -> list[TestedRow]:
    """Choose a grid point for every row on the dev set, then refit and test each once."""
    steps = _missing_steps(experiment) + sum(map(usual_steps, experiment.rows.values()))
    progress = SharedProgress(steps, show, stop)
    with one_blas_thread():
        best = {row: best_on_dev(dev) for row, dev in _dev_results(experiment, progress).items()}
        _fit_missing(experiment, [(row, dev.point) for row, dev in best.items()], TEST, progress)
    show(1.0, "done")
    return [_tested_row(experiment, row, dev) for row, dev in best.items()]


def _dev_results(experiment: Experiment, progress: SharedProgress) -> dict[str, list[DevResult]]:
    _fit_missing(experiment, _all_points(experiment), DEV, progress)
    results: dict[str, list[DevResult]] = {row: [] for row in experiment.rows}
    for row, point in _all_points(experiment):
        results[row].append(DevResult(point, _required(experiment, row, point, DEV)))
    return results


def _all_points(experiment: Experiment) -> list[tuple[str, GridPoint]]:
    rows = experiment.rows.items()
    return [(row, point) for row, config in rows for point in experiment.grid.points(config)]


def _missing_steps(experiment: Experiment) -> int:
    missing = [row for row, point in _all_points(experiment)
               if not experiment.is_done(row, point, DEV)]  # fmt: skip
    return sum(usual_steps(experiment.rows[row]) for row in missing)


def _fit_missing(
    experiment: Experiment, points: Sequence[tuple[str, GridPoint]], stage: str,
    progress: SharedProgress,
) -> None:  # fmt: skip
    """Fit the taggers that are not on disk; sentences are encoded once for all."""
    missing = [choice for choice in points if not experiment.is_done(*choice, stage)]
    if missing:
        spelling = any(config.spelling for config in experiment.rows.values())
        build = FitData.for_test if stage == TEST else FitData.for_dev
        data = build(experiment.splits, spelling=spelling)
        jobs = {
            experiment.key(row, point, stage): partial(
                _fit, experiment, row, point, stage, data, progress
            )
            for row, point in missing
        }
        experiment.cache.compute(jobs, experiment.workers, progress)


def _fit(
    experiment: Experiment, row: str, point: GridPoint, stage: str, data: FitData,
    progress: SharedProgress,
) -> Record:  # fmt: skip
    """Fit and evaluate a tagger; the final one of a row is saved."""
    config = experiment.rows[row]
    on_step = step_reporter(progress, config, experiment.key(row, point, stage).name)
    tagger, result = fit_and_evaluate(point, config, data, on_step)
    if stage == TEST:
        save_tagger(experiment.tagger_folder(row, point), tagger, experiment.digests[row])
    return to_record(row, stage, result)


def _tested_row(experiment: Experiment, row: str, best: DevResult) -> TestedRow:
    test = _required(experiment, row, best.point, TEST)
    folder = experiment.tagger_folder(row, best.point)
    return TestedRow(row, best, test, folder, _times_tested(experiment, row))


def _times_tested(experiment: Experiment, row: str) -> int:
    """How many settings of a row were tested, by all commands that have used this folder."""
    records = experiment.cache.records()
    return sum(record.get("row") == row and record.get("stage") == TEST for record in records)


def _required(experiment: Experiment, row: str, point: GridPoint, stage: str) -> TaggerFit:
    result = experiment.result(row, point, stage)
    assert result is not None
    return result


def to_record(row: str, stage: str, result: TaggerFit) -> Record:
    """A result as the cache holds it."""
    evaluation = result.evaluation
    return {
        "row": row, "stage": stage,
        "overall": evaluation.overall._asdict(), "accuracy": evaluation.accuracy,
        "types": {kind: counts._asdict() for kind, counts in evaluation.types.items()},
        "steps": result.steps, "seconds": result.seconds,
    }  # fmt: skip


def _from_record(record: Record) -> TaggerFit:
    types = {str(kind): _counts(counts) for kind, counts in record["types"].items()}
    evaluation = Evaluation(_counts(record["overall"]), types, float(record["accuracy"]))
    return TaggerFit(evaluation, int(record["steps"]), float(record["seconds"]))


def _counts(record: Mapping[str, Any]) -> SpanCounts:
    gold, predicted, correct = (record[name] for name in SpanCounts._fields)
    if not (isinstance(gold, int) and isinstance(predicted, int) and isinstance(correct, int)):
        raise TypeError
    if not 0 <= correct <= min(gold, predicted):
        raise ValueError
    return SpanCounts(gold, predicted, correct)
