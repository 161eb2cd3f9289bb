"""The cells of an experiment at work, several side by side, until all are on disk.

Each is trained by one thread: cells are many. Their bits do not depend on how many run together.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Lock

from wordrbm.errors import WordRBMError
from wordrbm.storage import make_folder
from wordrbm.tasks.sentiment.cells import (
    Source,
    background_of,
    compute,
    vocabulary_for,
    work_of,
)
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.kept import is_done
from wordrbm.tasks.sentiment.variant import Cell
from wordrbm.training import Progress
from wordrbm.using.precise import one_blas_thread

SECONDS_BETWEEN_LOOKS = 0.5

Show = Callable[[float, str], None]
Stop = Callable[[], bool]


class Stopped(WordRBMError):  # noqa: N818 - it is named as it is told
    """Told to stop; cells that are done are kept."""


class Meter:
    """How many windows have been read by all cells together, whoever reads them."""

    def __init__(self, total: int, show: Show, stop: Stop) -> None:
        self.total, self.show, self.stop = max(total, 1), show, stop
        self.done, self.lock, self.cancelled = 0, Lock(), False

    def pause(self) -> None:
        """Raise if the run is told to stop."""
        if self.cancelled or self.stop():
            raise Stopped("Stopped; finished cells are kept, the same command goes on.")

    def teller(self, name: str) -> Callable[[Progress], None]:
        """What one training reports to; it raises when the run is told to stop."""
        before = 0

        def tell(progress: Progress) -> None:
            nonlocal before
            self.pause()
            gained = progress.windows - before if progress.windows > before else progress.windows
            before = progress.windows
            with self.lock:
                self.done += gained
                self.show(min(self.done / self.total, 0.999), name)  # a last batch is a whole one

        return tell


def run_cells(
    cells: Sequence[Cell], data: Data, out: Path, jobs: int, show: Show, stop: Stop
) -> None:
    """Train what is not on disk yet; the starts that several cells share come first."""
    make_folder(out)
    left = [cell for cell in cells if not is_done(cell, data, out)]
    meter = Meter(sum(work_of(cell, len(data.classes)) for cell in left), show, stop)
    more = [cell for cell in left if cell.variant.unlabelled]
    source = Source(data, out, meter.pause)
    starts = {(cell.variant, cell.seed): cell for cell in more}
    with one_blas_thread():
        _all([_starting(cell, source, meter) for cell in starts.values()], jobs, meter)
        _all([_computing(cell, source, meter) for cell in left], jobs, meter)
    meter.pause()
    show(1.0, "all cells are on disk")


def _computing(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    return lambda: compute(cell, source, meter.teller(cell.name))


def _starting(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    def work() -> None:
        vocabulary = vocabulary_for(cell.variant, source.data)
        background_of(cell, source, vocabulary, meter.teller(cell.name))

    return work


def _all(work: Sequence[Callable[[], None]], jobs: int, meter: Meter) -> None:
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
