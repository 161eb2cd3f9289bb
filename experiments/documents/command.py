"""`python -m experiments documents`: topic models of 20 Newsgroups and of Reuters news."""

import json
from pathlib import Path
from typing import Annotated

import typer

from experiments.cache import ResultCache
from experiments.documents.counts import read_newsgroups
from experiments.documents.lda import LdaSpec
from experiments.documents.runs import Splits, Study, describe, run_study
from experiments.documents.stories import read_stories
from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress, stop_cleanly
from wordrbm.errors import WordRBMError
from wordrbm.storage import folder_lock, make_folder
from wordrbm.threads import SharedProgress, one_blas_thread
from wordrbm.training.document_trainer import DocumentSettings

RESULTS = "results"
# Candidates of each package; validation documents choose.
NEWSGROUPS_LDA = [
    *(LdaSpec("tomotopy", 50, 5.0, eta, 400) for eta in (0.01, 0.1, 0.3)),
    *(LdaSpec("gensim", 50, 0.0, eta, 6) for eta in (0.02, 0.3)),
    *(LdaSpec("scikit-learn", 50, alpha, eta, 10) for alpha, eta in ((1.0, 0.02), (5.0, 0.3))),
]
REUTERS_LDA = [  # with the eta that 20 Newsgroups' validation documents chose, where they did
    LdaSpec("tomotopy", 50, 5.0, 0.1, 100),
    LdaSpec("gensim", 50, 0.0, 0.3, 1),
    LdaSpec("scikit-learn", 50, 5.0, 0.05, 1),
]

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
    updates: Updates = 10_000,
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
    splits = Splits.of(sets)
    known = {**describe(splits, sets.train.sum(), sets.test.sum()), "agreement": sets.agreement}
    specs = NEWSGROUPS_LDA if lda else []
    _run(Study(splits, known, seeds, settings, specs, 128), out, quiet=quiet, as_json=as_json)


@documents.command("reuters")
def reuters(
    data: Annotated[Path, typer.Argument(help="Folder of *.jsonl.gz with a field `text`.")],
    out: Out,
    words: Annotated[int, typer.Option(min=2, help="K: the most frequent words.")] = 100_000,
    tested: Annotated[int, typer.Option(min=1, help="Test stories, from the last file.")] = 1000,
    seeds: Seeds = 3,
    updates: Updates = 5000,
    rate: Rate = 0.02,
    weight_limit: WeightLimit = 5.0,
    particles: Annotated[
        int, typer.Option(min=0, help="Particles of log Z; 0: document completion alone.")
    ] = 0,
    package: Annotated[
        list[str] | None, typer.Option(help="Train LDA by this package, not by all three.")
    ] = None,
    lda: Lda = True,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Document completion of news with 50 topics and 100,000 words, and the time.

    \b
    Example:
      python -m experiments documents reuters data/reuters_news --package gensim --out results
    """
    settings = DocumentSettings(updates=updates, rate=rate, weight_limit=weight_limit)
    specs = chosen_packages(package) if lda else []
    splits = read_stories(data, words, tested)
    known = describe(splits, splits.all_train.sum(), splits.test.sum())
    _run(Study(splits, known, seeds, settings, specs, particles), out, quiet=quiet, as_json=as_json)


def chosen_packages(names: list[str] | None) -> list[LdaSpec]:
    """LDA of Reuters news by the packages named, or by all."""
    known = [spec.package for spec in REUTERS_LDA]
    if unknown := set(names or []) - set(known):
        raise WordRBMError(f"--package {min(unknown)} is not one of {', '.join(known)}.")
    return [spec for spec in REUTERS_LDA if not names or spec.package in names]


def _run(study: Study, out: Path, *, quiet: bool, as_json: bool) -> None:
    """Run a study, write its table and print it."""
    make_folder(out)
    with folder_lock(out, "an experiment"), one_blas_thread():
        stop = StopSignals()
        with stop_cleanly(stop), progress("documents", 1.0, quiet=quiet) as show:
            shared = SharedProgress(1.0, show, stop)
            report = run_study(study, ResultCache(out / RESULTS), shared)
            show(1.0, "done")
        report.write(out)
    print(json.dumps(report.record) if as_json else report.text)
