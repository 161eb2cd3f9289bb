"""How hidden units should learn with a tagger, compared on four parts of the training file.

    python runs/tuning.py CONLL VALIDATION MODEL [MODEL ...] [--parts 4] [--settings A,B,C ...]

The first part is the published one to choose by (VALIDATION); the others are a thousand of the
remaining training sentences each, drawn by a seed. The test file is not tried. A setting is the
rate of units, the passes and c2; at a rate of 0 units stay as the model has them, and only the
weights learn. Of several models also all together.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.artifacts import load
from wordrbm.tasks.tagging.cells import tried
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.tagger import Learnt, train_tagger
from wordrbm.tasks.tagging.task import read_task
from wordrbm.tasks.tagging.tuned import Tuning

SEED, SIZE = 123, 1000
SETTINGS = ("0,10,0.1", "0.1,10,0.1", "0.2,10,0.1", "0.4,10,0.1", "0.2,6,0.1", "0.2,20,0.1",
            "0.2,10,0.03", "0.2,10,0.3")  # fmt: skip


def parts(task, count):
    """Sentences to learn from and to try, as often as asked."""
    yield task.train, task.valid
    order = np.random.default_rng(SEED).permutation(len(task.train))
    for number in range(count - 1):
        held = set(order[number * SIZE : (number + 1) * SIZE].tolist())
        seen = [one for k, one in enumerate(task.train) if k not in held]
        yield seen + task.valid, [task.train[k] for k in sorted(held)]


def kinds(models, setting):
    """Every model, and all together, with their units learning as a setting has it."""
    rate, passes, c2 = setting.split(",")
    tuning = Tuning(passes=int(passes), unit_rate=float(rate))
    found = {
        path.name: Representation(one.raw_vectors, one, tuning=tuning)
        for path, one in models.items()
    }
    if len(found) > 1:
        found["together"] = Representation(members=tuple(found.values()))
    return found, float(c2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("validation", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--settings", nargs="+", default=SETTINGS)
    given = parser.parse_args()
    models = {path: load(path) for path in given.models}
    scores = {}
    for seen, held in parts(read_task(given.data, given.validation), given.parts):
        learnt, words = Learnt.of(seen), [one.words for one in seen]
        for setting in given.settings:
            found, c2 = kinds(models, setting)
            for name, kind in found.items():
                tagger = train_tagger(learnt, words, kind, c2)
                own = scores.setdefault((name, setting), [])
                own.append(100 * tried(tagger, held).overall.f1)
                print(name, setting, " ".join(f"{x:.2f}" for x in own), flush=True)
    print("\nmodel, rate of units, passes, c2: mean F1")
    for (name, setting), own in scores.items():
        print(f"{name} {setting}: {np.mean(own):.2f}")


if __name__ == "__main__":
    main()
