"""`wordrbm fill`: the likeliest words for the blanks of a text."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wordrbm.inference.fill import Filled


def fill(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    text: Annotated[str, typer.Argument(help="A text with ___ for every word to be found.")],
    count: Annotated[int, typer.Option(help="Words to show for each blank.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
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
    if as_json:
        blanks = [blank._asdict() for blank in filled.blanks]
        print(json.dumps({**filled._asdict(), "blanks": blanks}))
    else:
        _print(filled)


OTHER_BLANKS = {"marginal": "summed out", "map": "at their likeliest words"}


def _print(filled: "Filled") -> None:
    print(filled.text)
    others = f", other blanks {OTHER_BLANKS[filled.method]}" if len(filled.blanks) > 1 else ""
    for number, blank in enumerate(filled.blanks, start=1):
        print(f"\nblank {number}, word {blank.position + 1}{others}")
        for word, probability in blank.words:
            print(f"  {probability:8.4f}  {word}")
        print(f"  {blank.unknown:8.4f}  <unk>, any word outside the vocabulary")
