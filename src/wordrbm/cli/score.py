"""`wordrbm score`: how likely lines of text are, and which of their words are most surprising."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wordrbm.inference.scoring import Score


def score(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="A file of lines; - is standard input.", show_default="-"),
    ] = None,
    words: Annotated[
        int, typer.Option(help="Most surprising words to show of each line; 0 is much faster.")
    ] = 3,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each line.")
    ] = False,
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
        for number, scored in enumerate(scores, start=1):
            print(_as_json(number, scored) if as_json else _as_text(number, scored), flush=True)


def _as_json(number: int, score: "Score") -> str:
    surprising = [word._asdict() for word in score.surprising]
    record = {"line": number, **score._asdict(), "surprising": surprising}
    return json.dumps(record)


def _as_text(number: int, score: "Score") -> str:
    if score.free_energy is None:
        return f"{number:5}         -  too short: {len(score.tokens)} words"
    surprising = ", ".join(f"{word.word} {word.nats:.1f}" for word in score.surprising)
    windows = f"{score.windows} window{'s' if score.windows > 1 else ''}"
    line = f"{number:5}  {score.free_energy:8.3f}  {windows}"
    return f"{line}; most surprising: {surprising}" if surprising else line
