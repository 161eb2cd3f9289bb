"""Threads: how many, one for BLAS, jobs on a pool with one progress display and one way to stop."""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import lru_cache
from threading import Lock

from threadpoolctl import ThreadpoolController

from wordrbm.errors import Stopped, WordRBMError

STOPPED = "Stopped; finished results are kept, the same command continues."
POLL_SECONDS = 0.5  # so that a signal is handled while the main thread waits

ProgressCallback = Callable[[float, str], None]  # fraction done, a note; may raise `Stopped`
StopCheck = Callable[[], bool]  # whether a stop was requested


def no_progress(done: float, note: str) -> None:
    """Show nothing."""


def never_stop() -> bool:
    """No stop is ever requested."""
    return False


def available_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(requested: int | None) -> int:
    """The number of workers or threads requested, else one for every available core."""
    if requested is not None and (not isinstance(requested, int) or requested < 1):
        raise WordRBMError(f"{requested!r} workers or threads were asked for; use 1 or more.")
    return requested or available_cores()


def one_blas_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread: for small products, its threads mostly wait for each other."""
    libraries = _blas_libraries("scipy.linalg" in sys.modules)
    limit: AbstractContextManager[object] = libraries.limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)  # finding the libraries takes a millisecond, as long as a whole sentence
def _blas_libraries(scipy_loaded: bool) -> ThreadpoolController:
    """The libraries loaded so far: NumPy's, and SciPy's, which compiled code calls."""
    return ThreadpoolController()


class SharedProgress:
    """Progress of several threads towards one total; raises `Stopped` when a stop is requested."""

    def __init__(self, total: float, show: ProgressCallback, stop: StopCheck) -> None:
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
