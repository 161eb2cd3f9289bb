"""`python -m experiments chunking`: the options of table 1."""

import json
from pathlib import Path
from typing import Annotated

import typer

from experiments.chunking.crfsuite import crfsuite_results, require_crfsuite
from experiments.chunking.grid import Experiment, score_on_dev, select_and_test
from experiments.chunking.report import dev_report, final_report
from experiments.chunking.rows import (
    ENSEMBLE,
    FINETUNED,
    HIDDEN,
    USUAL,
    VECTORS,
    WORDS,
    feature_rows,
    parse_features,
)
from experiments.tables import Report
from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress, stop_cleanly
from wordrbm.errors import WordRBMError
from wordrbm.storage import folder_lock, make_folder
from wordrbm.tagging.conll import Splits, read_splits
from wordrbm.tagging.label_scheme import check_iob2
from wordrbm.tagging.model_selection import Grid
from wordrbm.threads import worker_count

PENALTIES = "0.0001,0.049,0.087,0.2,0.35,0.7,1.2,2.4,3.2"


def chunking(
    data: Annotated[Path, typer.Option(help="Folder with train.txt and test.txt, CoNLL columns.")],
    out: Annotated[Path, typer.Option(help="Folder for results, taggers and the table.")],
    model: Annotated[
        list[Path] | None, typer.Option(help="Trained model; may be given several times.")
    ] = None,
    vectors: Annotated[
        list[Path] | None, typer.Option(help="word2vec text file; may be given several times.")
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            help="Rows: words alone, with vectors, with hidden units, with fine-tuned hidden "
            "units; or ensemble: the fine-tuned taggers of all models, averaged."
        ),
    ] = USUAL,
    spelling: opt.Spelling = False,
    iobes: opt.Iobes = False,
    scales: opt.Scales = "0.1",
    hidden_scales: opt.HiddenScales = "1",
    penalties: opt.Penalties = PENALTIES,
    dev: Annotated[
        Path | None,
        typer.Option(
            help="Development sentences.", show_default="DATA/dev.txt, or a part of train.txt"
        ),
    ] = None,
    dev_only: Annotated[
        bool, typer.Option("--dev-only", help="Print every grid point on dev, and test nothing.")
    ] = False,
    crfsuite: Annotated[
        bool, typer.Option("--crfsuite", help="Fit the rows by CRFsuite too; slow.")
    ] = False,
    seed: opt.SentenceSeed = 0,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Compare taggers with and without word representations (table 1 of the paper).

    Hyperparameters are chosen on the development set and every row is tested once. Results stay
    in the output folder: a stopped command continues when it is run again. --iobes is for
    fine-tuned rows; the others have the labels of the data.

    \b
    Example:
      python -m experiments chunking --data conll2000 --out out --model model --penalties 0.3,1,2
      python -m experiments chunking --data conll2000 --out out --model a --model b --dev-only
    """
    grid = Grid(
        opt.parse_floats("scales", scales),
        opt.parse_floats("hidden-scales", hidden_scales),
        opt.parse_floats("penalties", penalties),
    )
    names = parse_features(features)
    if crfsuite:
        _check_crfsuite(names, dev_only=dev_only)
    splits = _read(data, dev)
    if iobes:
        check_iob2(sentence.labels for sentence in splits.train_and_dev)
    rows = feature_rows(
        model or [], vectors or [], names, seed=seed, spelling=spelling, iobes=iobes
    )
    make_folder(out)
    with folder_lock(out, "an experiment"):
        experiment = Experiment(rows, grid, splits, out, worker_count(jobs))
        run = _dev if dev_only else _test
        report = run(experiment, crfsuite=crfsuite, quiet=quiet)
    print(json.dumps(report.record) if as_json else report.text)


def _check_crfsuite(features: list[str], *, dev_only: bool) -> None:
    if dev_only:
        raise WordRBMError("--crfsuite checks tested rows, and --dev-only tests none; give one.")
    if set(features) <= {FINETUNED, ENSEMBLE}:
        raise WordRBMError(
            f"--crfsuite fits {WORDS}, {VECTORS} and {HIDDEN}, and --features has none of them; "
            "give one, or leave out --crfsuite."
        )
    require_crfsuite()


def _read(data: Path, dev: Path | None) -> Splits:
    splits = read_splits(data, dev)
    if not splits.test:
        raise WordRBMError(f"{data} holds no test.txt; give a folder with train.txt and test.txt.")
    return splits


def _test(experiment: Experiment, *, crfsuite: bool, quiet: bool) -> Report:
    """Select, refit and test every row; write the table."""
    stop = StopSignals()
    with stop_cleanly(stop), progress("taggers", 1.0, quiet=quiet) as show:
        rows = select_and_test(experiment, show, stop)
    with progress("CRFsuite", 1.0, quiet=quiet or not crfsuite) as show:
        checked = crfsuite_results(rows, experiment, show) if crfsuite else {}
    report = final_report(rows, experiment, checked)
    report.write(experiment.out)
    return report


def _dev(experiment: Experiment, *, crfsuite: bool, quiet: bool) -> Report:
    """Score every grid point on the dev set; nothing is written beside the results."""
    stop = StopSignals()
    with stop_cleanly(stop), progress("taggers", 1.0, quiet=quiet) as show:
        return dev_report(score_on_dev(experiment, show, stop))
