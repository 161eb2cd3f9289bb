"""A whole training run: corpus in, model folder out, with scores, checkpoints and resume.

The loop around `training.train`: it scores the model a fixed number of times, saves a checkpoint
every few minutes and on a stop, and writes the model when the run is done. Scores are written to
`metrics.jsonl`, the same for two runs with one seed; times, which differ, to `times.jsonl`.
"""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, NoReturn, final

from wordrbm.errors import Stopped
from wordrbm.io.checkpoint import (
    RunIdentity,
    RunState,
    latest_checkpoint,
    remove_checkpoints,
    save_checkpoint,
)
from wordrbm.io.model_folder import (
    METRICS,
    TIMES,
    VOCABULARY,
    append_metrics,
    read_metrics,
    truncate_metrics,
)
from wordrbm.likelihood.heaviest import DistinctWindows
from wordrbm.models import WordRepRBM
from wordrbm.run.evaluation import HeldOutScores, free_energy_gap, held_out_scores
from wordrbm.run.folder import is_finished, run_folder
from wordrbm.sampling import PooledMetropolis
from wordrbm.text.corpus import IDS, PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
from wordrbm.threads import StopCheck, never_stop
from wordrbm.trained_model import TrainedModel, save
from wordrbm.training import (
    Progress,
    TrainingSettings,
    TrainingState,
    averaged,
    progress_at,
    start,
    train,
)
from wordrbm.training.spectral import initial_model
from wordrbm.training.trainer import (
    check_log_likelihood,
    check_perplexity,
    check_weights,
)

INITIALIZING, UPDATING = "initial word vectors", "updates"  # stages of a run
WEIGHED_WINDOWS = 400_000  # windows of the text whose mass is computed with every score


class StepReport(NamedTuple):
    """What the caller may show after an update; scores are there only when they were taken."""

    step: int
    progress: Progress
    seconds: float  # spent on updates since this process began
    windows_per_second: float
    scores: HeldOutScores | None


def metrics_record(report: StepReport) -> dict[str, float]:
    """The numbers of a scored update, the same for two runs with one seed."""
    assert report.scores is not None
    return {
        "step": report.step,
        "windows": report.progress.windows,
        "word_rate": report.progress.rates.word,
        "hidden_rate": report.progress.rates.hidden,
        "acceptance": report.progress.acceptance,
        "jump_acceptance": report.progress.jump_acceptance,
        **report.scores._asdict(),
    }


@final
@dataclass(frozen=True, eq=False)
class TrainingRun:
    """One run: what it reads, where it writes, and how."""

    prepared: PreparedCorpus
    out: Path
    settings: TrainingSettings
    threads: int = 1
    checkpoint_seconds: float = 300.0

    def run(
        self,
        *,
        resume: bool = False,
        stop: StopCheck = never_stop,
        on_stage: Callable[[str], None] = lambda stage: None,
    ) -> Generator[StepReport, None, None]:
        """Train to the end and write the model; yields a report after every update.

        When `stop` returns true, also in the middle of a score, a checkpoint is saved and the run
        ends with `Stopped`. A resumed run that was finished before yields nothing. `on_stage` is
        called once all is checked, with `INITIALIZING` if vectors are counted first, and with
        `UPDATING` before the first update, which may have to compile.
        """
        self.prepared.verify()
        self._batches(0, 1)  # refuses a text without one window before anything is written
        with run_folder(self.out, resume=resume):
            if not is_finished(self.out, self.identity):
                checkpoint = latest_checkpoint(self.out, self.identity)
                yield from self._train(checkpoint, stop, on_stage)

    @property
    def identity(self) -> RunIdentity:
        """What a checkpoint must agree with."""
        corpus = self.prepared.manifest.files[IDS].sha256
        return RunIdentity(self.settings, self.prepared.vocabulary, corpus)

    def _train(
        self, checkpoint: RunState | None, stop: StopCheck, on_stage: Callable[[str], None]
    ) -> Generator[StepReport, None, None]:
        if checkpoint is None and self.settings.initialization == "spectral":
            on_stage(INITIALIZING)
        first = checkpoint or self._initial_state()
        self.prepared.vocabulary.write(self.out / VOCABULARY)
        self._truncate_records(first.state.step)
        on_stage(UPDATING)
        current, seconds = first, 1e-9  # seconds of updates; a speed divides by it
        resumed_at = saved_at = time.monotonic()
        for current, progress in self._updates(first):
            seconds += time.monotonic() - resumed_at
            windows = progress.windows - first.state.step * self.settings.batch_size
            scores = self._score(current, stop)
            step = current.state.step
            report = StepReport(step, progress, seconds, windows / seconds, scores)
            self._record(report)
            yield report
            if stop() and step < self.settings.steps:  # at the end, just end
                self._stop(current)
            if time.monotonic() - saved_at > self.checkpoint_seconds:
                saved_at = time.monotonic()
                self._save(current)
            resumed_at = time.monotonic()
        self._save_model(averaged(current.rbm, current.state))

    def _initial_state(self) -> RunState:
        settings, q = self.settings, self.prepared.vocabulary.probability()
        windows = len(self.prepared.windows(settings.window, "train"))
        rbm = initial_model(settings, self._batches, windows, q)
        return RunState(rbm, start(rbm, self._batches, settings), 0.0)

    def _updates(self, first: RunState) -> Iterator[tuple[RunState, Progress]]:
        """Every update to come; before them one that was stopped in the middle of its score."""
        step = first.state.step
        if self._evaluation_due(step) and not self._is_recorded(step):
            yield first, progress_at(self.settings, step, first.acceptance, first.jump_acceptance)
        for state, progress in self._train_from(first.rbm, first.state):
            yield (
                RunState(first.rbm, state, progress.acceptance, progress.jump_acceptance),
                progress,
            )

    def _train_from(
        self, rbm: WordRepRBM, state: TrainingState
    ) -> Iterator[tuple[TrainingState, Progress]]:
        q, settings = self.prepared.vocabulary.probability(), self.settings
        transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
        return train(rbm, transition, self._batches, settings, state, q=q, threads=self.threads)

    @cached_property
    def _distinct(self) -> DistinctWindows:
        """Windows of the text to find the heaviest among, the same at every score."""
        windows = self.prepared.windows(self.settings.window, "train")
        return DistinctWindows.sample(windows, WEIGHED_WINDOWS)

    @property
    def _batches(self) -> ShuffledBatches:
        return ShuffledBatches(
            self.prepared.windows(self.settings.window, "train"), self.settings.seed
        )

    def _evaluation_due(self, step: int) -> bool:
        """Scores come at evenly spaced updates, the last one included."""
        times, steps = self.settings.evaluations, self.settings.steps
        return step > 0 and step * times // steps > (step - 1) * times // steps

    def _score(self, current: RunState, stop: StopCheck) -> HeldOutScores | None:
        """The scores that are due; a stop abandons them, to be taken first on resuming."""
        if not self._evaluation_due(current.state.step):
            return None
        held_out = self.prepared.windows(self.settings.window, "heldout")
        if not len(held_out):
            return None
        sample = held_out.evenly_spaced(self.settings.heldout_windows)
        q = self.prepared.vocabulary.probability()
        gap = free_energy_gap(current.rbm, sample, current.state.chains.v)
        try:
            scores = held_out_scores(
                averaged(current.rbm, current.state), sample, gap, q, self._distinct,
                threads=self.threads, stop=stop,
            )  # fmt: skip
        except Stopped:
            self._stop(current)
        where = current.state.step, self.settings
        check_perplexity(scores.cloze_perplexity, scores.unigram_perplexity, *where)
        check_log_likelihood(scores.joint_bound, scores.unigram_joint, *where)
        return scores

    def _truncate_records(self, step: int) -> None:
        """Remove the records of later updates, which a resumed run makes again."""
        truncate_metrics(self.out / METRICS, step)
        truncate_metrics(self.out / TIMES, step)

    def _is_recorded(self, step: int) -> bool:
        return any(record["step"] == step for record in read_metrics(self.out / METRICS))

    def _record(self, report: StepReport) -> None:
        """Append the scores of an update, if there are any, and its times."""
        if report.scores is None:
            return
        times = {
            "step": report.step,
            "seconds": round(report.seconds, 3),
            "windows_per_second": round(report.windows_per_second, 1),
        }
        append_metrics(self.out / TIMES, times)
        append_metrics(self.out / METRICS, metrics_record(report))

    def _save(self, current: RunState) -> None:
        """Save a checkpoint; a diverged model never is: the one before it stays the latest."""
        self._check_parameters(current.rbm, current.state.step)
        save_checkpoint(self.out, current, self.identity)

    def _stop(self, current: RunState) -> NoReturn:
        self._save(current)
        raise Stopped(f"Stopped; the checkpoint is in {self.out}, go on with --resume.")

    def _save_model(self, rbm: WordRepRBM) -> None:
        self._check_parameters(rbm, self.settings.steps)
        settings, vocabulary, corpus = self.identity
        save(self.out, TrainedModel(rbm, vocabulary, settings, corpus))
        remove_checkpoints(self.out)

    def _check_parameters(self, rbm: WordRepRBM, step: int) -> None:
        check_weights(rbm, rbm.parameters(), step, self.settings)
