"""`metrics.jsonl` and `times.jsonl`: a JSON line per evaluation, appended during training.

Scores are a function of seed, settings and corpus: two runs write the same bytes, resumed or not.
Times are not, so they have a file of their own.
"""

import json
import os
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import write_errors, write_text


def append_metrics(path: Path, record: dict[str, Any]) -> None:
    """Append a line and fsync."""
    with write_errors(path), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Read the complete lines of the file; a line cut short by a crash is skipped."""
    records = []
    for line in _lines(path):
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):  # no JSON, a number too long, a line nested too deep
            continue
    return [record for record in records if isinstance(record, dict) and _step(record) >= 0]


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file() and path.exists():
            raise WordRBMError(f"{path} is no file; put back what the run wrote, or remove it.")
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise WordRBMError(
            f"{path} cannot be read: {error.strerror}; give the folder of a run."
        ) from error


def _step(record: dict[str, Any]) -> int:
    step = record.get("step")
    return step if isinstance(step, int) else -1


def truncate_metrics(path: Path, step: int) -> None:
    """Remove the lines after an update, so that a resumed run does not write them twice."""
    records = [record for record in read_metrics(path) if _step(record) <= step]
    write_text(path, "".join(json.dumps(record) + "\n" for record in records))
