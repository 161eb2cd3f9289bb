"""How long a tagger takes by the chain field and by CRFsuite, one after the other, on one core.

    python runs/chain_field.py CONLL MODEL [--sentences 1000]

Without and with the vectors and hidden units of a model; the same objective and rule to stop by.
"""

import argparse
import tempfile
import time
from pathlib import Path

from wordrbm.artifacts import load
from wordrbm.tasks.tagging.cells import Cell, Work, compute
from wordrbm.tasks.tagging.crfsuite import refitted
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.tagger import Learnt
from wordrbm.tasks.tagging.task import read_task
from wordrbm.using.precise import one_blas_thread


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=1000)
    given = parser.parse_args()
    task, model = read_task(given.data), load(given.model)
    seen, tried = task.train[: given.sentences], task.valid
    work = Work(seen, Learnt.of(seen), tried)
    kinds = {"words": Representation(), "hidden": Representation(model.raw_vectors, model)}
    for name, kind in kinds.items():
        cell = Cell(name, 0.1, 1.0, 0.2)
        with one_blas_thread():
            _, ours = compute(cell, kind, work, lambda step: None)
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            theirs = refitted(cell, kind, seen, tried, Path(folder))
        seconds = time.monotonic() - begun
        print(
            f"{name}: {ours.seconds:.1f} s, CRFsuite {seconds:.1f} s, ratio "
            f"{seconds / ours.seconds:.1f}; F1 {100 * ours.evaluation.overall.f1:.2f} and "
            f"{100 * theirs.overall.f1:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
