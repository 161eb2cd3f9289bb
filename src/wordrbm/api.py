"""The whole path in two calls: text to corpus, corpus to model."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wordrbm.run.training_run import TrainingRun
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import check_prepare_settings
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.threads import worker_count
from wordrbm.trained_model import TrainedModel, load
from wordrbm.training.settings import resolve_settings


def prepare(
    inputs: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    workers: int | None = None,
    resume: bool = False,
    **settings: Any,
) -> PreparedCorpus:
    """Turn text files and folders into a prepared corpus; see `PrepareSettings` for settings."""
    chosen = check_prepare_settings(settings)
    for _ in prepare_corpus(inputs, Path(out), chosen, worker_count(workers), resume):
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
    chosen = resolve_settings(settings, lambda n: len(prepared.windows(n, "train")))
    run = TrainingRun(prepared, Path(out).absolute(), chosen, worker_count(threads))
    for _ in run.run(resume=resume):
        pass
    return load(out)
