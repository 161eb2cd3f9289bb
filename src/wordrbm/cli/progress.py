"""Long commands: progress on standard error, and a clean stop on SIGINT and SIGTERM.

Progress is a bar on a terminal, a plain line now and then elsewhere. A stopped command exits with
the code of the signal.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import NoReturn

import typer

SECONDS_BETWEEN_LINES = 10.0


class Display:
    """Shows progress towards a total; called as a `ProgressCallback`. This one shows nothing."""

    def __call__(self, done: float, note: str) -> None:
        """Show how much is done."""

    def stage(self, name: str) -> None:
        """Show what is being done before there is progress to show."""
        self(0, name)


@contextmanager
def progress(label: str, total: float, *, quiet: bool = False) -> Iterator[Display]:
    """Show progress towards `total` on standard error; yields the function to report with."""
    if quiet:
        yield Display()
    elif sys.stderr.isatty():
        with closing(_Bar(label, total)) as bar:
            yield bar
    else:
        yield _Lines(label, total)


class _Bar(Display):
    """A bar, which appears with the first report."""

    def __init__(self, label: str, total: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining
        from rich.table import Column

        # A note too long for what is left of the line goes on below; else it would crush the bar.
        note = TextColumn("{task.fields[note]}", markup=False, table_column=Column(ratio=1))
        columns = TextColumn("{task.description}"), BarColumn(bar_width=20), TaskProgressColumn()
        console = Console(stderr=True)
        self.bar = Progress(*columns, Remaining(), note, console=console, expand=True)
        self.task = self.bar.add_task(label, total=total, note="")

    def __call__(self, done: float, note: str) -> None:
        self.bar.start()
        self.bar.update(self.task, completed=done, note=note)

    def close(self) -> None:
        self.bar.stop()


class _Lines(Display):
    """A plain line for the first report, for one now and then, and for the last."""

    def __init__(self, label: str, total: float) -> None:
        self.label, self.total, self.last = label, total, -SECONDS_BETWEEN_LINES

    def __call__(self, done: float, note: str) -> None:
        now = time.monotonic()
        if now - self.last >= SECONDS_BETWEEN_LINES or done >= self.total:
            self.last = now
            self._print(done / self.total if self.total else 1.0, note)

    def stage(self, name: str) -> None:
        self._print(0.0, name)

    def _print(self, share: float, note: str) -> None:
        print(f"{self.label} {share:4.0%} {note}", file=sys.stderr, flush=True)


class StopSignals:
    """The signals received so far, for work that checks them; made once, in the main thread.

    Until `armed`, a signal ends the process at once: it may be inside a compiler or a checksum,
    which take longer than the few seconds a process is usually given to stop.
    """

    def __init__(self, message: str = "Stopped before the first update; nothing is lost.") -> None:
        self.received: list[int] = []
        self.armed = False  # set by the caller once there is work to save
        self.message = message
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def __call__(self) -> bool:
        return bool(self.received)

    @property
    def exit_code(self) -> int:
        """128 and the signal's number, as shells have it."""
        return 128 + self.received[0]

    def _handle(self, number: int, frame: object) -> None:
        self.received.append(number)
        if not self.armed:
            with suppress(OSError):  # not `print`, which the signal may have come inside of
                os.write(sys.stderr.fileno(), f"{self.message}\n".encode())
            os._exit(self.exit_code)


@contextmanager
def stop_cleanly(stop: StopSignals, *, armed: bool = True) -> Iterator[None]:
    """Around work that raises `Stopped` when it sees a signal: print its sentence and exit.

    Work that begins with nothing to save sets `stop.armed` itself. After the work a signal ends
    the process.
    """
    from wordrbm.errors import Stopped

    stop.armed = armed
    try:
        yield
    except Stopped as stopped:
        typer.echo(str(stopped), err=True)
        raise typer.Exit(stop.exit_code) from None
    stop.armed = False
    stop.message = "Stopped; all results are kept, the same command continues."


@contextmanager
def interruptible(message: str) -> Iterator[None]:
    """Around work that may be interrupted anywhere: on a signal print `message` and exit."""
    signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        number = signal.SIGTERM if isinstance(interrupt, _Terminated) else signal.SIGINT
        print(message, file=sys.stderr, flush=True)
        raise typer.Exit(128 + number) from None


class _Terminated(KeyboardInterrupt):
    """SIGTERM, as an exception that no handler on the way takes for an error."""


def _raise_terminated(number: int, frame: object) -> NoReturn:
    raise _Terminated
