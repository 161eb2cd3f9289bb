"""What a prepare was begun with, in `work.json`: a resume with anything else is refused.

{every setting: its value, "inputs": [the paths that were named, absolute]}
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors, read_limited, write_text
from wordrbm.text.settings import PrepareSettings

NAME = "work.json"
LARGEST = 1 << 28  # bytes; somebody may name a million files


def begun_with(inputs: Iterable[Path], settings: PrepareSettings) -> dict[str, Any]:
    """What must be the same in a resume."""
    return {**asdict(settings), "inputs": [os.path.abspath(path) for path in inputs]}


def note(work: Path, now: Mapping[str, Any]) -> None:
    """Note what the work is begun with, unless it was begun before."""
    if not (work / NAME).exists():
        write_text(work / NAME, json.dumps(now))


def refuse_other_work(work: Path, now: Mapping[str, Any]) -> None:
    """Refuse to go on with work that was begun for something else."""
    path = work / NAME
    if path.exists() and (changes := differences(_read(path), now)):
        raise WordRBMError(
            f"{work} was begun with other settings: {'; '.join(changes)}; use the same as then, or "
            "remove the folder."
        )


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Every value that is not as it was, as words."""
    names = dict.fromkeys([*before, *now])
    return [
        f"{name} was {_shown(before.get(name))} and is now {_shown(now.get(name))}"
        for name in names
        if before.get(name) != now.get(name)
    ]


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _read(path: Path) -> dict[str, Any]:
    try:
        with read_errors(path):
            found = json.loads(read_limited(path, LARGEST))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise WordRBMError(f"{path} is not what a prepare wrote; remove the folder it is in.")
    return found
