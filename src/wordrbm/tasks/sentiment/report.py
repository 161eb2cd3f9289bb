"""The table of an experiment, as text, Markdown and JSON."""

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

from wordrbm.tasks.sentiment.rows import Row


def as_records(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Every row with all its numbers."""
    return [
        {
            "model": row.name,
            "test": mean(one.test for one in row.found),
            "validation": None if row.in_sample else mean(one.validation for one in row.found),
            "seeds": [
                {
                    "validation": None if row.in_sample else one.validation,
                    "test": one.test,
                    "settings": one.settings,
                }
                for one in row.found
            ],
        }
        for row in rows
    ]


def as_markdown(rows: Sequence[Row]) -> str:
    """A table that documents can hold."""
    lines = ["| model | validation | test | seeds |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(cells)} |" for cells in _cells(rows)]
    return "\n".join(lines) + "\n"


def as_text(rows: Sequence[Row]) -> str:
    """The same for a terminal."""
    cells = [("model", "validation", "test", "seeds"), *_cells(rows)]
    width = max(len(name) for name, *_ in cells)
    return "\n".join(
        f"{name:{width}}  {validation:>10}  {test:>12}  {seeds:>5}"
        for name, validation, test, seeds in cells
    )


def _cells(rows: Sequence[Row]) -> list[tuple[str, str, str, str]]:
    return [
        (
            row.name,
            "" if row.in_sample else f"{100 * mean(one.validation for one in row.found):.2f}",
            _spread([100 * one.test for one in row.found]),
            str(len(row.found)),
        )
        for row in rows
    ]


def _spread(tests: Sequence[float]) -> str:
    told = f"{mean(tests):.2f}"
    return f"{told} ± {stdev(tests):.2f}" if len(tests) > 1 else told
