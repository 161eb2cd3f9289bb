"""Run an experiment: `python -m experiments chunking --help`."""

import typer

from experiments.chunking.command import chunking
from experiments.documents.command import documents
from experiments.mixing.command import mixing
from experiments.sentiment.command import sentiment
from wordrbm.cli.app import main

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("chunking")(chunking)
app.add_typer(documents, name="documents")
app.command("mixing")(mixing)
app.command("sentiment")(sentiment)


@app.callback()
def experiments() -> None:
    """The tables and figures of Dahl et al. 2012, with their baselines."""


if __name__ == "__main__":
    main(app)
