"""A whole training run of a topic model: counts in, model folder out, with scores and checkpoints.

Scores are of held-out documents: the exact perplexity of their second half given the first
(`likelihood/document_completion.py`). They are written to `metrics.jsonl` before the checkpoint of
the same update, so a resumed run ends in the bytes of one that was never stopped.
"""

import hashlib
import json
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np

from wordrbm.errors import InvalidInput, Stopped
from wordrbm.io import checkpoint
from wordrbm.io.checkpoint import remove_checkpoints
from wordrbm.io.document_file import (
    REPORT,
    DocumentRunIdentity,
    StoredTopics,
    check_same_documents,
    counts_digest,
    latest_document_checkpoint,
    read_topics,
    save_document_checkpoint,
    write_topics,
)
from wordrbm.io.model_folder import (
    METRICS,
    MODEL,
    VOCABULARY,
    append_metrics,
    truncate_metrics,
)
from wordrbm.io.tensors import read_metadata
from wordrbm.likelihood.document_completion import (
    completion_perplexity,
    frequency_perplexity,
    split_halves,
)
from wordrbm.run.evaluation import is_score_due
from wordrbm.run.run_folder import run_folder
from wordrbm.shapes import Array
from wordrbm.storage import write_text
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import StopCheck, never_stop
from wordrbm.training.document_trainer import (
    DocumentSettings,
    DocumentTrainer,
    document_lengths,
    word_frequencies,
)

FILES = {VOCABULARY, METRICS, MODEL, REPORT, checkpoint.FOLDER}
MAX_SCORED = 200  # held-out documents of a score
MAX_PRODUCTS = 200_000_000  # of a score: documents times topics times words
OnStage = Callable[[str], None]  # called with the name of a stage that takes a while


class DocumentReport(NamedTuple):
    """An update that was made: its number, seconds so far, and scores if they were due."""

    step: int
    seconds: float
    scores: dict[str, float] | None


class HeldOut(NamedTuple):
    """The number of documents to train on, and of those held out, as rows of the counts."""

    train: Array
    heldout: Array


def split_documents(counts: Any, share: float, seed: int) -> HeldOut:
    """Documents with words, a share of them held out at random; empty ones are left out."""
    rows = np.flatnonzero(document_lengths(counts) > 0)
    order = np.random.default_rng((seed, rows.size)).permutation(rows)
    count = round(share * rows.size)
    if rows.size - count < 1:
        raise InvalidInput(
            f"{rows.size} documents have words of the vocabulary, and {count} would be held out; "
            "give more documents with such words."
        )
    return HeldOut(np.sort(order[count:]), np.sort(order[:count]))


@final
@dataclass(frozen=True, eq=False)
class DocumentRun:
    """One run: counts of training and held-out documents, where it writes, and how."""

    counts: Any
    heldout: Any  # None, or counts of documents that are scored
    out: Path
    identity: DocumentRunIdentity
    vectors: Array | None = None  # that the words begin with
    threads: int = 1
    checkpoint_seconds: float = 300.0
    evaluations: int = 10

    @classmethod
    def build(
        cls,
        counts: Any,
        vocabulary: Vocabulary,
        settings: DocumentSettings,
        out: Path,
        *,
        counting: dict[str, bool],
        heldout: float = 0.0,
        vectors: Array | None = None,
        **options: Any,
    ) -> "DocumentRun":
        """A run on documents, a share of them held out; words begin with `vectors` if given."""
        rows = split_documents(counts, heldout, settings.seed)
        train, scored = counts[rows.train], counts[rows.heldout]
        digest = None if vectors is None else hashlib.sha256(vectors.tobytes()).hexdigest()
        identity = DocumentRunIdentity(settings, vocabulary, counts_digest(train), counting, digest)
        return cls(train, scored if rows.heldout.size else None, out, identity, vectors, **options)

    def run(
        self,
        *,
        resume: bool = False,
        stop: StopCheck = never_stop,
        on_stage: OnStage = lambda stage: None,
    ) -> Generator[DocumentReport, None, None]:
        """Train to the end and write the model; yields a report after every update.

        When `stop` returns true a checkpoint is saved and the run ends with `Stopped`. A resumed
        run that was finished before yields nothing.
        """
        with run_folder(self.out, resume=resume, files=FILES):
            if self._is_finished():
                return
            on_stage("initial parameters")
            fresh = DocumentTrainer.start(self.counts, self.identity.settings, self.vectors)
            first = latest_document_checkpoint(self.out, fresh, self.identity) or fresh
            self.identity.vocabulary.write(self.out / VOCABULARY)
            truncate_metrics(self.out / METRICS, first.step)
            on_stage("compiling, once")
            yield from self._train(first, stop)

    def _train(
        self, first: DocumentTrainer, stop: StopCheck
    ) -> Generator[DocumentReport, None, None]:
        trainer, began = first, time.monotonic()
        saved = began
        for trainer in first.train(self.counts, threads=self.threads):
            scores = self._score(trainer)
            yield DocumentReport(trainer.step, time.monotonic() - began, scores)
            if stop() and trainer.step < self.identity.settings.updates:  # at the end, just end
                save_document_checkpoint(self.out, trainer, self.identity)
                raise Stopped(f"Stopped; the checkpoint is in {self.out}, go on with --resume.")
            if time.monotonic() - saved > self.checkpoint_seconds:
                save_document_checkpoint(self.out, trainer, self.identity)
                saved = time.monotonic()
        model = StoredTopics(trainer.model(), word_frequencies(self.counts), self.identity)
        write_topics(self.out, model)
        remove_checkpoints(self.out)

    def write_report(self, report: dict[str, Any]) -> None:
        """Write what was read and measured beside the model."""
        write_text(self.out / REPORT, json.dumps(report, indent=1, allow_nan=False) + "\n")

    def _is_finished(self) -> bool:
        """Whether the run has written its model; then its checkpoints are removed."""
        if not (self.out / MODEL).exists():
            return False
        check_same_documents(self.out / MODEL, read_metadata(self.out / MODEL), self.identity)
        read_topics(self.out)  # a finished run is one whose model can be used
        remove_checkpoints(self.out)
        return True

    def _score(self, trainer: DocumentTrainer) -> dict[str, float] | None:
        """The scores that are due after an update, written down."""
        updates, step = self.identity.settings.updates, trainer.step
        if self._halves is None or not is_score_due(step, updates, self.evaluations):
            return None
        first, second = self._halves
        scores = {
            "completion_perplexity": completion_perplexity(trainer.model(), first, second),
            "frequency_perplexity": frequency_perplexity(word_frequencies(self.counts), second),
        }
        append_metrics(self.out / METRICS, {"step": step, **scores})
        return scores

    @cached_property
    def _halves(self) -> tuple[Any, Any] | None:
        """Held-out documents in halves, as many as a score has time for."""
        if self.heldout is None or not (document_lengths(self.heldout) >= 2).any():
            return None
        size = self.counts.shape[1] * self.identity.settings.hidden
        count = min(MAX_SCORED, max(10, MAX_PRODUCTS // size))
        long_enough = np.flatnonzero(document_lengths(self.heldout) >= 2)
        return split_halves(self.heldout[long_enough[:count]])
