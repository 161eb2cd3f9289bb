"""`python -m experiments mixing`: the options of the comparison of operators."""

import json
from pathlib import Path
from typing import Annotated

import typer

from experiments.mixing.study import StudySpec, run_study, write_study
from wordrbm.analysis.plots import check_matplotlib
from wordrbm.cli import options as opt
from wordrbm.cli.mixing import STEPS
from wordrbm.cli.progress import progress
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load


def mixing(
    model: opt.ModelFolder,
    prepared: opt.CorpusFolder,
    out: Annotated[Path, typer.Option(help="Folder for the table, the curves and the figures.")],
    operators: Annotated[
        str,
        typer.Option(
            help="Some of unigram, power, uniform, paper, clusters, fine, with commas; the others "
            "are also compared at the time of the first."
        ),
    ] = "unigram,clusters",
    cases: Annotated[int, typer.Option(min=1, max=1000, help="Random held-out windows.")] = 6,
    steps: Annotated[
        str, typer.Option(help="Numbers of steps, with commas.", show_default="30 up to 10000")
    ] = STEPS,
    seed: Annotated[int, typer.Option(min=0, help="Fixes the windows and hidden states.")] = 1,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Compare how fast operators reach P(v | h), also at equal time (figure 2 of the paper).

    All distances are exact; the time of a step is measured on this machine.

    \b
    Example:
      python -m experiments mixing model corpus --out mixing --operators paper,unigram,clusters
    """
    check_matplotlib()
    names = list(dict.fromkeys(name.strip() for name in operators.split(",") if name.strip()))
    numbers = sorted(opt.parse_ints("steps", steps, minimum=1, maximum=999_999_999))
    trained, corpus = load(model), PreparedCorpus.open(prepared)
    corpus.verify()
    with progress("mixing", 1.0, quiet=quiet) as show:
        study = run_study(trained, corpus, StudySpec(names, cases, numbers, seed), show)
    report = write_study(out, study, trained, numbers)
    print(json.dumps(report.record) if as_json else report.text)
