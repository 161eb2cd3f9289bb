"""The history of a training run: a record of numbers for every score, with its times.

The scores are in `metrics.jsonl`, the times in `times.jsonl`; a record of one step is made of both.
A run that is still going on has a shorter history, nothing else.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import METRICS, TIMES, read_metrics

Record = Mapping[str, float | None]  # None is no number


class Run(NamedTuple):
    """A run by its name, with a record for every score taken."""

    name: str
    records: Sequence[Record]

    def curve(self, field: str) -> tuple[list[float], list[float]]:
        """Millions of windows, and the values of a field, where both are known."""
        pairs = [(record.get("windows"), record.get(field)) for record in self.records]
        known = [(x / 1e6, y) for x, y in pairs if x is not None and y is not None]
        return [x for x, _ in known], [y for _, y in known]


def read_run(folder: Path, name: str) -> Run:
    """The history of the run in a folder, to be called `name`."""
    records = read_metrics(folder / METRICS)
    if not records:
        raise WordRBMError(
            f"{folder} holds no metrics; give the folder of a run that has taken its first score."
        )
    scores, times = _by_step(records), _by_step(read_metrics(folder / TIMES))
    return Run(name, [_numbers(times.get(step, {}) | scores[step]) for step in sorted(scores)])


def _by_step(records: Sequence[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The last record of every step: a run begun anew in the same folder writes after the old."""
    return {record["step"]: record for record in records}


def _numbers(record: Mapping[str, Any]) -> Record:
    """The record with None for all that JSON or a picture could not show as a number."""
    return {name: value if _is_number(value) else None for name, value in record.items()}


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 1e100 and math.isfinite(value)  # an axis of more is no picture
