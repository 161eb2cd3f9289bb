"""Which processes of a run live: each counts in the store of the rendezvous as long as it does.

A process that is killed or stopped, or whose network is cut, no longer counts. One that computes
for long, without a word to the others, does.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, final

BEAT_SECONDS = 0.5
ANSWER_SECONDS = 10.0  # after which a store is taken to be out of reach
T = TypeVar("T")


def call_within(function: Callable[[], T], otherwise: T, seconds: float = ANSWER_SECONDS) -> T:
    """What a function returns; `otherwise` if it fails or has not returned after some seconds.

    A store whose network is cut may not answer for many minutes, whatever its timeout.
    """
    results: list[T] = []

    def call() -> None:
        with suppress(Exception):
            results.append(function())

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0] if results else otherwise


@final
class Heartbeat(threading.Thread):
    """Counts in the store of the rendezvous, so that others see that this process lives."""

    def __init__(self, store: Any, rank: int) -> None:
        super().__init__(daemon=True)
        self._own, self._store, self._rank = store.clone(), store.clone(), rank
        self._stopped = threading.Event()
        self.start()

    def run(self) -> None:
        with suppress(Exception):  # the store is gone: the main thread will say so
            while not self._stopped.wait(BEAT_SECONDS):
                self._own.add(f"beat/{self._rank}", 1)

    def stop(self) -> None:
        self._stopped.set()

    def count(self, rank: int) -> int:
        """How often a rank's heart has beaten; -1 if the store does not answer."""
        return call_within(lambda: int(self._store.add(f"beat/{rank}", 0)), -1)

    def silent_ranks(self, world: int) -> list[int] | None:
        """The ranks whose beat has stopped; None if the store does not answer."""
        if (before := self._counts(world)) is None:
            return None
        time.sleep(4 * BEAT_SECONDS)
        if (after := self._counts(world)) is None:
            return None
        return [rank for rank in range(world) if before[rank] == after[rank]]

    def _counts(self, world: int) -> list[int] | None:
        """The counts of all ranks; None as soon as the store does not answer."""
        counts = list[int]()
        for rank in range(world):
            counts.append(self.count(rank))
            if counts[-1] < 0:
                return None
        return counts
