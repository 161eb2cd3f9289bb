"""A whole training run: corpus in, model folder out, with scores, checkpoints and resume.

The loop around `training.train`: it scores the model a fixed number of times, saves a checkpoint
every few minutes and on a stop, and writes the model when the run is done. Scores are written to
`metrics.jsonl`, the same for two runs with one seed; times, which differ, to `times.jsonl`. A
killed process leaves a complete checkpoint and temporary files, from which a resumed run goes on.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import NoReturn, final

from wordrbm.errors import Stopped
from wordrbm.io import checkpoint
from wordrbm.io.checkpoint import RunIdentity, RunState, remove_checkpoints
from wordrbm.io.model_file import StoredModel, write_model
from wordrbm.io.model_folder import (
    METRICS,
    TIMES,
    VOCABULARY,
    append_metrics,
    read_metrics,
    truncate_metrics,
)
from wordrbm.kernels import is_compiled
from wordrbm.kernels.update import run_updates
from wordrbm.models import WordRepRBM
from wordrbm.run.evaluation import HeldOutEvaluation, HeldOutScores, StepReport, is_score_due
from wordrbm.run.ranks import Ranks, SingleProcess
from wordrbm.run.run_folder import is_finished, run_folder
from wordrbm.sampling import PooledMetropolis
from wordrbm.text.corpus import IDS, PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
from wordrbm.threads import StopCheck, never_stop
from wordrbm.training import (
    Progress,
    TrainingSettings,
    TrainingState,
    averaged,
    progress_at,
    start,
    train,
)
from wordrbm.training.batches import Batches
from wordrbm.training.exchange import Requests
from wordrbm.training.spectral import initial_model
from wordrbm.training.trainer import check_weights

OnStage = Callable[[str], None]  # called with the name of a stage that takes a while


@final
@dataclass(frozen=True, eq=False)
class TrainingRun:
    """One run: what it reads, where it writes, and how."""

    prepared: PreparedCorpus
    out: Path
    settings: TrainingSettings
    threads: int = 1
    checkpoint_seconds: float = 300.0
    ranks: Ranks = field(default_factory=SingleProcess)

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
        self.ranks.on_all(self._check_corpus)
        self.ranks.check_same(self.identity.facts())
        with ExitStack() as stack:
            folder = run_folder(self.out, resume=resume)
            self.ranks.on_first(lambda: stack.enter_context(folder))
            first = self._first_state(on_stage)
            if first is not None:
                yield from self._train(first, stop, on_stage)

    def _check_corpus(self) -> None:
        self.prepared.verify()
        self._batches(0, 1)  # refuses a text without one window before anything is written

    @property
    def identity(self) -> RunIdentity:
        """What a checkpoint must agree with."""
        corpus = self.prepared.manifest.files[IDS].sha256
        return RunIdentity(self.settings, self.prepared.vocabulary, corpus, self.ranks.periodic)

    def _first_state(self, on_stage: OnStage) -> RunState | None:
        """The state to begin with, the same on all ranks; None if the run is finished."""
        state = self.ranks.on_first(lambda: self._read_state(on_stage))
        arrays = checkpoint.state_tensors(state) if state else {}
        message = checkpoint.state_metadata(state) if state else {}
        arrays, message = self.ranks.broadcast(arrays, message)
        if not message:
            return None
        if state is None:
            state = checkpoint.state_from_tensors(self.out, arrays, message, self.identity)
        own = self.ranks.divide_chains(state.state, partial(self._start, state.rbm))
        rbm, own = self.ranks.place(state.rbm, own)
        return state._replace(rbm=rbm, state=own)

    def _read_state(self, on_stage: OnStage) -> RunState | None:
        if is_finished(self.out, self.identity):
            return None
        first = checkpoint.latest_checkpoint(self.out, self.identity)
        if first is None:
            if self.settings.initialization == "spectral":
                on_stage("initial parameters")
            first = self._initial_state()
        self.prepared.vocabulary.write(self.out / VOCABULARY)
        for file in (METRICS, TIMES):  # a resumed run makes later records again
            truncate_metrics(self.out / file, first.state.step)
        return first

    def _train(
        self, first: RunState, stop: StopCheck, on_stage: OnStage
    ) -> Generator[StepReport, None, None]:
        if not is_compiled(run_updates):
            on_stage("compiling, once")
        current, seconds = first, 1e-9  # seconds of updates; a speed divides by it
        resumed_at = saved_at = time.monotonic()
        for current, progress in self._updates(first):
            seconds += time.monotonic() - resumed_at
            progress = progress._replace(windows=progress.windows * self._readers)
            windows = progress.windows - first.state.step * self._local.batch_size * self._readers
            scores, step = self._score(current, stop), current.state.step
            report = StepReport(step, progress, seconds, windows / seconds, scores)
            self._record(report)
            yield report
            is_due = time.monotonic() - saved_at > self.checkpoint_seconds
            agreed = self.ranks.agree(Requests(stop(), is_due), step)
            if agreed.stop and step < self._local.steps:  # at the end, just end
                self._stop(current)
            if agreed.save:
                saved_at = time.monotonic()
                self._save(current)
            resumed_at = time.monotonic()
        complete = self._complete(current)
        self.ranks.on_first(lambda: self._save_model(complete))

    def _initial_state(self) -> RunState:
        settings, q = self.settings, self.prepared.vocabulary.probability()
        windows = len(self.prepared.windows(settings.window, "train"))
        rbm = initial_model(settings, self._batches, windows, q)
        return RunState(rbm, self._start(rbm), 0.0)

    def _start(self, rbm: WordRepRBM) -> TrainingState:
        return start(rbm, self._batches, self._local)

    def _updates(self, first: RunState) -> Iterator[tuple[RunState, Progress]]:
        """Every update to come; before them one that was stopped in the middle of its score."""
        settings, step = self._local, first.state.step
        if is_score_due(step, settings.steps, settings.evaluations) and not self._is_recorded(step):
            yield first, progress_at(settings, step, first.acceptance, first.jump_acceptance)
        q = self.prepared.vocabulary.probability()
        transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
        for state, done in train(
            first.rbm, transition, self._batches, settings, first.state, q=q, threads=self.threads,
            exchange=self.ranks.exchange,
        ):  # fmt: skip
            yield RunState(first.rbm, state, done.acceptance, done.jump_acceptance), done

    def _is_recorded(self, step: int) -> bool:
        """Whether the scores of an update were written, by the folder of the first rank."""
        records = read_metrics(self.out / METRICS) if self.ranks.is_first else []
        is_recorded = any(record["step"] == step for record in records)
        return bool(self.ranks.broadcast({}, {"recorded": is_recorded})[1]["recorded"])

    @cached_property
    def _evaluation(self) -> HeldOutEvaluation:
        return HeldOutEvaluation(self.prepared, self._local, self.threads)

    @cached_property
    def _local(self) -> TrainingSettings:
        """The settings of the updates that this process makes."""
        return self.ranks.divide(self.settings)

    @property
    def _readers(self) -> int:
        """How many processes read batches of their own."""
        return (self.ranks.periodic or {}).get("world_size", 1)

    @property
    def _batches(self) -> Batches:
        windows = self.prepared.windows(self.settings.window, "train")
        batches = ShuffledBatches(windows, self.settings.seed)
        return self.ranks.select(batches, self._local.batch_size)

    def _score(self, current: RunState, stop: StopCheck) -> HeldOutScores | None:
        """The scores that are due; a stop abandons them, to be taken first on resuming."""
        if not is_score_due(current.state.step, self._local.steps, self._local.evaluations):
            return None
        rbm, state = self._complete(current)[:2]
        try:
            return self.ranks.on_first(lambda: self._evaluation.score(rbm, state, stop))
        except Stopped:
            self._stop(current)

    def _complete(self, current: RunState) -> RunState:
        return current._replace(state=self.ranks.complete(current.state, self.settings))

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
        complete = self._complete(current)
        self.ranks.on_first(lambda: self._save_complete(complete))

    def _save_complete(self, current: RunState) -> None:
        check_weights(current.rbm, current.rbm.parameters(), current.state.step, self.settings)
        checkpoint.save_checkpoint(self.out, current, self.identity)

    def _stop(self, current: RunState) -> NoReturn:
        self._save(current)
        raise Stopped(f"Stopped; the checkpoint is in {self.out}, go on with --resume.")

    def _save_model(self, current: RunState) -> None:
        rbm = averaged(current.rbm, current.state)
        check_weights(rbm, rbm.parameters(), current.state.step, self.settings)
        identity = self.identity
        stored = StoredModel(rbm, identity.vocabulary, identity.settings, identity.corpus)
        write_model(self.out, stored, identity.extra_metadata)
        remove_checkpoints(self.out)
