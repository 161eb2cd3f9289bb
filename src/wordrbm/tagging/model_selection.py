"""Model selection for taggers: penalty and scales by F1 on the development set, then one test.

Every grid point is fitted to the training sentences and scored on the development sentences; the
best one is refitted to both and, if there are test sentences, tested once.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from wordrbm.tagging.conll import Sentence, Splits
from wordrbm.tagging.evaluation import Evaluation, evaluate_tagger
from wordrbm.tagging.features import EncodedSentences, FeatureConfig
from wordrbm.tagging.tagger import Tagger, train_tagger
from wordrbm.threads import ProgressCallback, SharedProgress, StopCheck, one_blas_thread, run_all

USUAL_STEPS = 150  # L-BFGS iterations or fine-tuning chunks of a fit, for progress displays


class GridPoint(NamedTuple):
    """Hyperparameters of a tagger; a scale that its features do not use is zero."""

    scale: float
    hidden_scale: float
    c2: float


class TaggerFit(NamedTuple):
    """The evaluation of a fitted tagger, optimizer steps, and seconds of fitting and tagging."""

    evaluation: Evaluation
    steps: int
    seconds: float

    def record(self) -> dict[str, Any]:
        """All scores, for JSON."""
        return {**self.evaluation.record(), "steps": self.steps, "seconds": self.seconds}


class DevResult(NamedTuple):
    """A grid point and its scores on the development set."""

    point: GridPoint
    result: TaggerFit

    @property
    def f1(self) -> float:
        """F1 on the development set."""
        return self.result.evaluation.overall.f1


class Selection(NamedTuple):
    """The refitted tagger, the grid point of it, all points tried, and its test scores, if any."""

    tagger: Tagger
    best: DevResult
    dev: list[DevResult]
    test: TaggerFit | None


class Grid(NamedTuple):
    """Values to try: standard deviations of vectors, factors on hidden means, L2 penalties c2."""

    scales: Sequence[float] = (0.1,)
    hidden_scales: Sequence[float] = (1.0,)
    penalties: Sequence[float] = (0.05, 0.1, 0.2, 0.4)

    def points(self, features: FeatureConfig) -> list[GridPoint]:
        """All combinations; a scale that the features do not use is not varied."""
        members = features.components
        scales = self.scales if any(x.vectors is not None for x in members) else (0.0,)
        hidden = self.hidden_scales if any(x.model is not None for x in members) else (0.0,)
        return [GridPoint(s, h, c2) for s in scales for h in hidden for c2 in self.penalties]


class FitData(NamedTuple):
    """Sentences to fit taggers to, also encoded, and sentences to evaluate them on."""

    encoded: EncodedSentences
    held_out: Sequence[Sentence]

    @classmethod
    def for_dev(cls, splits: Splits, *, spelling: bool) -> "FitData":
        """Fit to the training sentences, evaluate on the development sentences."""
        return cls(EncodedSentences.build(splits.train, spelling=spelling), splits.dev)

    @classmethod
    def for_test(cls, splits: Splits, *, spelling: bool) -> "FitData":
        """Fit to training and development sentences, evaluate on the test sentences."""
        return cls(EncodedSentences.build(splits.train_and_dev, spelling=spelling), splits.test)


def fit_and_evaluate(
    point: GridPoint, features: FeatureConfig, data: FitData, on_step: Callable[[int], None]
) -> tuple[Tagger, TaggerFit]:
    """Fit the tagger of a grid point and evaluate it on the held-out sentences."""
    start, steps = time.monotonic(), 0

    def callback(step: int, value: float) -> None:
        nonlocal steps
        steps = step
        on_step(step)

    scaled = features.with_scales(point.scale, point.hidden_scale)
    tagger = train_tagger(data.encoded, scaled, point.c2, callback)
    evaluation = evaluate_tagger(tagger, data.held_out)
    return tagger, TaggerFit(evaluation, steps, time.monotonic() - start)


def best_on_dev(results: Sequence[DevResult]) -> DevResult:
    """The result with the highest F1 on the development set; of equal ones the first."""
    return max(results, key=lambda result: result.f1)


def usual_steps(features: FeatureConfig) -> int:
    """The number of steps that a fit usually takes, over all members of an ensemble."""
    return USUAL_STEPS * len(features.components)


def step_reporter(
    progress: SharedProgress, features: FeatureConfig, note: str
) -> Callable[[int], None]:
    """A callback of one fit; steps beyond the usual number do not advance the display."""
    expected = usual_steps(features)
    return lambda step: progress.report(float(step <= expected), f"{note}, step {step}")


def select_and_test(
    features: FeatureConfig, grid: Grid, splits: Splits, workers: int, show: ProgressCallback,
    stop: StopCheck,
) -> Selection:  # fmt: skip
    """Choose a grid point on the development set, refit it to train and dev, and test it once."""
    points = grid.points(features)
    progress = SharedProgress(usual_steps(features) * (len(points) + 1), show, stop)
    data = FitData.for_dev(splits, spelling=features.spelling)
    results: dict[GridPoint, TaggerFit] = {}

    def fit(point: GridPoint) -> None:
        on_step = step_reporter(progress, features, describe_point(point))
        results[point] = fit_and_evaluate(point, features, data, on_step)[1]

    with one_blas_thread():
        run_all([partial(fit, point) for point in points], workers, progress)
        dev = [DevResult(point, results[point]) for point in points]
        best = best_on_dev(dev)
        final_data = FitData.for_test(splits, spelling=features.spelling)
        on_step = step_reporter(progress, features, "final tagger")
        tagger, result = fit_and_evaluate(best.point, features, final_data, on_step)
    show(1.0, "done")
    return Selection(tagger, best, dev, result if splits.test else None)


def describe_point(point: GridPoint) -> str:
    """The hyperparameters that a grid point uses, as `c2 0.2, scale 0.1`."""
    scales = {"scale": point.scale, "hidden scale": point.hidden_scale}
    return f"c2 {point.c2:g}" + "".join(f", {k} {x:g}" for k, x in scales.items() if x)
