"""The paths a user named: one or many, and a sentence for what is no path."""

import os
from collections.abc import Iterable
from pathlib import Path
from reprlib import repr as brief
from typing import Any, NoReturn

from wordrbm.errors import WordRBMError

LONGEST_PATH = 4095  # bytes, what Linux takes


def paths_of(inputs: str | Path | Iterable[str | Path]) -> list[Path]:
    """Every path as a `Path`; one alone is a list of one: a string is also a row of letters."""
    if isinstance(inputs, str | os.PathLike):
        return [_path(inputs)]
    if not isinstance(inputs, Iterable) or isinstance(inputs, bytes):
        _refuse(inputs, "is no path")
    return [_path(given) for given in inputs]


def _path(given: Any) -> Path:
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        _refuse(given, "is no path")
    path = Path(given)
    text = str(path)
    if "\0" in text or len(text) > LONGEST_PATH or ("\n" in text and not os.path.lexists(path)):
        _refuse(text, "is a text and no path")
    return path


def _refuse(given: Any, fault: str) -> NoReturn:
    raise WordRBMError(
        f"{brief(given)} {fault}; write the text to a file and name the path of that file."
    )
