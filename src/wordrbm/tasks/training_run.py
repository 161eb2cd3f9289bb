"""A whole training run: corpus in, model folder out, with scores, checkpoints and resume.

The loop around `training.train`: it scores the model a fixed number of times, saves a checkpoint
every few minutes and when asked to stop, and writes the model when the run is done.
"""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from wordrbm.artifacts.checkpoint import (
    FOLDER,
    Origin,
    newest_checkpoint,
    remove_checkpoints,
    save_checkpoint,
)
from wordrbm.artifacts.metrics import append_metrics, rewind_metrics
from wordrbm.artifacts.modelfile import METRICS, MODEL, VOCABULARY, TrainedModel, save
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.sampling import PooledMetropolis
from wordrbm.storage import make_folder
from wordrbm.tasks.scores import HeldOutScores, held_out_scores, spread
from wordrbm.text.manifest import IDS
from wordrbm.text.prepared import Prepared
from wordrbm.text.windows import batch
from wordrbm.training import Progress, TrainingSettings, TrainingState, start, train
from wordrbm.training.divergence import refuse_lost_parameters, refuse_lost_score


class Report(NamedTuple):
    """What the caller may show after an update; scores are there only when they were taken."""

    progress: Progress
    seconds: float  # spent on updates since this process began
    windows_per_second: float
    scores: HeldOutScores | None


class Stopped(Exception):  # noqa: N818 - being asked to stop is no error
    """The run was asked to stop; its checkpoint is saved."""


@final
@dataclass(frozen=True, eq=False)
class TrainingRun:
    """One run: what it reads, where it writes, and how."""

    prepared: Prepared
    out: Path
    settings: TrainingSettings
    threads: int = 1
    checkpoint_seconds: float = 300.0

    def reports(
        self, *, resume: bool = False, stop: Callable[[], bool] = lambda: False
    ) -> Generator[Report, None, None]:
        """Train to the end and write the model; yields a report after every update."""
        rbm, begun = self._begin(resume=resume)
        seconds, lap, saved = 0.0, time.monotonic(), time.monotonic()
        for state, progress in self._updates(rbm, begun):
            seconds += time.monotonic() - lap
            read = (state.step - begun.step) * self.settings.batch_size
            report = Report(progress, seconds, read / seconds, self._score(rbm, state))
            self._note(state, report)
            yield report
            stopping = stop() and state.step < self.settings.steps  # at the end, just end
            if stopping or time.monotonic() - saved > self.checkpoint_seconds:
                self._refuse_lost(rbm, state.step)
                save_checkpoint(self.out, rbm, state, self.origin)
                saved = time.monotonic()
            if stopping:
                raise Stopped
            lap = time.monotonic()
        self._refuse_lost(rbm, self.settings.steps)
        save(self.out, TrainedModel(rbm, self.prepared.vocabulary, self.settings))
        remove_checkpoints(self.out)

    @property
    def origin(self) -> Origin:
        """What a checkpoint must agree with."""
        corpus = self.prepared.manifest.files[IDS].sha256
        return Origin(self.settings, self.prepared.vocabulary, corpus)

    def _begin(self, *, resume: bool) -> tuple[WordRepRBM, TrainingState]:
        """A fresh start, or the newest checkpoint that can be read."""
        _refuse_other_folder(self.out, resume=resume)
        self.prepared.verify()
        found = newest_checkpoint(self.out, self.origin)
        rbm, state = found or self._fresh()
        make_folder(self.out)
        self.prepared.vocabulary.write(self.out / VOCABULARY)
        rewind_metrics(self.out / METRICS, state.step)
        return rbm, state

    def _fresh(self) -> tuple[WordRepRBM, TrainingState]:
        settings = self.settings
        rbm = init_wordrep(
            np.random.default_rng(settings.seed),
            n=settings.window,
            H=settings.hidden,
            d=settings.dimension,
            word_probability=self.prepared.vocabulary.probability(),
        )
        return rbm, start(rbm, self._batches, settings)

    def _updates(
        self, rbm: WordRepRBM, state: TrainingState
    ) -> Iterator[tuple[TrainingState, Progress]]:
        q = self.prepared.vocabulary.probability()
        transition = PooledMetropolis.from_probability(q, steps=self.settings.mh_steps)
        return train(
            rbm, transition, self._batches, self.settings, state, q=q, threads=self.threads
        )

    @property
    def _batches(self) -> Callable[[int, int], np.ndarray]:
        windows = self.prepared.windows(self.settings.window, "train")
        return partial(batch, windows, self.settings.seed)

    def _score(self, rbm: WordRepRBM, state: TrainingState) -> HeldOutScores | None:
        """Scores at evenly spread updates, the last one included."""
        times, steps = self.settings.evaluations, self.settings.steps
        if state.step * times // steps == (state.step - 1) * times // steps:
            return None
        held_out = self.prepared.windows(self.settings.window, "heldout")
        if not len(held_out):
            return None
        sample = spread(held_out, self.settings.heldout_windows)
        q = self.prepared.vocabulary.probability()
        scores = held_out_scores(rbm, sample, state.chains.v, q, threads=self.threads)
        perplexities = scores.cloze_perplexity, scores.unigram_perplexity
        refuse_lost_score(*perplexities, state.step, self.settings)
        return scores

    def _refuse_lost(self, rbm: WordRepRBM, step: int) -> None:
        """A lost model is never saved: the checkpoint before it stays the newest."""
        refuse_lost_parameters(rbm, rbm.parameters(), step, self.settings)

    def _note(self, state: TrainingState, report: Report) -> None:
        """Append what was scored to the run's metrics."""
        if report.scores is not None:
            record = {
                "step": state.step,
                "windows": report.progress.windows,
                "word_rate": report.progress.rates.word,
                "hidden_rate": report.progress.rates.hidden,
                "acceptance": report.progress.acceptance,
                **report.scores._asdict(),
                "seconds": round(report.seconds, 3),
                "windows_per_second": round(report.windows_per_second, 1),
            }
            append_metrics(self.out / METRICS, record)


def _refuse_other_folder(out: Path, *, resume: bool) -> None:
    """Write only into a new folder, or into one that holds a run and nothing else."""
    if out.exists() and not out.is_dir():
        raise WordRBMError(f"{out} is a file; name a folder to train into.")
    if (out / MODEL).exists():
        raise WordRBMError(f"{out} already holds a trained model; train into another folder.")
    found = {path.name for path in out.iterdir()} if out.exists() else set()
    if found and not resume:
        raise WordRBMError(
            f"{out} is not empty; give --resume to go on with the run in it, or another folder."
        )
    if found - {VOCABULARY, METRICS, FOLDER}:
        name = min(found - {VOCABULARY, METRICS, FOLDER})
        raise WordRBMError(
            f"{out} holds {name}, which no training run wrote; give the folder of the run to go on "
            "with, or a new one."
        )
