"""The cells of an experiment at work, several side by side, until all are on disk.

Each is trained by one thread: cells are many. Their bits do not depend on how many run together.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from wordrbm.storage import make_folder
from wordrbm.tasks.sentiment.cells import compute, work_of
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.kept import is_done
from wordrbm.tasks.sentiment.starts import Source, background_of, has_start, vocabulary_for
from wordrbm.tasks.sentiment.variant import Cell
from wordrbm.tasks.side_by_side import Meter, Show, Stop, all_done
from wordrbm.training import Progress
from wordrbm.using.precise import one_blas_thread


def windows_of(meter: Meter, name: str) -> Callable[[Progress], None]:
    """What one training reports to: how many windows it has read."""
    before = 0

    def tell(progress: Progress) -> None:
        nonlocal before
        gained = progress.windows - before if progress.windows > before else progress.windows
        before = progress.windows
        meter.gain(gained, name)

    return tell


def run_cells(
    cells: Sequence[Cell], data: Data, out: Path, jobs: int, show: Show, stop: Stop
) -> None:
    """Train what is not on disk yet; the starts that several cells share come first."""
    make_folder(out)
    left = [cell for cell in cells if not is_done(cell, data, out)]
    starts = {(cell.variant, cell.seed): cell for cell in left}
    first = sum(cell.variant.background for cell in starts.values() if not has_start(cell, out))
    meter = Meter(first + sum(work_of(cell, data) for cell in left), show, stop)
    source = Source(data, out, meter.pause, meter.gain)
    with one_blas_thread():
        all_done([_starting(cell, source, meter) for cell in starts.values()], jobs, meter)
        all_done([_computing(cell, source, meter) for cell in left], jobs, meter)
    meter.pause()
    show(1.0, "all cells are on disk")


def _computing(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    return lambda: compute(cell, source, windows_of(meter, cell.name))


def _starting(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    def work() -> None:
        vocabulary = vocabulary_for(cell.variant, source.data)
        background_of(cell, source, vocabulary, windows_of(meter, cell.name))

    return work
