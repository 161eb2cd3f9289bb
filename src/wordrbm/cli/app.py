"""The command `wordrbm`: one command per file, every heavy import inside the command."""

import io
import sys

import typer

from wordrbm.cli import demo, evaluate, export, info, neighbours, prepare, train
from wordrbm.errors import WordRBMError

app = typer.Typer(
    help="Train restricted Boltzmann machines on words: prepare, train, then use the vectors.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("prepare")(prepare.prepare)
app.command("train")(train.train)
app.command("neighbours")(neighbours.neighbours)
app.command("export")(export.export)
app.command("evaluate")(evaluate.evaluate)
app.command("info")(info.info)
app.command("demo")(demo.demo)


def main() -> None:
    """Run a command; bad input becomes one sentence on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a word the terminal cannot show
    try:
        app()
    except WordRBMError as error:
        _end(str(error))
    except OSError as error:  # the paths a user names are met in many places
        _end(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}.")
    except MemoryError as error:
        _end(f"There is not enough memory for this: {error}; ask for smaller sizes.")


def _end(sentence: str) -> None:
    print(f"wordrbm: {sentence}", file=sys.stderr)
    sys.exit(2)
