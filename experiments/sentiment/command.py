"""`python -m experiments sentiment`: the options of table 2."""

import json
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from experiments.cache import ResultCache
from experiments.sentiment.config import ModelConfig
from experiments.sentiment.data import ReadOptions, read_data
from experiments.sentiment.features import ngram_features
from experiments.sentiment.rows import Row, report
from experiments.sentiment.run import (
    SentimentExperiment,
    fit_rows,
    score_words,
    train_models,
    train_students,
)
from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress, stop_cleanly
from wordrbm.errors import WordRBMError
from wordrbm.storage import folder_lock, make_folder
from wordrbm.threads import one_blas_thread, worker_count

RESULTS = "results"


def sentiment(
    data: Annotated[
        Path,
        typer.Option(help="Folder of train/CLASS and test/CLASS, or train_CLASS.jsonl.gz."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for models, results and the table.")],
    window: Annotated[str, typer.Option(help="Words in a window; several with commas.")] = "5",
    hidden: opt.HiddenUnits = 250,
    dimension: opt.Dimension = 50,
    min_count: Annotated[
        str, typer.Option(help="Minimum count of a word in the vocabulary; several with commas.")
    ] = "2",
    windows: opt.ClassWindows = 3_000_000,
    pretrain_windows: opt.PretrainWindows = 3_000_000,
    finetune_epochs: opt.FinetuneEpochs = 5,
    finetune_members: opt.FinetuneMembers = 4,
    pretrain_unlabelled: Annotated[
        bool,
        typer.Option(
            "--pretrain-unlabelled",
            help="Add class models pre-trained on documents of the class unsup.",
        ),
    ] = False,
    self_training: Annotated[
        bool,
        typer.Option("--self-training", help="Add self-training on documents of the class unsup."),
    ] = False,
    without_frequent: Annotated[
        int,
        typer.Option(
            min=0,
            help="Add generative class models of documents without punctuation and so many of "
            "their most frequent words; none that are pre-trained on unlabelled ones.",
        ),
    ] = 0,
    seeds: Annotated[str, typer.Option(help="Seeds, with commas.")] = "1",
    groups: Annotated[
        str | None,
        typer.Option(
            help="Files in the data folder, {} for the class, with a line for each training "
            "document; those with equal lines, as reviews of one film, stay in one fold."
        ),
    ] = None,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Classify documents by free energies of class models, with baselines (table 2 of the paper).

    Hyperparameters are chosen by cross-validation and every row is tested once. Without a test set
    a fifth of the documents is held out. Results stay in the output folder: a stopped command
    continues when it is run again. To train a classifier for use, see wordrbm classifier.

    \b
    Example:
      python -m experiments sentiment --data reviews --out out --window 5 --seeds 1,2,3 --jobs 2
    """
    if self_training and not finetune_epochs:
        raise WordRBMError(
            "--self-training needs fine-tuned class models, and --finetune-epochs is 0; use a "
            "larger --finetune-epochs, or leave out --self-training."
        )
    base = ModelConfig(
        hidden=hidden, dimension=dimension, pretrain_windows=pretrain_windows, windows=windows,
        finetune_epochs=finetune_epochs, finetune_members=finetune_members,
    )  # fmt: skip
    configs = _configs(
        base, opt.parse_ints("window", window), opt.parse_ints("min-count", min_count),
        unlabelled=pretrain_unlabelled,
    )  # fmt: skip
    all_seeds = opt.parse_ints("seeds", seeds)
    for config, seed in product(configs.values(), all_seeds):
        config.class_settings(seed)  # refused before anything is read
    options = ReadOptions(field, encoding_errors, out, groups)
    documents = read_data(data, options, unlabelled=pretrain_unlabelled or self_training)
    make_folder(out)
    with folder_lock(out, "an experiment"):
        experiment = SentimentExperiment(
            configs, all_seeds, documents, ResultCache(out / RESULTS), worker_count(jobs),
            self_training, without_frequent,
        )  # fmt: skip
        table = report(_run(experiment, quiet=quiet))
        table.write(out)
    print(json.dumps(table.record) if as_json else table.text)


def _run(experiment: SentimentExperiment, *, quiet: bool) -> list[Row]:
    """Train, which continues after a stop, then fit the rows, which takes minutes."""
    stop = StopSignals()
    with stop_cleanly(stop), progress("training", 1.0, quiet=quiet) as show:
        train_models(experiment, experiment.jobs + experiment.content_jobs, show, stop)
    with stop_cleanly(stop), progress("scoring", 1.0, quiet=quiet) as show:
        score_words(experiment, show, stop)
    with progress("counting", 1.0, quiet=quiet) as show:
        show(0.0, "words and n-grams")
        ngrams = ngram_features(experiment.data, unlabelled=experiment.self_training)
        show(1.0, "words and n-grams")
    if experiment.self_training:
        with stop_cleanly(stop), progress("self-training", 1.0, quiet=quiet) as show:
            train_students(experiment, experiment.jobs, ngrams, show, stop)
    rows = []
    with progress("fitting", 1.0, quiet=quiet) as show, one_blas_thread():
        for row in fit_rows(experiment, ngrams):
            rows.append(row)
            show(min(0.99, len(rows) / (1 + experiment.expected_rows)), row.name)
        show(1.0, "done")
    return rows


def _configs(
    base: ModelConfig, windows: list[int], min_counts: list[int], *, unlabelled: bool
) -> dict[str, ModelConfig]:
    """Configurations by their names in the table."""
    configs = {}
    for n, count in product(windows, min_counts):
        name = f"WRRBM {n}-grams" + (f", min count {count}" if len(min_counts) > 1 else "")
        configs[name] = base._replace(window=n, min_count=count)
    more = {
        f"{name}, pre-trained on unlabelled": config._replace(pretrain_unlabelled=True)
        for name, config in configs.items()
    }
    return configs | more if unlabelled else configs
