"""The grid: every representation with every scale and penalty, chosen by validation, tested once.

The tagger that is tested learns from the sentences for training and for choosing together. A row
whose grid was widened, and that is chosen otherwise now, is tested again: the table says so.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.storage import make_folder, remove_leftovers
from wordrbm.tasks.side_by_side import Meter, Show, Stop, all_done
from wordrbm.tasks.tagging.cells import TEST, Cell, Result, Work, compute, keep, kept, times_tested
from wordrbm.tasks.tagging.tagger import Learnt, Representation, Tagger
from wordrbm.tasks.tagging.tagger_file import digest_of, load_tagger, save_tagger
from wordrbm.tasks.tagging.task import Task
from wordrbm.using.precise import one_blas_thread

CELLS, TAGGERS = "cells", "taggers"
USUAL_STEPS = 150

Kinds = Mapping[str, Representation]  # by the names of rows; scales are those of the grid


class Asked(NamedTuple):
    """What is tried: rows, and the scales and penalties of each."""

    kinds: Kinds
    scales: Sequence[float]
    hidden_scales: Sequence[float]
    penalties: Sequence[float]
    jobs: int

    def cells(self, row: str) -> list[Cell]:
        """The cells of a row; a scale that it does not use is not varied."""
        kind = self.kinds[row]
        scales = self.scales if kind.vectors is not None else (0.0,)
        hidden = self.hidden_scales if kind.model is not None else (0.0,)
        return [Cell(row, s, h, c2) for s in scales for h in hidden for c2 in self.penalties]


class Row(NamedTuple):
    """A line of the table: what was chosen, and how good it is."""

    name: str
    chosen: Cell
    valid: Result
    test: Result
    folder: Path  # of its tagger
    times_tested: int  # with other settings too, where a grid was widened


def run_grid(asked: Asked, task: Task, out: Path, show: Show, stop: Stop) -> list[Row]:
    """Compute what is not on disk yet, first all of validation, then a test for each row."""
    make_folder(out / CELLS)
    remove_leftovers(out / CELLS)
    digests = {row: digest(task, kind) for row, kind in asked.kinds.items()}
    cells = [cell for row in asked.kinds for cell in asked.cells(row)]
    left = [cell for cell in cells if kept(cell, digests[cell.row], out / CELLS) is None]
    meter = Meter((len(left) + len(digests)) * USUAL_STEPS, show, stop)
    run = _Run(asked, digests, out, meter)
    with one_blas_thread():
        _computed(run, left, lambda: Work(task.train, Learnt.of(task.train), task.valid))
        chosen = {
            row: best_cell(asked.cells(row), digests[row], out / CELLS) for row in asked.kinds
        }
        finals = [cell._replace(part=TEST) for cell, _ in chosen.values()]
        late = [cell for cell in finals if not _is_whole(cell, digests[cell.row], out)]
        _computed(run, late, lambda: Work(task.both, Learnt.of(task.both), task.test))
    meter.pause()
    show(1.0, "all cells are on disk")
    return [
        _row(cell, valid, _sure(final, digests[final.row], out / CELLS), out)
        for (cell, valid), final in zip(chosen.values(), finals, strict=True)
    ]


def _row(cell: Cell, valid: Result, test: Result, out: Path) -> Row:
    folder = out / TAGGERS / cell._replace(part=TEST).name
    return Row(cell.row, cell, valid, test, folder, times_tested(cell.row, out / CELLS))


class _Run(NamedTuple):
    asked: Asked
    digests: Mapping[str, str]
    out: Path
    meter: Meter


def _computed(run: _Run, cells: Sequence[Cell], work: Callable[[], Work]) -> None:
    """Compute cells side by side; their sentences are made into numbers once."""
    if cells:
        given = work()
        all_done([_one(run, cell, given) for cell in cells], run.asked.jobs, run.meter)


def _one(run: _Run, cell: Cell, work: Work) -> Callable[[], None]:
    def tell(step: int) -> None:
        run.meter.gain(1.0 if step <= USUAL_STEPS else 0.0, f"{cell.name}, step {step}")

    def do() -> None:
        run.meter.pause()
        kind = run.asked.kinds[cell.row]
        representation = kind._replace(scale=cell.scale, hidden_scale=cell.hidden_scale)
        tagger, result = compute(cell, representation, work, tell)
        if cell.part == TEST:
            save_tagger(run.out / TAGGERS / cell.name, tagger, run.digests[cell.row])
        keep(cell, result, run.digests[cell.row], run.out / CELLS)

    return do


def _is_whole(final: Cell, digest: str, out: Path) -> bool:
    """Whether a tagger was tested, and is still there."""
    was_tested = kept(final, digest, out / CELLS) is not None
    return was_tested and digest_of(out / TAGGERS / final.name) == digest


def best_cell(cells: Sequence[Cell], digest: str, out: Path) -> tuple[Cell, Result]:
    """The cell with the highest F1 in validation; of equal ones the first."""
    results = [(cell, _sure(cell, digest, out)) for cell in cells]
    return max(results, key=lambda one: one[1].evaluation.overall.f1)


def _sure(cell: Cell, digest: str, out: Path) -> Result:
    result = kept(cell, digest, out)
    assert result is not None
    return result


def digest(task: Task, kind: Representation) -> str:
    """A SHA-256 of the sentences, the vectors and the model."""
    found = hashlib.sha256(task.digest().encode())
    for part in (_of_vectors(kind.vectors), _of_model(kind.model)):
        found.update(part)
    return found.hexdigest()


def _of_vectors(vectors: Vectors | None) -> bytes:
    if vectors is None:
        return b""
    words = "\n".join(vectors.words).encode()
    return hashlib.sha256(words + vectors.matrix.tobytes()).digest()


def _of_model(model: TrainedModel | None) -> bytes:
    if model is None:
        return b""
    found = hashlib.sha256(model.vocabulary.digest().encode())
    for name, x in model.rbm.parameters().items():
        found.update(name.encode() + x.tobytes())
    return found.digest()


def best_row(rows: Sequence[Row]) -> Row:
    """The row that is best in validation; of equal ones the first."""
    return max(rows, key=lambda row: row.valid.evaluation.overall.f1)


def best_tagger(rows: Sequence[Row]) -> tuple[Row, Tagger]:
    """That row, and its tagger."""
    return best_row(rows), load_tagger(best_row(rows).folder)
