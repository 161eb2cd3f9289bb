"""How long work shows itself: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordrbm.threads import ProgressCallback

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress(label: str, total: float, *, quiet: bool = False) -> "Iterator[ProgressCallback]":
    """Show progress towards `total` on standard error; yields the function to report with."""
    if quiet:
        yield lambda done, note: None
    elif sys.stderr.isatty():
        with _bar(label, total) as show:
            yield show
    else:
        yield _lines(label, total)


@contextmanager
def _bar(label: str, total: float) -> "Iterator[ProgressCallback]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining
    from rich.table import Column

    columns = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        Remaining(),
        # A note too long for what is left of the line goes on below; else it would crush the bar.
        TextColumn("{task.fields[note]}", markup=False, table_column=Column(ratio=1)),
    ]
    with Progress(*columns, console=Console(stderr=True), expand=True) as bar:
        task = bar.add_task(label, total=total, note="")
        yield lambda done, note: bar.update(task, completed=done, note=note)


def _lines(label: str, total: float) -> "ProgressCallback":
    last = -SECONDS_BETWEEN_LINES  # so that the first report is shown at once

    def show(done: float, note: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES or done >= total:
            last = now
            share = done / total if total else 1.0
            print(f"{label} {share:4.0%} {note}", file=sys.stderr, flush=True)

    return show
