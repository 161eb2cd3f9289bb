"""Work of many parts, several side by side, until all is done or the run is told to stop."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock

from wordrbm.errors import WordRBMError

SECONDS_BETWEEN_LOOKS = 0.5

Show = Callable[[float, str], None]
Stop = Callable[[], bool]


class Stopped(WordRBMError):  # noqa: N818 - it is named as it is told
    """Told to stop; cells that are done are kept."""


class Meter:
    """How much has been done by all parts together, whoever does it."""

    def __init__(self, total: float, show: Show, stop: Stop) -> None:
        self.total, self.show, self.stop = max(total, 1), show, stop
        self.done, self.lock, self.cancelled = 0.0, Lock(), False

    def pause(self) -> None:
        """Raise if the run is told to stop."""
        if self.cancelled or self.stop():
            raise Stopped("Stopped; finished cells are kept, the same command goes on.")

    def gain(self, more: float, name: str) -> None:
        """Show that so much more is done; raises if the run is told to stop."""
        self.pause()
        with self.lock:
            self.done += more
            self.show(min(self.done / self.total, 0.999), name)  # what is last may be more


def all_done(work: Sequence[Callable[[], None]], jobs: int, meter: Meter) -> None:
    """Do everything, the first fault ends it all."""
    with ThreadPoolExecutor(jobs) as pool:
        waiting: set[Future[None]] = {pool.submit(one) for one in work}
        try:
            while waiting:
                done, waiting = wait(waiting, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for one in done:
                    one.result()
        except BaseException:
            meter.cancelled = True
            for one in waiting:
                one.cancel()
            raise
