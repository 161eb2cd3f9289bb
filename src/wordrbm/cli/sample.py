"""`wordrbm sample`: windows sampled from the model."""

import json
from pathlib import Path
from typing import Annotated

import typer

WINDOWS_PER_BLOCK = 4096  # windows decoded at a time


def sample(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    count: Annotated[int, typer.Option(help="Windows to print.")] = 10,
    sweeps: Annotated[int, typer.Option(help="Alternations of words and hidden states.")] = 1000,
    seed: Annotated[int, typer.Option(help="Fixes every random choice.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Print windows of words drawn from the model by its Markov chains.

    \b
    Example:
      wordrbm sample model --count 5 --sweeps 1000 --seed 7
    """
    from wordrbm.trained_model import load

    trained = load(model)
    v = trained.sample(seed, count, sweeps)
    if as_json:
        print(json.dumps({"seed": seed, "sweeps": sweeps, "windows": trained.words(v)}))
        return
    for first in range(0, len(v), WINDOWS_PER_BLOCK):
        for words in trained.words(v[first : first + WINDOWS_PER_BLOCK]):
            print(" ".join(words))
