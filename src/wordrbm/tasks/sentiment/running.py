"""The cells of an experiment at work, several side by side, until all are on disk.

Each is trained by one thread: cells are many. Their bits do not depend on how many run together.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from wordrbm.storage import make_folder
from wordrbm.tasks.sentiment.baselines import Bags
from wordrbm.tasks.sentiment.cells import compute, work_of
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.guesses import has_guesses
from wordrbm.tasks.sentiment.guessing import Scores, guess_and_learn, guessing_work, ngram_scores
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


def run_guesses(
    cells: Sequence[Cell], data: Data, bags: Bags, out: Path, jobs: int, show: Show, stop: Stop
) -> None:
    """Guess and learn what is not on disk yet, from cells that are."""
    left = [cell for cell in cells if not has_guesses(cell, data, out)]
    meter = Meter(guessing_work(data) * len(left), show, stop)
    source, scores = Source(data, out, meter.pause, meter.gain), dict[int | None, Scores]()
    for fold in {cell.fold: None for cell in left}:
        meter.gain(0, "NB-SVM")
        seen = np.flatnonzero(data.fold != fold)
        scores[fold] = ngram_scores(bags.ngrams.train, bags.more, data.train.label, seen)
    with one_blas_thread():
        all_done([_guessing(cell, source, scores[cell.fold]) for cell in left], jobs, meter)
    meter.pause()
    show(1.0, "all guesses are on disk")


def _guessing(cell: Cell, source: Source, by_ngrams: Scores) -> Callable[[], None]:
    return lambda: guess_and_learn(cell, source, by_ngrams)


def _computing(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    return lambda: compute(cell, source, windows_of(meter, cell.name))


def _starting(cell: Cell, source: Source, meter: Meter) -> Callable[[], None]:
    def work() -> None:
        vocabulary = vocabulary_for(cell.variant, source.data)
        background_of(cell, source, vocabulary, windows_of(meter, cell.name))

    return work
