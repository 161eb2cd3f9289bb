"""SIGINT and SIGTERM as a question a long run asks itself: was I told to stop?

Before the run has anything to lose, a signal ends the process at once: it may be inside a
compiler or a checksum, which take longer than the few seconds that whoever stops us gives.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


class StopSignals:
    """The signals heard so far; made in the main thread, once a process."""

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.has_begun = False  # set by the run when its first update is done
        self.told = "Stopped before the first update; nothing is lost."
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hear)

    def __call__(self) -> bool:
        return bool(self.heard)

    @property
    def exit_code(self) -> int:
        """128 and the signal's number, as shells have it."""
        return 128 + self.heard[0]

    def _hear(self, number: int, frame: object) -> None:
        self.heard.append(number)
        if not self.has_begun:
            print(self.told, file=sys.stderr, flush=True)
            os._exit(self.exit_code)


@contextmanager
def kept_on_stop(stop: StopSignals) -> Iterator[None]:
    """Around work that keeps each result it finishes: a stop ends the command, to be continued.

    After it a signal ends the process.
    """
    from wordrbm.errors import Stopped

    stop.has_begun = True
    try:
        yield
    except Stopped as stopped:
        typer.echo(str(stopped), err=True)
        raise typer.Exit(stop.exit_code) from None
    stop.has_begun, stop.told = False, "Stopped; all results are kept, the same command continues."
