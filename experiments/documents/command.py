"""`python -m experiments documents`: topic models of 20 Newsgroups and of Reuters news."""

import json
from pathlib import Path
from typing import Annotated

import typer

from experiments.cache import ResultCache
from experiments.documents.counts import Newsgroups, read_newsgroups
from experiments.documents.lda import LdaSpec
from experiments.documents.newsgroups import LDA, run_newsgroups
from experiments.tables import Report
from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress, stop_cleanly
from wordrbm.storage import folder_lock, make_folder
from wordrbm.threads import SharedProgress, one_blas_thread
from wordrbm.training.document_trainer import DocumentSettings

RESULTS = "results"
PARTICLES = 128  # of the estimate of log Z

documents = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Topic models of whole documents."
)
Out = Annotated[Path, typer.Option(help="Folder for results and the table.")]
Seeds = Annotated[int, typer.Option(min=1, help="Runs of the replicated softmax.")]
Updates = Annotated[int, typer.Option(min=1, help="Updates of a run.")]
Rate = Annotated[float, typer.Option(help="Learning rate.")]
WeightLimit = Annotated[float, typer.Option(help="Limit of the weights of a word.")]
Lda = Annotated[bool, typer.Option(help="Train LDA by three packages too.")]


@documents.command("20news")
def newsgroups(
    data: Annotated[Path, typer.Argument(help="Folder of 20 Newsgroups with nvdm/ inside.")],
    out: Out,
    seeds: Seeds = 3,
    updates: Updates = 8000,
    rate: Rate = 0.02,
    weight_limit: WeightLimit = 5.0,
    lda: Lda = True,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Perplexity, document completion, retrieval and coherence; 50 topics, 2,000 words.

    \b
    Example:
      python -m experiments documents 20news data/20news --out results
    """
    settings = DocumentSettings(updates=updates, rate=rate, weight_limit=weight_limit)
    sets = read_newsgroups(data)
    make_folder(out)
    with folder_lock(out, "an experiment"), one_blas_thread():
        report = _run(sets, out, seeds, settings, LDA if lda else [], quiet=quiet)
        report.write(out)
    print(json.dumps(report.record) if as_json else report.text)


def _run(
    sets: Newsgroups, out: Path, seeds: int, settings: DocumentSettings, lda: list[LdaSpec], *,
    quiet: bool,
) -> Report:  # fmt: skip
    stop = StopSignals("Stopped; finished results are kept, the same command continues.")
    with stop_cleanly(stop), progress("documents", 1.0, quiet=quiet) as show:
        shared = SharedProgress(1.0, show, stop)
        cache = ResultCache(out / RESULTS)
        report = run_newsgroups(sets, cache, seeds, settings, lda, PARTICLES, shared)
        show(1.0, "done")
    return report
