"""The history of a training run: a record of numbers for every score, with its times.

The scores are in `metrics.jsonl`, the times in `times.jsonl`; a record of one step is made of both.
A run that is still going on has a shorter history, nothing else.
"""

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
    # The last record of every step: a run begun anew in the same folder writes after the old.
    scores, times = (
        {record["step"]: record for record in read_metrics(folder / file)}
        for file in (METRICS, TIMES)
    )
    if not scores:
        raise WordRBMError(
            f"{folder} holds no metrics; give the folder of a run that has taken its first score."
        )
    records = [times.get(step, {}) | scores[step] for step in sorted(scores)]
    return Run(name, [{key: _number(x) for key, x in record.items()} for record in records])


def _number(value: Any) -> float | None:
    """The value, or None if JSON or the axis of a plot cannot show it as a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and abs(value) < 1e100 else None
