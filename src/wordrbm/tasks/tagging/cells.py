"""Cells of a grid: a tagger of one representation and penalty, fitted, tried, its numbers kept.

A cell that is on disk is not computed again. It says in its file which sentences and which vectors
it is of; one of others is refused.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.storage import write_text
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.spans import Counts, Evaluation, evaluate
from wordrbm.tasks.tagging.tagger import Learnt, Tagger, train_tagger

METHOD = 1  # cells that were made in another way are not taken
VALID, TEST, CRFSUITE = "valid", "test", "crfsuite"
LONGEST = 80  # characters of a row in the name of a file


class Cell(NamedTuple):
    """A row of the table with its scales and penalty; tried on one part after another is learnt."""

    row: str
    scale: float
    hidden_scale: float
    c2: float
    part: str = VALID

    @property
    def name(self) -> str:
        """As the name of a file."""
        row = "".join(x if x.isalnum() else "-" for x in self.row)[:LONGEST]
        mark = hashlib.sha256(repr(self).encode()).hexdigest()[:8]  # what the rest leaves out
        sizes = f"s{self.scale:g}-h{self.hidden_scale:g}-c{self.c2:g}"
        return f"{row}-{sizes}-{self.part}-{mark}"


class Result(NamedTuple):
    """How good a cell's tagger is, and what it took."""

    evaluation: Evaluation
    steps: int
    seconds: float


class Work(NamedTuple):
    """What a cell is computed from: sentences to learn from, as numbers too, and to try it on."""

    seen: Sequence[Sentence]
    learnt: Learnt
    tried: Sequence[Sentence]


def compute(
    cell: Cell, representation: Representation, work: Work, tell: Callable[[int], None]
) -> tuple[Tagger, Result]:
    """Fit the tagger of a cell and try it."""
    begun, steps = time.monotonic(), 0

    def count(step: int, value: float) -> None:
        nonlocal steps
        steps = step
        tell(step)

    tagger = train_tagger(
        work.learnt, (one.words for one in work.seen), representation, cell.c2, count
    )
    evaluation = tried(tagger, work.tried)
    return tagger, Result(evaluation, steps, time.monotonic() - begun)


def tried(tagger: Tagger, sentences: Sequence[Sentence]) -> Evaluation:
    """How well sentences with labels are tagged."""
    found = tagger.tag([one.columns[:-1] for one in sentences])
    return evaluate((one.labels, tags) for one, tags in zip(sentences, found, strict=True))


def keep(cell: Cell, result: Result, digest: str, out: Path) -> None:
    """Write a cell's numbers."""
    evaluation = result.evaluation
    record = {
        "method": METHOD, "digest": digest, "cell": cell._asdict(),
        "overall": evaluation.overall._asdict(), "accuracy": evaluation.accuracy,
        "types": {kind: counts._asdict() for kind, counts in evaluation.types.items()},
        "steps": result.steps, "seconds": result.seconds,
    }  # fmt: skip
    write_text(_place(cell, out), json.dumps(record, indent=1))


def kept(cell: Cell, digest: str, out: Path) -> Result | None:
    """A cell's numbers, if they are on disk; they must be of these sentences and vectors."""
    path = _place(cell, out)
    if not path.exists():
        return None
    try:
        record: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
        found = record["method"], record["digest"], record["cell"]
        types = {str(kind): _counts(counts) for kind, counts in record["types"].items()}
        evaluation = Evaluation(_counts(record["overall"]), types, float(record["accuracy"]))
        result = Result(evaluation, int(record["steps"]), float(record["seconds"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WordRBMError(f"{path} is damaged; remove it, and run the same command.") from None
    if found != (METHOD, digest, cell._asdict()):
        raise WordRBMError(
            f"{path} is of other sentences, vectors or another seed, or was made in another way; "
            "use another --out, or remove it."
        )
    return result


def times_tested(row: str, out: Path) -> int:
    """How many settings of a row were tested, by all commands that have used this folder."""
    return sum(_row(path) == row for path in out.glob(f"*-{TEST}-*.json"))


def _row(path: Path) -> str | None:
    try:
        return str(json.loads(path.read_text("utf-8"))["cell"]["row"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None  # damaged, and of no row that is wanted now, or it had been told


def _counts(record: Mapping[str, Any]) -> Counts:
    there, found, right = (record[name] for name in Counts._fields)
    if not (isinstance(there, int) and isinstance(found, int) and isinstance(right, int)):
        raise TypeError
    if not 0 <= right <= min(there, found):
        raise ValueError
    return Counts(there, found, right)


def _place(cell: Cell, out: Path) -> Path:
    return out / f"{cell.name}.json"
