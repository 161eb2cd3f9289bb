"""`wordrbm tag`: the labels of new sentences, by a tagger that `wordrbm chunking` has made."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wordrbm.tasks.tagging.columns import Sentence
    from wordrbm.tasks.tagging.spans import Counts


def tag(
    tagger: Annotated[Path, typer.Argument(help="A folder made by `wordrbm chunking`.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Sentences in columns, without their labels; - is standard input.",
            show_default="-",
        ),
    ] = None,
    labelled: Annotated[
        bool, typer.Option("--labelled", help="The last column are labels; say how many are met.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each sentence.")
    ] = False,
) -> None:
    """Print every token with its columns and the label found.

    The file has the columns that the tagger learnt from, a token a line, an empty line after a
    sentence. With --labelled the last column is compared, and the F1 printed to standard error;
    with --json it is the last object.

    \b
    Example:
      wordrbm tag out/taggers/NAME new.txt > tagged.txt
      printf 'He PRP\nruns VBZ\n' | wordrbm tag out/taggers/NAME --json
    """
    from wordrbm.tasks.tagging.spans import evaluate
    from wordrbm.tasks.tagging.tagger_file import load_tagger

    loaded = load_tagger(tagger)
    columns = loaded.attributes.columns
    sentences = _sentences(file, columns + labelled)
    given = [one.columns[:columns] for one in sentences]
    found = loaded.tag(given)
    for one, tags in zip(given, found, strict=True):
        if as_json:
            print(json.dumps({"words": one[0], "labels": tags}))
            continue
        for token in zip(*one, tags, strict=True):
            print(" ".join(token))
        print()
    if labelled:
        pairs = zip((one.labels for one in sentences), found, strict=True)
        _tell(evaluate(pairs).overall, as_json=as_json)


def _sentences(file: Path | None, columns: int) -> "list[Sentence]":
    """Of a file, or of standard input."""
    from wordrbm.tasks.tagging.columns import read_columns, received_columns
    from wordrbm.text.reader import standard_input

    if file is None or str(file) == "-":
        return received_columns(standard_input(), columns)
    return read_columns(file, columns)


def _tell(counts: "Counts", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(counts.record()))
        return
    typer.echo(
        f"F1 {100 * counts.f1:.2f}, precision {100 * counts.precision:.2f}, "
        f"recall {100 * counts.recall:.2f} of {counts.there} chunks", err=True,
    )  # fmt: skip
