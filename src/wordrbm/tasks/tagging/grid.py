"""The grid: every representation with every scale and penalty, chosen by validation, tested once.

The tagger that is tested learns from the sentences for training and for choosing together. A row
whose grid was widened, and that is chosen otherwise now, is tested again: the table says so.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wordrbm.storage import make_folder, remove_temporaries
from wordrbm.tasks.side_by_side import Meter, Show, Stop, all_done
from wordrbm.tasks.tagging.asked import Asked, digest
from wordrbm.tasks.tagging.cells import TEST, Cell, Result, Work, compute, keep, kept, times_tested
from wordrbm.tasks.tagging.tagger import Learnt, Tagger
from wordrbm.tasks.tagging.tagger_file import digest_of, load_tagger, save_tagger
from wordrbm.tasks.tagging.task import Task
from wordrbm.using.precise import one_blas_thread

CELLS, TAGGERS = "cells", "taggers"
USUAL_STEPS = 150


class Tried(NamedTuple):
    """A cell, and how good it is in validation."""

    cell: Cell
    result: Result


class Row(NamedTuple):
    """A line of the table: what was chosen, and how good it is."""

    name: str
    chosen: Cell
    valid: Result
    test: Result
    folder: Path  # of its tagger
    times_tested: int  # with other settings too, where a grid was widened


class _Run(NamedTuple):
    asked: Asked
    task: Task
    digests: Mapping[str, str]
    out: Path


def validated(asked: Asked, task: Task, out: Path, show: Show, stop: Stop) -> list[list[Tried]]:
    """All cells of every row, those not on disk yet computed; nothing is tested."""
    run, left = _begun(asked, task, out)
    with one_blas_thread():
        found = _validated(run, left, Meter(_steps(asked, [cell.row for cell in left]), show, stop))
    show(1.0, "all cells are on disk")
    return found


def run_grid(asked: Asked, task: Task, out: Path, show: Show, stop: Stop) -> list[Row]:
    """Compute what is not on disk yet, first all of validation, then a test for each row."""
    run, left = _begun(asked, task, out)
    meter = Meter(_steps(asked, [cell.row for cell in left] + list(asked.kinds)), show, stop)
    with one_blas_thread():
        chosen = [best_of(cells) for cells in _validated(run, left, meter)]
        finals = [one.cell._replace(part=TEST) for one in chosen]
        late = [cell for cell in finals if not _is_whole(cell, run.digests[cell.row], out)]
        _computed(run, late, lambda: Work(task.both, Learnt.of(task.both), task.test), meter)
    show(1.0, "all cells are on disk")
    return [_row(one, _sure(run, final), out) for one, final in zip(chosen, finals, strict=True)]


def _begun(asked: Asked, task: Task, out: Path) -> tuple[_Run, list[Cell]]:
    """A run, and the cells of validation that are not on disk yet."""
    make_folder(out / CELLS)
    remove_temporaries(out / CELLS)
    digests = {row: digest(task, kind) for row, kind in asked.kinds.items()}
    run = _Run(asked, task, digests, out)
    cells = [cell for row in asked.kinds for cell in asked.cells(row)]
    return run, [cell for cell in cells if _kept(run, cell) is None]


def _validated(run: _Run, left: Sequence[Cell], meter: Meter) -> list[list[Tried]]:
    task, rows = run.task, [run.asked.cells(row) for row in run.asked.kinds]
    _computed(run, left, lambda: Work(task.train, Learnt.of(task.train), task.valid), meter)
    return [[Tried(cell, _sure(run, cell)) for cell in cells] for cells in rows]


def best_of(cells: Sequence[Tried]) -> Tried:
    """The cell with the highest F1 in validation; of equal ones the first."""
    return max(cells, key=lambda one: one.result.evaluation.overall.f1)


def _row(one: Tried, test: Result, out: Path) -> Row:
    cell, valid = one
    folder = out / TAGGERS / cell._replace(part=TEST).name
    return Row(cell.row, cell, valid, test, folder, times_tested(cell.row, out / CELLS))


def _computed(
    run: _Run, cells: Sequence[Cell], work: Callable[[], Work], meter: Meter
) -> None:  # fmt: skip
    """Compute cells side by side; their sentences are made into numbers once."""
    if cells:
        given = work()
        all_done([_one(run, cell, given, meter) for cell in cells], run.asked.jobs, meter)
    meter.pause()


def _steps(asked: Asked, rows: Sequence[str]) -> int:
    """How many steps a cell of each row usually takes, with all taggers that decide together."""
    return sum(USUAL_STEPS * len(asked.kinds[row].parts) for row in rows)


def _one(run: _Run, cell: Cell, work: Work, meter: Meter) -> Callable[[], None]:
    def tell(step: int) -> None:
        usual = step <= _steps(run.asked, [cell.row])
        meter.gain(1.0 if usual else 0.0, f"{cell.name}, step {step}")

    def do() -> None:
        meter.pause()
        kind = run.asked.kinds[cell.row].scaled(cell.scale, cell.hidden_scale)
        tagger, result = compute(cell, kind, work, tell)
        if cell.part == TEST:
            save_tagger(run.out / TAGGERS / cell.name, tagger, run.digests[cell.row])
        keep(cell, result, run.digests[cell.row], run.out / CELLS)

    return do


def _is_whole(final: Cell, digest: str, out: Path) -> bool:
    """Whether a tagger was tested, and is still there."""
    was_tested = kept(final, digest, out / CELLS) is not None
    return was_tested and digest_of(out / TAGGERS / final.name) == digest


def _kept(run: _Run, cell: Cell) -> Result | None:
    return kept(cell, run.digests[cell.row], run.out / CELLS)


def _sure(run: _Run, cell: Cell) -> Result:
    result = _kept(run, cell)
    assert result is not None
    return result


def best_row(rows: Sequence[Row]) -> Row:
    """The row that is best in validation; of equal ones the first."""
    return max(rows, key=lambda row: row.valid.evaluation.overall.f1)


def best_tagger(rows: Sequence[Row]) -> tuple[Row, Tagger]:
    """That row, and its tagger."""
    return best_row(rows), load_tagger(best_row(rows).folder)
