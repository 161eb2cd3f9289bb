"""SIGINT and SIGTERM as a question a long run asks itself: was I told to stop?

Before the run has anything to lose, a signal ends the process at once: it may be inside a
compiler or a checksum, which take longer than the few seconds that whoever stops us gives.
"""

import os
import signal
import sys


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
