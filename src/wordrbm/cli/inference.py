"""Commands on a trained model and new text: `fill`, `score`, `features` and `sample`."""

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.progress import Display, progress

if TYPE_CHECKING:
    from wordrbm.inference.fill import Filled
    from wordrbm.inference.scoring import Score
    from wordrbm.text.reader import Line
    from wordrbm.threads import ProgressCallback
    from wordrbm.trained_model import TrainedModel

OTHER_BLANKS = {"marginal": "summed out", "map": "at their likeliest words"}


def fill_blanks(
    model: opt.ModelFolder,
    text: Annotated[str, typer.Argument(help="A text with ___ for every word to be found.")],
    count: Annotated[int, typer.Option(help="Words to show for each blank.")] = 10,
    as_json: opt.AsJson = False,
) -> None:
    """Print the likeliest words for every blank, with their probabilities.

    The text needs at least as many words as a window of the model, blanks included. Probabilities
    are exact in a text of one window; a longer text is read as a Markov chain of its windows.

    \b
    Example:
      wordrbm fill model "the ___ said" --count 5
    """
    from wordrbm.trained_model import load

    filled = load(model).fill(text, count)
    blanks = [blank._asdict() for blank in filled.blanks]
    result = {**filled._asdict(), "blanks": blanks}
    opt.print_result(result, _filled_lines(filled), as_json=as_json)


def _filled_lines(filled: "Filled") -> Iterator[str]:
    yield filled.text
    condition = f", other blanks {OTHER_BLANKS[filled.method]}" if len(filled.blanks) > 1 else ""
    for number, blank in enumerate(filled.blanks, start=1):
        yield f"\nblank {number}, word {blank.position + 1}{condition}"
        yield from (f"  {probability:8.4f}  {word}" for word, probability in blank.words)
        yield f"  {blank.unknown:8.4f}  <unk>, any word outside the vocabulary"


def score_lines(
    model: opt.ModelFolder,
    file: opt.TextLines = None,
    words: Annotated[
        int, typer.Option(help="Most surprising words to show of each line; 0 is much faster.")
    ] = 3,
    as_json: opt.JsonLines = False,
) -> None:
    """Print the mean free energy of each line's windows and its most surprising words.

    The lower the free energy, the likelier the line. Surprisal is -log P(word | rest of
    the line) in nats. Lines are answered as they come.

    \b
    Example:
      wordrbm score model sentences.txt --words 2
      echo "the prime minister said" | wordrbm score model --json
    """
    from wordrbm.text.reader import open_lines
    from wordrbm.trained_model import load

    trained = load(model)
    with open_lines(file) as lines:
        scores = trained.score((line.text for line in lines), top_words=words)
        write = _score_json if as_json else _score_text
        for number, scored in enumerate(scores, start=1):
            print(write(number, scored), flush=True)


def _score_json(number: int, score: "Score") -> str:
    surprising = [word._asdict() for word in score.surprising]
    return json.dumps({"line": number, **score._asdict(), "surprising": surprising})


def _score_text(number: int, score: "Score") -> str:
    if score.free_energy is None:
        return f"{number:5}         -  too short: {len(score.tokens)} words"
    surprising = ", ".join(f"{word.word} {word.nats:.1f}" for word in score.surprising)
    windows = f"{score.windows} window{'s' if score.windows > 1 else ''}"
    line = f"{number:5}  {score.free_energy:8.3f}  {windows}"
    return f"{line}; most surprising: {surprising}" if surprising else line


def write_features(
    model: opt.ModelFolder,
    file: opt.TextLines = None,
    out: Annotated[
        Path | None,
        typer.Option(help="An .npz file to write.", show_default="JSON lines on standard output"),
    ] = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
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
            _print_features(trained, lines)
            return
        with _file_progress(file, quiet=quiet) as show:
            counts = _write_npz(trained, lines, out, show)
    text = f"{out}: {counts['windows']:,} windows of {counts['lines']:,} lines"
    opt.print_result({"out": str(out), **counts}, [text], as_json=as_json)


def _print_features(trained: "TrainedModel", lines: "Iterable[Line]") -> None:
    from wordrbm.inference.features import window_features

    for block in window_features(trained.rbm, trained.vocabulary, (line.text for line in lines)):
        sentence, start, v = block.windows
        rows = zip(sentence + 1, start, trained.words(v), block.hidden, strict=True)
        for line, first, words, hidden in rows:
            row = {"line": int(line), "start": int(first), "words": words}
            print(json.dumps({**row, "hidden": hidden.tolist()}))


def _write_npz(
    trained: "TrainedModel", lines: "Iterable[Line]", out: Path, show: "ProgressCallback"
) -> dict[str, int]:
    from wordrbm.inference.features import window_features
    from wordrbm.io.feature_file import open_feature_file

    seen = position = 0

    def texts() -> Iterator[str]:
        nonlocal seen, position
        for line in lines:
            seen, position = line.number, line.position
            yield line.text

    with open_feature_file(out, trained.rbm.c.size) as target:
        for block in window_features(trained.rbm, trained.vocabulary, texts()):
            target.add(block.hidden, block.windows.sentence + 1, block.windows.start)
            show(position, f"{target.windows:,} windows")
        if not target.windows:  # else the last block has written the end
            show(position, "0 windows")
    return {"lines": seen, "windows": target.windows, "hidden": trained.rbm.c.size}


def _file_progress(file: Path | None, *, quiet: bool) -> AbstractContextManager[Display]:
    """Progress through a file; how long standard input, or a pipe, will be is not known."""
    if file is None or str(file) == "-" or not file.is_file():
        return progress("features", 0, quiet=True)
    return progress("features", file.stat().st_size, quiet=quiet)


def print_samples(
    model: opt.ModelFolder,
    count: Annotated[int, typer.Option(help="Windows to print.")] = 10,
    sweeps: Annotated[int, typer.Option(help="Alternations of words and hidden states.")] = 1000,
    seed: Annotated[int, typer.Option(help="Fixes every random choice.")] = 1,
    as_json: opt.AsJson = False,
) -> None:
    """Print windows of words drawn from the model by its Markov chains.

    \b
    Example:
      wordrbm sample model --count 5 --sweeps 1000 --seed 7
    """
    from wordrbm.trained_model import load

    trained = load(model)
    v = trained.sample(seed, count, sweeps)
    windows = trained.words(v)
    result = {"seed": seed, "sweeps": sweeps, "windows": windows}
    opt.print_result(result, map(" ".join, windows), as_json=as_json)
