"""What commands share: options, lists of numbers with commas, and results as text or as JSON."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from wordrbm.errors import WordRBMError

ModelFolder = Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")]
CorpusFolder = Annotated[Path, typer.Argument(help="The corpus it was trained on.")]
TextLines = Annotated[
    Path | None, typer.Argument(help="A file of lines; - is standard input.", show_default="-")
]
Field = Annotated[str, typer.Option(help="The field of JSON lines with the text.")]
EncodingErrors = Annotated[
    str, typer.Option(help="Bytes that are no UTF-8: strict refuses, replace replaces them.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")]
Trigrams = Annotated[
    bool, typer.Option("--trigrams", help="Score trigram counts of the text too (slow).")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads; results do not depend on it.", show_default="all cores"),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Trainings in parallel.", show_default="all cores")
]

# of classifiers
HiddenUnits = Annotated[int, typer.Option(help="Hidden units.")]
Dimension = Annotated[int, typer.Option(help="Dimension of a word vector.")]
ClassWindows = Annotated[
    int, typer.Option(min=1, help="Windows for training the model of each class.")
]
PretrainWindows = Annotated[
    int, typer.Option(min=0, help="Windows for pre-training the shared initial model (0 to skip).")
]
FinetuneEpochs = Annotated[
    int,
    typer.Option(min=0, max=1000, help="Epochs of joint discriminative fine-tuning (0 to skip)."),
]
FinetuneMembers = Annotated[
    int, typer.Option(min=1, max=100, help="Fine-tunings whose parameters are averaged.")
]

# of taggers
Spelling = Annotated[
    bool, typer.Option("--spelling", help="Add word shapes and affixes; useful for names.")
]
Iobes = Annotated[
    bool,
    typer.Option(
        "--iobes", help="Learn IOB2 spans with labels for last and single tokens; for chunks."
    ),
]
Scales = Annotated[str, typer.Option(help="Standard deviations of scaled vectors to try.")]
HiddenScales = Annotated[str, typer.Option(help="Factors on hidden means to try.")]
Penalties = Annotated[str, typer.Option(help="L2 penalties c2 to try.")]
SentenceSeed = Annotated[int, typer.Option(min=0, help="Seed of the sentence order.")]

MIN_FLOAT, MAX_FLOAT = 1e-9, 1e6  # of scales and penalties
_DIGITS = re.compile("[0-9]{1,19}")
MAX_INT = 10**19 - 1  # as many digits as are read


def option_names(fields: Iterable[str], **renamed: str) -> dict[str, str]:
    """The options by the fields that they set; most have the name of their field."""
    return {field: f"--{renamed.get(field, field).replace('_', '-')}" for field in fields}


def check_suffix(option: str, path: Path, suffix: str) -> None:
    """Refuse a path that would give a file of one kind the name of another."""
    if path.suffix.lower() != suffix:
        raise WordRBMError(
            f"--{option} is {path}, and what is written there is {suffix}; name a file that ends "
            f"in {suffix}."
        )


def print_result(result: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a result as JSON or as lines of text."""
    print(json.dumps(result) if as_json else "\n".join(lines))


def parse_ints(option: str, text: str, minimum: int = 0, maximum: int = MAX_INT) -> list[int]:
    """Parse whole numbers from `minimum` to `maximum`; duplicates are dropped."""
    parts = [part.strip() for part in text.split(",")]
    numbers = [int(part) for part in parts if _DIGITS.fullmatch(part)]
    if len(numbers) < len(parts) or min(numbers) < minimum or max(numbers) > maximum:
        raise WordRBMError(
            f"--{option} is {text!r} where whole numbers from {minimum} to {maximum:,}, with "
            "commas, were expected; give such as 1,10,100."
        )
    return list(dict.fromkeys(numbers))


def parse_floats(option: str, text: str) -> list[float]:
    """Parse numbers above zero; duplicates are dropped."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(MIN_FLOAT <= x <= MAX_FLOAT for x in numbers):
        raise WordRBMError(
            f"--{option} is {text!r} where numbers from {MIN_FLOAT:g} to {MAX_FLOAT:,.0f}, with "
            "commas, were expected; give such as 0.1,1."
        )
    return list(dict.fromkeys(numbers))
