"""The whole path in two calls: text to corpus, corpus to model."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wordrbm.processors import workers_or_cores
from wordrbm.tasks.epochs import settings_for
from wordrbm.tasks.training_run import TrainingRun
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare.pipeline import prepare as prepare_steps
from wordrbm.text.prepare.settings import check_settings
from wordrbm.trained_model import TrainedModel, load


def prepare(
    inputs: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    resume: bool = False,
    **settings: Any,
) -> PreparedCorpus:
    """Turn text files and folders into a prepared corpus; see `PrepareSettings` for settings."""
    chosen = check_settings(settings)
    for _ in prepare_steps(inputs, Path(out), chosen, workers_or_cores(workers), resume):
        pass
    return PreparedCorpus.open(Path(out))


def train(
    corpus: PreparedCorpus | str | Path,
    out: str | Path,
    *,
    threads: int | None = None,
    resume: bool = False,
    **settings: Any,
) -> TrainedModel:
    """Train a model on a prepared corpus; see `TrainingSettings` for settings, and `epochs`."""
    prepared = corpus if isinstance(corpus, PreparedCorpus) else PreparedCorpus.open(Path(corpus))
    chosen = settings_for(prepared, settings)
    for _ in TrainingRun(prepared, Path(out).absolute(), chosen, workers_or_cores(threads)).reports(
        resume=resume
    ):
        pass
    return load(out)
