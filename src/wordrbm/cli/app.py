"""The command `wordrbm`: one command per file, every heavy import inside the command."""

import sys

import typer

from wordrbm.cli import prepare
from wordrbm.errors import WordRBMError

app = typer.Typer(
    help="Train restricted Boltzmann machines on words.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("prepare")(prepare.prepare)


@app.callback()
def root() -> None:
    """Train restricted Boltzmann machines on words: prepare, train, then use the vectors."""


def main() -> None:
    """Run a command; bad input becomes one sentence on standard error and exit code 2."""
    try:
        app()
    except WordRBMError as error:
        print(f"wordrbm: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("wordrbm: stopped.", file=sys.stderr)
        sys.exit(130)
