"""The same taggers by CRFsuite itself, to confirm what the chain field gives.

Every dense feature is an attribute with a value, so it takes many times as long. Units that learn
with the tagger are not CRFsuite's to fit: such rows are passed over.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from wordrbm.errors import WordRBMError
from wordrbm.tasks.side_by_side import Show
from wordrbm.tasks.tagging.asked import Asked, digest
from wordrbm.tasks.tagging.attributes import attributes
from wordrbm.tasks.tagging.cells import CRFSUITE, Cell, Result, keep, kept
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.grid import CELLS, Row
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.spans import Evaluation, evaluate
from wordrbm.tasks.tagging.task import Task

MODEL = ".crfsuite"  # of the row that is being fitted
ALL = -1e9  # dense features that sum below zero are features too


def confirmed(
    rows: Sequence[Row], asked: Asked, task: Task, out: Path, show: Show
) -> dict[str, Evaluation]:
    """What CRFsuite finds with the settings of every row; kept as cells are."""
    found, rows = {}, [row for row in rows if not _learns(asked.kinds[row.name])]
    for number, row in enumerate(rows):
        show(number / len(rows), f"CRFsuite: {row.name}")
        kind, cell = asked.kinds[row.name], row.chosen._replace(part=CRFSUITE)
        mark = digest(task, kind)
        result = kept(cell, mark, out / CELLS)
        if result is None:
            begun = time.monotonic()
            evaluation = refitted(cell, kind, task.both, task.test, out / CELLS)
            result = Result(evaluation, 0, time.monotonic() - begun)
            keep(cell, result, mark, out / CELLS)
        found[row.name] = result.evaluation
    show(1.0, "done")
    return found


def refitted(
    cell: Cell, kind: Representation, seen: Sequence[Sentence], tried: Sequence[Sentence],
    folder: Path,
) -> Evaluation:  # fmt: skip
    """Fit and try a cell's tagger by CRFsuite, which wants a file for its model."""
    suite, path = imported(), folder / MODEL
    representation = kind.scaled(cell.scale, cell.hidden_scale)
    trainer = suite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0.0, "c2": cell.c2, "max_iterations": 1000, "feature.minfreq": ALL,
        "feature.possible_states": 1, "feature.possible_transitions": 1,
    })  # fmt: skip
    for sentence, items in zip(seen, _items(seen, representation), strict=True):
        trainer.append(suite.ItemSequence(items), sentence.labels)
    trainer.train(str(path))
    tagger = suite.Tagger()
    tagger.open(str(path))
    guesses = [tagger.tag(suite.ItemSequence(x)) for x in _items(tried, representation)]
    tagger.close()
    path.unlink()
    return evaluate((one.labels, tags) for one, tags in zip(tried, guesses, strict=True))


def _learns(kind: Representation) -> bool:
    return any(one.tuning is not None for one in kind.parts)


def _items(
    sentences: Sequence[Sentence], representation: Representation
) -> Iterator[list[dict[str, float]]]:
    dense = representation.dense([one.words for one in sentences])
    names, begin = [f"dense{f}" for f in range(dense.shape[1])], 0
    for sentence in sentences:
        end = begin + len(sentence.words)
        yield [
            _item(own, names, row)
            for own, row in zip(attributes(sentence.columns[:-1]), dense[begin:end], strict=True)
        ]
        begin = end


def _item(own: list[str], names: list[str], row: Float32[np.ndarray, " F"]) -> dict[str, float]:
    return dict.fromkeys(own, 1.0) | dict(zip(names, row.tolist(), strict=True))


def imported() -> Any:
    """CRFsuite, which is an extra."""
    try:
        import pycrfsuite
    except ImportError:
        raise WordRBMError(
            "python-crfsuite is not installed; install wordrbm[crf], or leave out --confirm."
        ) from None
    return pycrfsuite
