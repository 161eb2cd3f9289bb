"""A whole training run: corpus in, model folder out, with scores, checkpoints and resume.

The loop around `training.train`: it scores the model a fixed number of times, saves a checkpoint
every few minutes and when asked to stop, and writes the model when the run is done.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import NoReturn, final

import numpy as np

from wordrbm.io.checkpoint import (
    RunIdentity,
    RunState,
    latest_checkpoint,
    remove_checkpoints,
    save_checkpoint,
)
from wordrbm.io.model_folder import VOCABULARY
from wordrbm.likelihood.heaviest import DistinctWindows
from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.models.cloze import GivenUp
from wordrbm.sampling import PooledMetropolis
from wordrbm.tasks.clock import Clock
from wordrbm.tasks.run_folder import is_finished, run_folder
from wordrbm.tasks.run_notes import Report, is_noted, note, rewind_notes
from wordrbm.tasks.scores import HeldOutScores, free_energy_gap, held_out_scores
from wordrbm.text.corpus import IDS, PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
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
from wordrbm.training.divergence import (
    refuse_lost_joint,
    refuse_lost_parameters,
    refuse_lost_score,
)
from wordrbm.training.spectral import set_spectral_vectors

WEIGHED = 400_000  # windows of the text whose mass is looked at with every score


class Stopped(Exception):  # noqa: N818 - being asked to stop is no error
    """The run was asked to stop; its checkpoint is saved."""


@final
@dataclass(frozen=True, eq=False)
class TrainingRun:
    """One run: what it reads, where it writes, and how."""

    prepared: PreparedCorpus
    out: Path
    settings: TrainingSettings
    threads: int = 1
    checkpoint_seconds: float = 300.0

    def reports(
        self, *, resume: bool = False, stop: Callable[[], bool] = lambda: False
    ) -> Generator[Report, None, None]:
        """Train to the end and write the model; yields a report after every update.

        When `stop` says so, also in the middle of a score, a checkpoint is saved and the run ends
        with `Stopped`. A resumed run that was finished before yields nothing.
        """
        self.prepared.verify()
        self._batches(0, 1)  # refuses a text without one window before anything is written
        with run_folder(self.out, resume=resume):
            if not is_finished(self.out, self.origin):
                yield from self._train(latest_checkpoint(self.out, self.origin), stop)

    @property
    def origin(self) -> RunIdentity:
        """What a checkpoint must agree with."""
        corpus = self.prepared.manifest.files[IDS].sha256
        return RunIdentity(self.settings, self.prepared.vocabulary, corpus)

    def _train(
        self, found: RunState | None, stop: Callable[[], bool]
    ) -> Generator[Report, None, None]:
        begun = found or self._fresh(stop)
        self.prepared.vocabulary.write(self.out / VOCABULARY)
        rewind_notes(self.out, begun.state.step)
        clock = Clock(self.checkpoint_seconds)
        saved = begun
        for saved, progress in self._updates(begun):
            clock.stop()
            read = progress.windows - begun.state.step * self.settings.batch_size
            scores = self._score(saved, stop)
            pace = read / clock.seconds
            report = Report(saved.state.step, progress, clock.seconds, pace, scores)
            note(self.out, report)
            yield report
            if stop() and report.step < self.settings.steps:  # at the end, just end
                self._stop(saved)
            if clock.a_checkpoint_is_due():
                self._save(saved)
            clock.go_on()
        self._finish(averaged(saved.rbm, saved.state))

    def _fresh(self, stop: Callable[[], bool]) -> RunState:
        settings, q = self.settings, self.prepared.vocabulary.probability()
        rng = np.random.default_rng(settings.seed)
        sizes = {"n": settings.window, "H": settings.hidden, "d": settings.dimension}
        rbm = init_wordrep(rng, **sizes, word_probability=q, hidden_bias=settings.hidden_bias)
        if settings.initialization == "spectral":
            windows = len(self.prepared.windows(settings.window, "train"))
            set_spectral_vectors(
                rng, rbm, self._batches, windows, q, on_block=partial(_raise_if_stopped, stop)
            )
        return RunState(rbm, start(rbm, self._batches, settings), 0.0)

    def _updates(self, begun: RunState) -> Iterator[tuple[RunState, Progress]]:
        """Every update to come; before them the one that was stopped in the middle of its score."""
        step = begun.state.step
        if self._is_scored(step) and not is_noted(self.out, step):
            yield begun, progress_at(self.settings, step, begun.acceptance, begun.jump_acceptance)
        for state, progress in self._from(begun.rbm, begun.state):
            yield (
                RunState(begun.rbm, state, progress.acceptance, progress.jump_acceptance),
                progress,
            )

    def _from(
        self, rbm: WordRepRBM, state: TrainingState
    ) -> Iterator[tuple[TrainingState, Progress]]:
        q, settings = self.prepared.vocabulary.probability(), self.settings
        transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
        return train(rbm, transition, self._batches, settings, state, q=q, threads=self.threads)

    @cached_property
    def _distinct(self) -> DistinctWindows:
        """Windows of the text to look for the heaviest among, the same at every score."""
        return DistinctWindows.sample(self.prepared.windows(self.settings.window, "train"), WEIGHED)

    @property
    def _batches(self) -> ShuffledBatches:
        return ShuffledBatches(
            self.prepared.windows(self.settings.window, "train"), self.settings.seed
        )

    def _is_scored(self, step: int) -> bool:
        """Scores come at evenly spread updates, the last one included."""
        times, steps = self.settings.evaluations, self.settings.steps
        return step > 0 and step * times // steps > (step - 1) * times // steps

    def _score(self, saved: RunState, stop: Callable[[], bool]) -> HeldOutScores | None:
        """The scores that are due; a stop gives them up, to be taken first on resuming."""
        if not self._is_scored(saved.state.step):
            return None
        held_out = self.prepared.windows(self.settings.window, "heldout")
        if not len(held_out):
            return None
        sample = held_out.evenly_spaced(self.settings.heldout_windows)
        q = self.prepared.vocabulary.probability()
        gap = free_energy_gap(saved.rbm, sample, saved.state.chains.v)
        try:
            scores = held_out_scores(
                averaged(saved.rbm, saved.state), sample, gap, q, self._distinct,
                threads=self.threads, stop=stop,
            )  # fmt: skip
        except GivenUp:
            self._stop(saved)
        where = saved.state.step, self.settings
        refuse_lost_score(scores.cloze_perplexity, scores.unigram_perplexity, *where)
        refuse_lost_joint(scores.joint_bound, scores.unigram_joint, *where)
        return scores

    def _save(self, saved: RunState) -> None:
        """A lost model is never saved: the checkpoint before it stays the newest."""
        self._refuse_lost(saved.rbm, saved.state.step)
        save_checkpoint(self.out, saved, self.origin)

    def _stop(self, saved: RunState) -> NoReturn:
        self._save(saved)
        raise Stopped

    def _finish(self, rbm: WordRepRBM) -> None:
        self._refuse_lost(rbm, self.settings.steps)
        settings, vocabulary, corpus = self.origin
        save(self.out, TrainedModel(rbm, vocabulary, settings, corpus))
        remove_checkpoints(self.out)

    def _refuse_lost(self, rbm: WordRepRBM, step: int) -> None:
        refuse_lost_parameters(rbm, rbm.parameters(), step, self.settings)


def _raise_if_stopped(stop: Callable[[], bool]) -> None:
    """End a run that has made no update yet: there is nothing to save."""
    if stop():
        raise Stopped
