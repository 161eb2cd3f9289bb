"""The whole path in two calls: text to corpus, corpus to model."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordrbm.artifacts import TrainedModel, load
from wordrbm.tasks.training_run import TrainingRun
from wordrbm.text.prepare import prepare as prepare_steps
from wordrbm.text.prepared import Prepared
from wordrbm.text.settings import PrepareSettings
from wordrbm.training import check_settings


def prepare(
    inputs: Sequence[str | Path], out: str | Path, *, workers: int | None = None, **settings: Any
) -> Prepared:
    """Turn text files and folders into a prepared corpus; see `PrepareSettings` for settings."""
    paths = [Path(path) for path in inputs]
    for _ in prepare_steps(paths, Path(out), PrepareSettings(**settings), workers or cores()):
        pass
    return Prepared.open(Path(out))


def train(
    corpus: Prepared | str | Path,
    out: str | Path,
    *,
    threads: int | None = None,
    resume: bool = False,
    **settings: Any,
) -> TrainedModel:
    """Train a model on a prepared corpus; see `TrainingSettings` for settings."""
    prepared = corpus if isinstance(corpus, Prepared) else Prepared.open(Path(corpus))
    run = TrainingRun(prepared, Path(out), check_settings(settings), threads or cores())
    for _ in run.reports(resume=resume):
        pass
    return load(out)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
