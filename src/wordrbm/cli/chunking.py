"""`wordrbm chunking`: vectors and hidden units as features of a tagger, and the paper's table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli.lists import real_numbers
from wordrbm.cli.progress import progress
from wordrbm.cli.stopping import StopSignals, kept_on_stop

if TYPE_CHECKING:
    from wordrbm.tasks.tagging.asked import Asked, Kinds
    from wordrbm.tasks.tagging.results import Results
    from wordrbm.tasks.tagging.task import Task

WORDS, VECTORS, HIDDEN, TUNED, TOGETHER = "words", "vectors", "hidden", "tuned", "together"
USUAL = f"{WORDS},{VECTORS},{HIDDEN},{TUNED}"
ALL = f"{USUAL},{TOGETHER}"
PENALTIES = "0.0001,0.049,0.087,0.2,0.35,0.7,1.2,2.4,3.2"


def chunking(
    data: Annotated[Path, typer.Option(help="A folder of train.txt and test.txt, in columns.")],
    out: Annotated[Path, typer.Option(help="A folder for cells, taggers and the table.")],
    model: Annotated[
        list[Path] | None, typer.Option(help="A trained model; may be given several times.")
    ] = None,
    vectors: Annotated[
        list[Path] | None, typer.Option(help="A word2vec text file; may be given several times.")
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            help="Rows of the table: words alone, vectors too, hidden units too, hidden units "
            "that learn with the tagger; or together: these of all models as one tagger."
        ),
    ] = USUAL,
    scales: Annotated[
        str, typer.Option(help="Standard deviations that vectors are scaled to.")
    ] = "0.1",
    hidden_scales: Annotated[
        str, typer.Option(help="What hidden means are multiplied with.")
    ] = "1",
    penalties: Annotated[str, typer.Option(help="Values of c2, with commas.")] = PENALTIES,
    validation: Annotated[
        Path | None,
        typer.Option(
            help="A file of sentences to choose by.",
            show_default="DATA/dev.txt, or a part of train.txt",
        ),
    ] = None,
    validate_only: Annotated[
        bool,
        typer.Option("--validate-only", help="Print every cell in validation, and test nothing."),
    ] = False,
    confirm: Annotated[
        bool,
        typer.Option(
            "--confirm", help="Fit words, vectors and hidden by CRFsuite itself too; takes long."
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Of the order in which tuned units read sentences.")
    ] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Taggers side by side.", show_default="all cores")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Train taggers without and with word representations, and compare them.

    Any task in columns, chunks, names or parts of speech: the first column are words, the last
    one labels. Everything is chosen by validation; every row is tested once. What is computed is
    kept in the output folder: the same command goes on where it was stopped. For new sentences,
    see wordrbm tag.

    \b
    Example:
      wordrbm chunking --data conll2000 --out out --model model --penalties 0.3,1,2 --jobs 2
      wordrbm chunking --data conll2000 --out out --model a --model b --validate-only
    """
    from wordrbm.errors import WordRBMError
    from wordrbm.processors import workers_or_cores
    from wordrbm.storage import folder_lock, make_folder
    from wordrbm.tasks.tagging.asked import Asked
    from wordrbm.tasks.tagging.crfsuite import imported
    from wordrbm.tasks.tagging.task import read_task

    numbers = [
        real_numbers(name, given)
        for name, given in (
            ("scales", scales), ("hidden-scales", hidden_scales), ("penalties", penalties)
        )
    ]  # fmt: skip
    if confirm and validate_only:
        raise WordRBMError(
            "--confirm is of tested rows, and --validate-only tests none; give one of the two."
        )
    wanted = _wanted(features)
    if confirm and set(wanted) <= {TUNED, TOGETHER}:
        raise WordRBMError(
            f"--confirm is of {WORDS}, {VECTORS} and {HIDDEN}, and --features has none of them; "
            "give one, or leave out --confirm."
        )
    if confirm:
        imported()  # told before anything is computed
    task = read_task(data, validation)
    kinds = _kinds(model or [], vectors or [], wanted, seed)
    deviations, factors, c2s = numbers
    asked = Asked(kinds, deviations, factors, c2s, workers_or_cores(jobs))
    make_folder(out)
    with folder_lock(out, "an experiment"):
        if validate_only:
            found = _validated(asked, task, out, quiet=quiet)
        else:
            found = _run(asked, task, out, confirm=confirm, quiet=quiet)
    print(json.dumps(found.record) if as_json else found.text)


def _run(asked: "Asked", task: "Task", out: Path, *, confirm: bool, quiet: bool) -> "Results":
    """Compute, which can be stopped and gone on with; then write the table."""
    from wordrbm.tasks.tagging.crfsuite import confirmed
    from wordrbm.tasks.tagging.grid import run_grid
    from wordrbm.tasks.tagging.results import write_results

    stop = StopSignals()
    with kept_on_stop(stop), progress("taggers", 1.0, quiet=quiet) as show:
        rows = run_grid(asked, task, out, show, stop)
    with progress("confirming", 1.0, quiet=quiet or not confirm) as show:
        checked = confirmed(rows, asked, task, out, show) if confirm else {}
    return write_results(rows, asked, task, out, checked)


def _validated(asked: "Asked", task: "Task", out: Path, *, quiet: bool) -> "Results":
    """Try every cell by validation."""
    from wordrbm.tasks.tagging.grid import validated
    from wordrbm.tasks.tagging.report import cells_as_records, cells_as_text
    from wordrbm.tasks.tagging.results import Results

    stop = StopSignals()
    with kept_on_stop(stop), progress("taggers", 1.0, quiet=quiet) as show:
        rows = validated(asked, task, out, show, stop)
    return Results({"cells": cells_as_records(rows)}, cells_as_text(rows))


def _wanted(features: str) -> list[str]:
    from wordrbm.errors import WordRBMError

    found = list(dict.fromkeys(part.strip() for part in features.split(",")))
    if not set(found) <= set(ALL.split(",")):
        raise WordRBMError(f"--features is {features!r} where some of {ALL} were expected.")
    return found


def _kinds(models: list[Path], files: list[Path], wanted: list[str], seed: int) -> "Kinds":
    """The representations by the names that they have in the table."""
    from wordrbm.artifacts.imported import read_vectors
    from wordrbm.errors import WordRBMError
    from wordrbm.tasks.tagging.dense import spread
    from wordrbm.tasks.tagging.representation import Representation

    if TOGETHER in wanted and len(models) < 2:
        raise WordRBMError(
            f"{TOGETHER} takes several models and found {len(models)}; give two --model or more, "
            "or other --features."
        )
    if wanted != [WORDS] and not models and not files:
        raise WordRBMError(
            f"No --model and no --vectors were given; give one, or --features {WORDS}."
        )
    names = [path.absolute().name for path in (*models, *files)]
    if len(set(names)) < len(names):
        raise WordRBMError(
            f"Two of {', '.join(names)} have the same name; rename one, names tell rows apart."
        )
    found = {WORDS: Representation()} if WORDS in wanted else {}
    for path in files if VECTORS in wanted else []:
        found[f"{path.name} vectors"] = Representation(read_vectors(path))
    found.update(_of_models(models, wanted, seed))
    if not found:
        raise WordRBMError("Hidden units need a --model; give one, or other --features.")
    for kind in found.values():
        for one in kind.parts:
            if one.vectors is not None:
                spread(one.vectors)  # refused before anything is computed
    return found


def _of_models(models: list[Path], wanted: list[str], seed: int) -> "Kinds":
    from wordrbm.artifacts import load
    from wordrbm.tasks.tagging.representation import Representation
    from wordrbm.tasks.tagging.tuned import Tuning

    found, tuned = {}, {}
    for path in models:
        trained, name = load(path), path.absolute().name
        tuned[name] = Representation(trained.raw_vectors, trained, tuning=Tuning(seed=seed))
        if VECTORS in wanted:
            found[f"{name} vectors"] = Representation(trained.raw_vectors)
        if HIDDEN in wanted:
            found[f"{name} vectors + hidden"] = Representation(trained.raw_vectors, trained)
        if TUNED in wanted:
            found[f"{name} vectors + tuned"] = tuned[name]
    if TOGETHER in wanted:
        found[f"{' and '.join(tuned)} together"] = Representation(members=tuple(tuned.values()))
    return found
