"""Jobs on a pool of threads, with one progress display and one way to stop them all."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock

from wordrbm.errors import Stopped

STOPPED = "Stopped; finished results are kept, the same command continues."
POLL_SECONDS = 0.5  # so that a signal is handled while the main thread waits

Show = Callable[[float, str], None]  # fraction done, a note beside it
StopCheck = Callable[[], bool]


class SharedProgress:
    """Progress of several threads towards one total; raises `Stopped` when a stop is requested."""

    def __init__(self, total: float, show: Show, stop: StopCheck) -> None:
        self.total, self.show, self.stop = max(total, 1), show, stop
        self.done, self.lock, self.cancelled = 0.0, Lock(), False

    def check_stop(self) -> None:
        """Raise `Stopped` if a stop was requested or another job has failed."""
        if self.cancelled or self.stop():
            raise Stopped(STOPPED)

    def report(self, amount: float, note: str) -> None:
        """Add work done and show it; raises `Stopped` when a stop is requested."""
        self.check_stop()
        with self.lock:
            self.done += amount
            # Totals are estimates: the display reaches 100 % only when the caller says so.
            self.show(min(self.done / self.total, 0.999), note)


def run_all(jobs: Sequence[Callable[[], None]], workers: int, progress: SharedProgress) -> None:
    """Run every job, `workers` at a time; the first exception cancels the others and is raised."""
    with ThreadPoolExecutor(workers) as pool:
        pending: set[Future[None]] = {pool.submit(job) for job in jobs}
        try:
            while pending:
                done, pending = wait(pending, POLL_SECONDS, FIRST_COMPLETED)
                for future in done:
                    future.result()
        except BaseException:
            progress.cancelled = True
            for future in pending:
                future.cancel()
            raise
