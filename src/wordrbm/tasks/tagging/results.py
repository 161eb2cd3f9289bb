"""What a grid leaves behind: the table as text, Markdown and JSON, and where its errors are."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.storage import write_text
from wordrbm.tasks.tagging.asked import Asked
from wordrbm.tasks.tagging.dense import coverage
from wordrbm.tasks.tagging.errors import errors_of
from wordrbm.tasks.tagging.grid import Row, best_tagger
from wordrbm.tasks.tagging.report import as_error_record, as_markdown, as_records, as_text
from wordrbm.tasks.tagging.spans import Evaluation
from wordrbm.tasks.tagging.task import Task

TABLE, NUMBERS = "table.md", "table.json"


class Results(NamedTuple):
    """All numbers of a grid, and its table for a terminal."""

    record: dict[str, Any]
    text: str


def write_results(
    rows: Sequence[Row], asked: Asked, task: Task, out: Path, checked: Mapping[str, Evaluation]
) -> Results:
    """Write the table, with what CRFsuite found of the rows that were confirmed."""
    best, tagger = best_tagger(rows)
    tags = tagger.tag([one.columns[:-1] for one in task.test])
    share = _coverage(asked, task)
    record = {
        "rows": as_records(rows, checked),
        "coverage": share,
        "sentences": {name: len(part) for name, part in task._asdict().items()},
        "best": best.name,
        "tagger": str(best.folder),
        "errors": as_error_record(errors_of(task.both, task.test, tags)),
    }
    write_text(out / TABLE, as_markdown(rows, checked))
    write_text(out / NUMBERS, json.dumps(record, indent=1))
    covered = "".join(f"{100 * x:.2f} % of tokens have {name}\n" for name, x in share.items())
    return Results(record, f"{as_text(rows, checked)}\n\n{covered}tagger: {best.folder}")


def _coverage(asked: Asked, task: Task) -> Mapping[str, float]:
    words = [one.words for one in task.both + task.test]
    return {
        name: min(found)
        for name, kind in asked.kinds.items()
        if (found := [coverage(words, x.vectors) for x in kind.parts if x.vectors is not None])
    }
