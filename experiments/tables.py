"""Tables of results: aligned text for a terminal, Markdown for documents, JSON for programs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.storage import write_text

MARKDOWN, JSON = "table.md", "table.json"


class Table(NamedTuple):
    """Column heads and rows of cells; the first column is aligned left, the others right."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_text(self) -> str:
        """Columns aligned by spaces."""
        lines = [self.heads, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in lines
        )

    def as_markdown(self) -> str:
        """A Markdown table."""
        lines = [self.heads, ["---"] * len(self.heads), *self.rows]
        return "\n".join(_markdown_line(line) for line in lines)


class Report(NamedTuple):
    """The results of an experiment in three forms."""

    text: str
    markdown: str
    record: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Write `table.md` and `table.json`."""
        write_text(folder / MARKDOWN, self.markdown + "\n")
        write_text(folder / JSON, json.dumps(self.record, indent=1))


def percent(fraction: float) -> str:
    """A fraction as a percentage with two decimals."""
    return f"{100 * fraction:.2f}"


def _markdown_line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
