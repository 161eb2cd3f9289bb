"""`wordrbm tagger`: train a tagger on column data, and label new sentences with it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress

if TYPE_CHECKING:
    from wordrbm.tagging.conll import Splits
    from wordrbm.tagging.evaluation import SpanCounts
    from wordrbm.tagging.features import FeatureConfig
    from wordrbm.tagging.model_selection import Selection

REPORT = "selection.json"

app = typer.Typer(
    help="Taggers of column data (CoNLL): chunks, names, parts of speech.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("train")
def select_tagger(
    data: Annotated[
        Path, typer.Option(help="Training file in columns, or a folder with train.txt.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the tagger.")],
    model: Annotated[
        list[Path] | None,
        typer.Option(help="Trained model; several make an ensemble.", show_default="words alone"),
    ] = None,
    vectors_only: Annotated[
        bool, typer.Option("--vectors-only", help="Use the model's vectors, not its hidden units.")
    ] = False,
    finetune: Annotated[
        bool,
        typer.Option(
            "--finetune/--no-finetune", help="Fine-tune hidden units with the tagger, or fix them."
        ),
    ] = True,
    spelling: opt.Spelling = False,
    iobes: opt.Iobes = False,
    dev: Annotated[
        Path | None,
        typer.Option(
            help="Development file, for model selection.",
            show_default="DATA/dev.txt, or a part of the training sentences",
        ),
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="Test file.", show_default="DATA/test.txt if present")
    ] = None,
    penalties: opt.Penalties = "0.05,0.1,0.2,0.4",
    scales: opt.Scales = "0.1",
    hidden_scales: opt.HiddenScales = "1",
    seed: opt.SentenceSeed = 0,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Train a tagger on sentences in columns, one token a line.

    The first column holds words, the last one labels. Penalty and scales are chosen by F1 on the
    development sentences; the tagger is then refitted to all of them and, where there is a test
    file, tested once.

    \b
    Example:
      wordrbm tagger train --data conll2000 --model model --out tagger
      wordrbm tagger train --data train.txt --test test.txt --model model --spelling --out names
    """
    from wordrbm.storage import check_output_folder, make_folder, write_text
    from wordrbm.tagging.conll import read_splits
    from wordrbm.tagging.label_scheme import check_iob2
    from wordrbm.tagging.model_selection import Grid, select_and_test
    from wordrbm.tagging.tagger_file import FILE, save_tagger, training_digest
    from wordrbm.threads import worker_count

    grid = Grid(
        opt.parse_floats("scales", scales),
        opt.parse_floats("hidden-scales", hidden_scales),
        opt.parse_floats("penalties", penalties),
    )
    workers = worker_count(jobs)
    check_output_folder(out, FILE, "tagger")
    splits = read_splits(data, dev, test)
    if iobes:
        check_iob2(sentence.labels for sentence in splits.train_and_dev)
    features = _features(
        model or [], vectors_only=vectors_only, finetune=finetune, spelling=spelling, seed=seed
    )._replace(iobes=iobes)
    make_folder(out)
    stop = StopSignals("Stopped; no tagger was written.")
    with progress("tagger", 1.0, quiet=quiet) as show:
        selection = select_and_test(features, grid, splits, workers, show, stop)
    save_tagger(out, selection.tagger, training_digest(splits, features))
    record = _record(selection, splits, out)
    write_text(out / REPORT, json.dumps(record, indent=1))
    opt.print_result(record, _summary(selection, out), as_json=as_json)


def _features(
    models: list[Path], *, vectors_only: bool, finetune: bool, spelling: bool, seed: int
) -> "FeatureConfig":
    """Features of one model, or of an ensemble of several; without a model, words alone."""
    from wordrbm.tagging.features import FeatureConfig, FinetuneSettings, vector_std
    from wordrbm.trained_model import load

    members = []
    for path in models:
        trained = load(path)
        vector_std(trained.raw_vectors)  # refused before anything is computed
        member = FeatureConfig(trained.raw_vectors)
        if not vectors_only:
            settings = FinetuneSettings(seed=seed) if finetune else None
            member = member._replace(model=trained, finetune=settings)
        members.append(member)
    single = members[0] if len(members) == 1 else FeatureConfig(ensemble=tuple(members))
    return single._replace(spelling=spelling)


def _record(selection: "Selection", splits: "Splits", out: Path) -> dict[str, Any]:
    """Everything that was measured, for JSON."""
    return {
        "tagger": str(out),
        "sentences": {name: len(split) for name, split in splits._asdict().items()},
        "chosen": selection.best.point._asdict(),
        "dev_f1": selection.best.f1,
        "test": selection.test.record() if selection.test else None,
        "grid": [
            {**dev.point._asdict(), "dev": dev.result.record()} for dev in selection.dev
        ],
    }  # fmt: skip


def _summary(selection: "Selection", out: Path) -> Iterator[str]:
    from wordrbm.tagging.model_selection import describe_point

    for dev in selection.dev:
        yield f"dev F1 {100 * dev.f1:.2f}  {describe_point(dev.point)}"
    yield f"chosen: {describe_point(selection.best.point)}"
    if selection.test:
        yield f"test {_scores(selection.test.evaluation.overall)}"
    yield f"tagger: {out}; next: wordrbm tagger predict {out} FILE"


@app.command("predict")
def predict_labels(
    tagger: Annotated[Path, typer.Argument(help="A folder written by `wordrbm tagger train`.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Sentences in columns, without labels; - is standard input.", show_default="-"
        ),
    ] = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="The last column holds labels; print the F1 too.")
    ] = False,
    as_json: opt.JsonLines = False,
) -> None:
    """Print every token with its columns and the predicted label.

    The file has the columns that the tagger was trained on, one token a line, a blank line after a
    sentence. With --labelled the predictions are compared with the last column, and the F1 is
    printed to standard error; with --json it is the last object.

    \b
    Example:
      wordrbm tagger predict tagger new.txt > labelled.txt
      printf 'He PRP\\nruns VBZ\\n' | wordrbm tagger predict tagger --json
    """
    from wordrbm.tagging.conll import read_conll, read_conll_stream
    from wordrbm.tagging.evaluation import evaluate_spans
    from wordrbm.tagging.tagger_file import load_tagger
    from wordrbm.text.reader import standard_input

    loaded = load_tagger(tagger)
    columns = loaded.attributes.columns
    reason = f"the tagger reads {columns}, one token a line, " + (
        "and with --labelled the labels are one more"
        if labelled
        else "give --labelled if the last one holds labels"
    )
    if file is None or str(file) == "-":
        sentences = read_conll_stream(standard_input(), columns + labelled, reason)
    else:
        sentences = read_conll(file, columns + labelled, reason)
    unlabelled = [sentence.columns[:columns] for sentence in sentences]
    predicted = loaded.tag(unlabelled)
    for sentence, labels in zip(unlabelled, predicted, strict=True):
        if as_json:
            print(json.dumps({"words": sentence[0], "labels": labels}))
        else:
            print("".join(" ".join(token) + "\n" for token in zip(*sentence, labels, strict=True)))
    if labelled:
        gold = (sentence.labels for sentence in sentences)
        counts = evaluate_spans(zip(gold, predicted, strict=True)).overall
        if as_json:
            print(json.dumps(counts.record()))
        else:
            typer.echo(_scores(counts), err=True)


def _scores(counts: "SpanCounts") -> str:
    return (
        f"F1 {100 * counts.f1:.2f}, precision {100 * counts.precision:.2f}, "
        f"recall {100 * counts.recall:.2f} of {counts.gold} chunks"
    )
