"""A whole training run: corpus in, model folder out, with scores, checkpoints and resume.

The loop around `training.train`: it scores the model a fixed number of times, saves a checkpoint
every few minutes and on a stop, and writes the model when the run is done. Scores are written to
`metrics.jsonl`, the same for two runs with one seed; times, which differ, to `times.jsonl`. A
killed process leaves a complete checkpoint and temporary files, from which a resumed run goes on.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, NoReturn, final

from wordrbm.errors import Stopped, WordRBMError
from wordrbm.io import checkpoint
from wordrbm.io.checkpoint import RunIdentity, RunState, remove_checkpoints
from wordrbm.io.model_file import StoredModel, write_model
from wordrbm.io.model_folder import (
    LIKELIHOOD,
    METRICS,
    MODEL,
    TIMES,
    VOCABULARY,
    append_metrics,
    read_metrics,
    truncate_metrics,
)
from wordrbm.io.tensors import read_metadata
from wordrbm.kernels import is_compiled
from wordrbm.kernels.update import run_leader
from wordrbm.run.evaluation import HeldOutEvaluation, HeldOutScores
from wordrbm.sampling import PooledMetropolis
from wordrbm.storage import folder_lock, is_temporary, make_folder, remove_temporaries
from wordrbm.text.corpus import IDS, PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
from wordrbm.threads import StopCheck, never_stop
from wordrbm.trained_model import load
from wordrbm.training import Progress, TrainingSettings, averaged, progress_at, start, train
from wordrbm.training.spectral import initial_model
from wordrbm.training.trainer import check_weights

RUN_FILES = {VOCABULARY, METRICS, TIMES, MODEL, LIKELIHOOD, checkpoint.FOLDER}

OnStage = Callable[[str], None]  # called with the name of a stage that takes a while


class StepReport(NamedTuple):
    """What the caller may show after an update; scores are there only when they were taken."""

    step: int
    progress: Progress
    seconds: float  # spent on updates since this process began
    windows_per_second: float
    scores: HeldOutScores | None

    def metrics(self) -> dict[str, float]:
        """The numbers of a scored update, the same for two runs with one seed."""
        assert self.scores is not None
        return {
            "step": self.step,
            "windows": self.progress.windows,
            "word_rate": self.progress.rates.word,
            "hidden_rate": self.progress.rates.hidden,
            "acceptance": self.progress.acceptance,
            "jump_acceptance": self.progress.jump_acceptance,
            **self.scores._asdict(),
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
        on_stage: OnStage = lambda stage: None,
    ) -> Generator[StepReport, None, None]:
        """Train to the end and write the model; yields a report after every update.

        When `stop` returns true, also in the middle of a score, a checkpoint is saved and the run
        ends with `Stopped`. A resumed run that was finished before yields nothing. `on_stage` is
        called, once all is checked, before what takes a while: the first vectors, a compilation.
        """
        self.prepared.verify()
        self._batches(0, 1)  # refuses a text without one window before anything is written
        with run_folder(self.out, resume=resume):
            if not is_finished(self.out, self.identity):
                yield from self._train(stop, on_stage)

    @property
    def identity(self) -> RunIdentity:
        """What a checkpoint must agree with."""
        corpus = self.prepared.manifest.files[IDS].sha256
        return RunIdentity(self.settings, self.prepared.vocabulary, corpus)

    def _train(self, stop: StopCheck, on_stage: OnStage) -> Generator[StepReport, None, None]:
        first = checkpoint.latest_checkpoint(self.out, self.identity)
        if first is None:
            if self.settings.initialization == "spectral":
                on_stage("initial parameters")
            first = self._initial_state()
        self.prepared.vocabulary.write(self.out / VOCABULARY)
        for file in (METRICS, TIMES):  # a resumed run makes later records again
            truncate_metrics(self.out / file, first.state.step)
        if not is_compiled(run_leader):
            on_stage("compiling, once")
        current, seconds = first, 1e-9  # seconds of updates; a speed divides by it
        resumed_at = saved_at = time.monotonic()
        for current, progress in self._updates(first):
            seconds += time.monotonic() - resumed_at
            windows = progress.windows - first.state.step * self.settings.batch_size
            scores, step = self._score(current, stop), current.state.step
            report = StepReport(step, progress, seconds, windows / seconds, scores)
            self._record(report)
            yield report
            if stop() and step < self.settings.steps:  # at the end, just end
                self._stop(current)
            if time.monotonic() - saved_at > self.checkpoint_seconds:
                saved_at = time.monotonic()
                self._save(current)
            resumed_at = time.monotonic()
        self._save_model(current)

    def _initial_state(self) -> RunState:
        settings, q = self.settings, self.prepared.vocabulary.probability()
        windows = len(self.prepared.windows(settings.window, "train"))
        rbm = initial_model(settings, self._batches, windows, q)
        return RunState(rbm, start(rbm, self._batches, settings), 0.0)

    def _updates(self, first: RunState) -> Iterator[tuple[RunState, Progress]]:
        """Every update to come; before them one that was stopped in the middle of its score."""
        settings, step = self.settings, first.state.step
        recorded = [record["step"] for record in read_metrics(self.out / METRICS)]
        if self._evaluation.is_due(step) and step not in recorded:
            yield first, progress_at(settings, step, first.acceptance, first.jump_acceptance)
        q = self.prepared.vocabulary.probability()
        transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
        for state, done in train(
            first.rbm, transition, self._batches, settings, first.state, q=q, threads=self.threads
        ):
            yield RunState(first.rbm, state, done.acceptance, done.jump_acceptance), done

    @cached_property
    def _evaluation(self) -> HeldOutEvaluation:
        return HeldOutEvaluation(self.prepared, self.settings, self.threads)

    @property
    def _batches(self) -> ShuffledBatches:
        windows = self.prepared.windows(self.settings.window, "train")
        return ShuffledBatches(windows, self.settings.seed)

    def _score(self, current: RunState, stop: StopCheck) -> HeldOutScores | None:
        """The scores that are due; a stop abandons them, to be taken first on resuming."""
        if not self._evaluation.is_due(current.state.step):
            return None
        try:
            return self._evaluation.score(current.rbm, current.state, stop)
        except Stopped:
            self._stop(current)

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
        append_metrics(self.out / METRICS, report.metrics())

    def _save(self, current: RunState) -> None:
        """Save a checkpoint; a diverged model never is: the one before it stays the latest."""
        check_weights(current.rbm, current.rbm.parameters(), current.state.step, self.settings)
        checkpoint.save_checkpoint(self.out, current, self.identity)

    def _stop(self, current: RunState) -> NoReturn:
        self._save(current)
        raise Stopped(f"Stopped; the checkpoint is in {self.out}, go on with --resume.")

    def _save_model(self, current: RunState) -> None:
        rbm = averaged(current.rbm, current.state)
        check_weights(rbm, rbm.parameters(), self.settings.steps, self.settings)
        settings, vocabulary, corpus = self.identity
        write_model(self.out, StoredModel(rbm, vocabulary, settings, corpus))
        remove_checkpoints(self.out)


@contextmanager
def run_folder(out: Path, *, resume: bool) -> Iterator[None]:
    """Create and lock the folder of a run; removes temporary files of a killed process."""
    check_run_folder(out, resume=resume)
    make_folder(out)
    with folder_lock(out, "a training run"):
        check_run_folder(out, resume=resume)  # another run may have ended in the meantime
        remove_temporaries(out)
        remove_temporaries(out / checkpoint.FOLDER)
        yield


def is_finished(out: Path, identity: RunIdentity) -> bool:
    """Whether the run has written its model; then its checkpoints are removed."""
    if not (out / MODEL).exists():
        return False
    checkpoint.check_same_run(out / MODEL, read_metadata(out / MODEL), identity)
    if not (out / VOCABULARY).exists():
        identity.vocabulary.write(out / VOCABULARY)
    load(out)  # a finished run is one whose model can be used
    remove_checkpoints(out)
    return True


def check_run_folder(out: Path, *, resume: bool) -> None:
    """Refuse a folder that is neither new nor the folder of a run and nothing else."""
    if out.exists() and not out.is_dir():
        raise WordRBMError(f"{out} is a file; name a folder to train into.")
    names = (
        {path.name for path in out.iterdir() if not is_temporary(path)} if out.exists() else set()
    )
    if MODEL in names and not resume:
        raise WordRBMError(f"{out} already holds a trained model; train into another folder.")
    if names and not resume:
        raise WordRBMError(
            f"{out} is not empty; give --resume to go on with the run in it, or another folder."
        )
    if others := names - RUN_FILES:
        raise WordRBMError(
            f"{out} holds {min(others)}, which no training run wrote; give the folder of the run "
            "to go on with, or a new one."
        )
