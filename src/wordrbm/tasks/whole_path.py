"""The whole path in two calls: text to corpus, corpus to model."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordrbm.artifacts import TrainedModel, load
from wordrbm.errors import WordRBMError
from wordrbm.tasks.epochs import settings_for
from wordrbm.tasks.training_run import TrainingRun
from wordrbm.text.prepare import prepare as prepare_steps
from wordrbm.text.prepared import Prepared
from wordrbm.text.settings import PrepareSettings


def prepare(
    inputs: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    **settings: Any,
) -> Prepared:
    """Turn text files and folders into a prepared corpus; see `PrepareSettings` for settings."""
    paths = [inputs] if isinstance(inputs, str | Path) else inputs
    try:
        chosen = PrepareSettings(**settings)
    except TypeError as error:
        raise WordRBMError(f"Settings cannot be used: {error}.") from None
    for _ in prepare_steps(list(map(Path, paths)), Path(out), chosen, workers_or_cores(workers)):
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
    """Train a model on a prepared corpus; see `TrainingSettings` for settings, and `epochs`."""
    prepared = corpus if isinstance(corpus, Prepared) else Prepared.open(Path(corpus))
    chosen = settings_for(prepared, settings)
    for _ in TrainingRun(prepared, Path(out), chosen, workers_or_cores(threads)).reports(
        resume=resume
    ):
        pass
    return load(out)


def workers_or_cores(asked: int | None) -> int:
    """The number asked for, else as many as there are processors."""
    if asked is not None and (not isinstance(asked, int) or asked < 1):
        raise WordRBMError(f"{asked!r} workers or threads were asked for; use 1 or more.")
    return asked or cores()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
