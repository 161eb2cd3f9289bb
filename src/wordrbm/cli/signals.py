"""SIGINT and SIGTERM: a clean stop for every long command, with the exit code of the signal."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer


class StopSignals:
    """The signals received so far, for work that checks them; made once, in the main thread.

    Until `armed`, a signal ends the process at once: it may be inside a compiler or a checksum,
    which take longer than the few seconds a process is usually given to stop.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self.armed = False  # set by the caller once there is work to save
        self.message = "Stopped before the first update; nothing is lost."
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
            print(self.message, file=sys.stderr, flush=True)
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
