"""`wordrbm sentiment`: class models on documents with classes, and the table of the paper."""

import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli.lists import whole_numbers
from wordrbm.cli.progress import progress
from wordrbm.cli.stopping import StopSignals, kept_on_stop

if TYPE_CHECKING:
    from wordrbm.tasks.sentiment.data import Data
    from wordrbm.tasks.sentiment.experiment import Asked
    from wordrbm.tasks.sentiment.rows import Row
    from wordrbm.tasks.sentiment.variant import Variant


def sentiment(
    data: Annotated[
        Path,
        typer.Option(help="A folder of train/CLASS and test/CLASS, or train_CLASS.jsonl.gz."),
    ],
    out: Annotated[Path, typer.Option(help="A folder for models, table and classifier.")],
    window: Annotated[str, typer.Option(help="Words in a window; several with commas.")] = "5",
    hidden: Annotated[int, typer.Option(help="Hidden units.")] = 250,
    dimension: Annotated[int, typer.Option(help="Numbers in a word vector.")] = 50,
    min_count: Annotated[
        str, typer.Option(help="Fewest times that a word is seen; several with commas.")
    ] = "2",
    windows: Annotated[
        int, typer.Option(min=1, help="Windows that the model of each class reads.")
    ] = 3_000_000,
    background: Annotated[
        int, typer.Option(min=0, help="Windows that their common start reads; 0 is no start.")
    ] = 3_000_000,
    apart: Annotated[
        int,
        typer.Option(
            min=0, max=1000, help="Passes in which the classes are then told apart; 0 is none."
        ),
    ] = 5,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="Also start from documents of the class unsup.")
    ] = False,
    guess: Annotated[
        bool,
        typer.Option(
            "--guess", help="Also learn from documents of the class unsup, their classes guessed."
        ),
    ] = False,
    seeds: Annotated[str, typer.Option(help="Seeds, with commas.")] = "1",
    groups: Annotated[
        str | None,
        typer.Option(
            help="Files in the data folder, {} for the class, with a line for each training "
            "document; those with equal lines are tried together, as reviews of one film."
        ),
    ] = None,
    field: Annotated[str, typer.Option(help="The field of JSON lines with the text.")] = "text",
    encoding_errors: Annotated[
        str, typer.Option(help="Bytes that are no UTF-8: strict refuses, replace replaces them.")
    ] = "strict",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Trainings side by side.", show_default="all cores")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Train a model for each class and say how well energies tell the classes apart.

    Any number of classes, any documents: a folder for each class. Without a part for testing, a
    fifth is set aside. What was trained is kept in the output folder: the same command goes on
    where it was stopped. For new texts, see wordrbm classifier.

    \b
    Example:
      wordrbm sentiment --data reviews --out out --window 5 --seeds 1,2,3 --jobs 2
    """
    from wordrbm.errors import WordRBMError
    from wordrbm.processors import workers_or_cores
    from wordrbm.storage import folder_lock, make_folder
    from wordrbm.tasks.sentiment.data import Reading, read_data
    from wordrbm.tasks.sentiment.experiment import Asked
    from wordrbm.tasks.sentiment.report import as_records, as_text
    from wordrbm.tasks.sentiment.variant import Variant

    one = Variant(
        hidden=hidden, dimension=dimension, background=background, windows=windows, apart=apart
    )
    sizes = whole_numbers("window", window), whole_numbers("min-count", min_count)
    variants = _variants(one, *sizes, unlabelled=unlabelled)
    if guess and not apart:
        raise WordRBMError(
            "--guess tells classes apart by the guesses, and --apart 0 does not; "
            "use a larger --apart, or leave out --guess."
        )
    asked = Asked(variants, whole_numbers("seeds", seeds), workers_or_cores(jobs), guess)
    for variant, seed in product(variants.values(), asked.seeds):
        variant.settings(seed)  # refused before anything is read
    how = Reading(field, encoding_errors, out, groups)
    found = read_data(data, unlabelled=unlabelled or guess, how=how)
    make_folder(out)
    with folder_lock(out, "an experiment"):
        rows = _run(asked, found, out, quiet=quiet)
    print(json.dumps({"out": str(out), "rows": as_records(rows)}) if as_json else as_text(rows))
    if not as_json:
        saved = out / "classifier"
        print(f"classifier: {saved}; next: wordrbm classifier explain {saved} FILE")


def _run(asked: "Asked", data: "Data", out: Path, *, quiet: bool) -> "list[Row]":
    """Train, which can be stopped and gone on with; fit, which takes minutes and is done anew."""
    from wordrbm.inference.precision import one_blas_thread
    from wordrbm.tasks.sentiment.baselines import bags_of
    from wordrbm.tasks.sentiment.experiment import (
        rows_expected,
        rows_of,
        train_cells,
        train_guesses,
        write_results,
    )

    stop = StopSignals()
    with kept_on_stop(stop), progress("training", 1.0, quiet=quiet) as show:
        train_cells(asked, data, out, show, stop)
    with progress("counting", 1.0, quiet=quiet) as show:
        show(0.0, "words and n-grams")
        bags = bags_of(data, guess=asked.guess)
        show(1.0, "words and n-grams")
    if asked.guess:
        with kept_on_stop(stop), progress("guessing", 1.0, quiet=quiet) as show:
            train_guesses(asked, data, bags, out, show, stop)
    rows = []
    with progress("fitting", 1.0, quiet=quiet) as show, one_blas_thread():
        for row in rows_of(asked, data, bags, out):
            rows.append(row)
            show(min(0.99, len(rows) / (1 + rows_expected(asked))), row.name)
        write_results(asked, rows, data, out)
        show(1.0, "done")
    return rows


def _variants(
    one: "Variant", windows: list[int], counts: list[int], *, unlabelled: bool
) -> dict[str, "Variant"]:
    """By the names they have in the table."""
    found = {}
    for n, count in product(windows, counts):
        name = f"WRRBM {n}-grams" + (f", words seen {count} times" if len(counts) > 1 else "")
        found[name] = one._replace(window=n, min_count=count)
    more = {
        f"{name}, unlabelled start": kind._replace(unlabelled=True) for name, kind in found.items()
    }
    return found | more if unlabelled else found
