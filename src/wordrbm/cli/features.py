"""`wordrbm features`: a feature vector for every window of every line of a text."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli.progress import progress

if TYPE_CHECKING:
    from wordrbm.inference.features import WindowFeatures
    from wordrbm.text.reader import Line
    from wordrbm.threads import ProgressCallback
    from wordrbm.trained_model import TrainedModel


def features(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="A file of lines; - is standard input.", show_default="-"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="An .npz file to write.", show_default="JSON lines on standard output"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Give the hidden probabilities of every window of every line.

    The .npz file holds hidden (N, H), line (N,) counted from 1 and start (N,), the place of the
    window's first word, counted from 0.

    \b
    Example:
      wordrbm features model sentences.txt --out features.npz
      echo "the prime minister said" | wordrbm features model
    """
    from wordrbm.text.reader import open_lines
    from wordrbm.trained_model import load

    trained = load(model)
    with open_lines(file) as lines:
        if out is None:
            _print_rows(trained, lines)
        else:
            with _shown(file, quiet=quiet) as show:
                written = _write(trained, lines, out, show)
            print(
                json.dumps(written)
                if as_json
                else f"{out}: {written['windows']:,} windows of {written['lines']:,} lines"
            )


def _print_rows(trained: "TrainedModel", lines: "Iterable[Line]") -> None:
    for block in _features(trained, (line.text for line in lines)):
        sentence, start, v = block.windows
        rows = zip(sentence + 1, start, trained.words(v), block.hidden, strict=True)
        for line, first, words, hidden in rows:
            row = {"line": int(line), "start": int(first), "words": words}
            print(json.dumps({**row, "hidden": hidden.tolist()}))


def _write(
    trained: "TrainedModel", lines: "Iterable[Line]", out: Path, show: "ProgressCallback"
) -> dict[str, int | str]:
    from wordrbm.io.feature_file import open_feature_file

    seen = position = 0

    def texts() -> Iterator[str]:
        nonlocal seen, position
        for line in lines:
            seen, position = line.number, line.position
            yield line.text

    with open_feature_file(out, trained.rbm.c.size) as target:
        for block in _features(trained, texts()):
            target.add(block.hidden, block.windows.sentence + 1, block.windows.start)
            show(position, f"{target.windows:,} windows")
        if not target.windows:  # else the last block has written the end
            show(position, "0 windows")
    windows, H = target.windows, trained.rbm.c.size
    return {"out": str(out), "lines": seen, "windows": windows, "hidden": H}


def _features(trained: "TrainedModel", texts: Iterable[str]) -> "Iterator[WindowFeatures]":
    from wordrbm.inference.features import window_features

    return window_features(trained.rbm, trained.vocabulary, texts)


@contextmanager
def _shown(file: Path | None, *, quiet: bool) -> "Iterator[ProgressCallback]":
    """Progress through a file; how long standard input, or a pipe, will be is not known."""
    known = file is not None and str(file) != "-" and file.is_file()
    total = file.stat().st_size if file is not None and known else 0
    with progress("features", total, quiet=quiet or not known) as show:
        yield show
