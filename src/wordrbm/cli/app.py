"""The command `wordrbm`: related commands in one file, every heavy import inside the command."""

import io
import signal
import sys
from typing import Annotated, Any

import typer

import wordrbm
from wordrbm.cli import (
    card,
    classifier,
    demo,
    doctor,
    documents,
    explore,
    heldout,
    inference,
    info,
    mixing,
    prepare,
    tagger,
    train,
    units,
    vectors,
)
from wordrbm.errors import WordRBMError

UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # typer moved it between releases

app = typer.Typer(
    cls=train.LazyTrainGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("prepare")(prepare.prepare_command)
app.command("train")(train.with_options({}))
app.command("neighbours")(vectors.show_neighbours)
app.command("fill")(inference.fill_blanks)
app.command("score")(inference.score_lines)
app.command("features")(inference.write_features)
app.command("sample")(inference.print_samples)
app.command("export")(vectors.export_vectors)
app.command("evaluate")(heldout.score_cloze)
app.command("likelihood")(heldout.report_likelihood)
app.command("info")(info.show_info)
app.command("card")(card.write_card)
app.command("metrics")(info.show_metrics)
app.command("mixing")(mixing.mixing)
app.command("units")(units.show_units)
app.command("explore")(explore.explore)
app.command("map")(explore.draw_map)
app.add_typer(classifier.app, name="classifier")
app.add_typer(documents.app, name="documents")
app.add_typer(tagger.app, name="tagger")
app.command("demo")(demo.demo)
app.command("doctor")(doctor.diagnose)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"wordrbm {wordrbm.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Train restricted Boltzmann machines on words: prepare, train, then use the vectors."""


def main(application: typer.Typer = app) -> None:
    """Run a command; bad input becomes one sentence on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a word the terminal cannot show
    try:
        code = application(standalone_mode=False)  # a wrong option is an error like others
        sys.exit(code if isinstance(code, int) else 0)
    except KeyboardInterrupt:  # before typer began to listen for it, or after
        sys.exit(128 + signal.SIGINT)
    except UsageError as error:
        _end_usage(error)
    except WordRBMError as error:
        _end(str(error))
    except OSError as error:  # the paths a user names are met in many places
        place = error.filename or "The output or a file"
        _end(f"{place} cannot be used: {error.strerror or error}; free space or name another.")
    except MemoryError as error:
        _end(f"There is not enough memory for this: {error}; ask for smaller sizes.")


def _end_usage(error: Any) -> None:
    """End with what is wrong with the options; without any command, with the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        sys.exit(2)
    message = " ".join(error.format_message().split()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "wordrbm"
    see = " See" if message.endswith("?") else "; see"
    _end(f"{message}{see} {command} --help.")


def _end(sentence: str) -> None:
    print(f"wordrbm: {sentence}", file=sys.stderr)
    sys.exit(2)
