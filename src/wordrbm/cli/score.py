"""`wordrbm score`: how likely lines of text are, and which of their words cost most."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wordrbm.using.scoring import Score


def score(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="A file of lines; - is standard input.", show_default="-"),
    ] = None,
    words: Annotated[
        int, typer.Option(help="Costliest words to show of each line; 0 is much faster.")
    ] = 3,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each line.")
    ] = False,
) -> None:
    """Print the mean free energy of each line's windows and its costliest words.

    The lower the free energy, the likelier the line. A word's cost is its surprisal in nats,
    given the words around it. Lines are answered as they come.

    \b
    Example:
      wordrbm score model sentences.txt --words 2
      echo "the prime minister said" | wordrbm score model --json
    """
    from wordrbm.artifacts import load
    from wordrbm.text.reader import open_lines

    trained = load(model)
    with open_lines(file) as lines:
        scores = trained.score((line.text for line in lines), costly=words)
        for number, found in enumerate(scores, start=1):
            print(_as_json(number, found) if as_json else _as_text(number, found), flush=True)


def _as_json(number: int, score: "Score") -> str:
    costly = [word._asdict() for word in score.costly]
    record = {"line": number, **score._asdict(), "costly": costly}
    return json.dumps(record)


def _as_text(number: int, score: "Score") -> str:
    if score.free_energy is None:
        return f"{number:5}         -  too short: {len(score.tokens)} words"
    costly = ", ".join(f"{found.word} {found.nats:.1f}" for found in score.costly)
    windows = f"{score.windows} window{'s' if score.windows > 1 else ''}"
    told = f"{number:5}  {score.free_energy:8.3f}  {windows}"
    return f"{told}; costliest: {costly}" if costly else told
