"""The cells of an experiment at work, several side by side, until all are on disk.

Each is trained by one thread: cells are many. Their bits do not depend on how many run together.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from wordrbm.storage import make_folder
from wordrbm.tasks.sentiment.baselines import Bags
from wordrbm.tasks.sentiment.cells import compute, work_of
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.guesses import has_guesses
from wordrbm.tasks.sentiment.guessing import (
    Said,
    Scores,
    guess_and_learn,
    guessing_work,
    may_be_guessed,
    ngram_scores,
)
from wordrbm.tasks.sentiment.kept import is_done
from wordrbm.tasks.sentiment.starts import Source, background_of, has_start, vocabulary_for
from wordrbm.tasks.sentiment.variant import Cell
from wordrbm.threads import ProgressCallback as Show
from wordrbm.threads import SharedProgress, StopCheck, one_blas_thread, run_all
from wordrbm.training import Progress


def windows_of(meter: SharedProgress, name: str) -> Callable[[Progress], None]:
    """What one training reports to: how many windows it has read."""
    before = 0

    def tell(progress: Progress) -> None:
        nonlocal before
        gained = progress.windows - before if progress.windows > before else progress.windows
        before = progress.windows
        meter.report(gained, name)

    return tell


def run_cells(
    cells: Sequence[Cell], data: Data, out: Path, jobs: int, show: Show, stop: StopCheck,
    *, models: bool = False,
) -> None:  # fmt: skip
    """Train what is not on disk yet; the starts that several cells share come first."""
    make_folder(out)
    left = [cell for cell in cells if not is_done(cell, data, out, models=models)]
    starts = {(cell.variant, cell.seed): cell for cell in left}
    first = sum(cell.variant.background for cell in starts.values() if not has_start(cell, out))
    meter = SharedProgress(first + sum(work_of(cell, data) for cell in left), show, stop)
    source = Source(data, out, meter.check_stop, meter.report)
    with one_blas_thread():
        run_all([_starting(cell, source, meter) for cell in starts.values()], jobs, meter)
        run_all([_computing(cell, source, meter) for cell in left], jobs, meter)
    meter.check_stop()
    show(1.0, "all cells are on disk")


def run_guesses(
    cells: Sequence[Cell], data: Data, bags: Bags, out: Path, jobs: int, show: Show, stop: StopCheck
) -> None:
    """Guess and learn what is not on disk yet, from cells that are, with their models."""
    left = [cell for cell in cells if not has_guesses(cell, data, out)]
    meter = SharedProgress(sum(guessing_work(cell, data) for cell in left), show, stop)
    source = Source(data, out, meter.check_stop, meter.report)
    with one_blas_thread():
        if left:
            said = _said({cell.fold: None for cell in left}, data, bags, meter)
            run_all([_guessing(cell, source, said) for cell in left], jobs, meter)
    meter.check_stop()
    show(1.0, "all guesses are on disk")


def _said(folds: Iterable[int | None], data: Data, bags: Bags, meter: SharedProgress) -> Said:
    """What NB-SVM says of the unlabelled documents, for each fold without it."""
    asked, found = may_be_guessed(data), dict[int | None, Scores]()
    for fold in folds:
        meter.report(0, "NB-SVM")
        seen = np.flatnonzero(data.fold != fold)
        found[fold] = ngram_scores(bags.ngrams.train, bags.more, data.train.label, seen)
    return Said(asked, found)


def _guessing(cell: Cell, source: Source, said: Said) -> Callable[[], None]:
    return lambda: guess_and_learn(cell, source, said)


def _computing(cell: Cell, source: Source, meter: SharedProgress) -> Callable[[], None]:
    return lambda: compute(cell, source, windows_of(meter, cell.name))


def _starting(cell: Cell, source: Source, meter: SharedProgress) -> Callable[[], None]:
    def work() -> None:
        vocabulary = vocabulary_for(cell.variant, source.data)
        background_of(cell, source, vocabulary, windows_of(meter, cell.name))

    return work
