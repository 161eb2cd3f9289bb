"""What each setting is worth: held-out cloze perplexity after the same time on one thread.

    python runs/sweep.py PREPARED OUT.jsonl [--seconds 60] [--only NAME ...]

For every variant of the defaults: its speed over the default's, measured side by side in rounds
that alternate; then a run over so many windows as it reads in the given time, scored exactly on
held-out windows. Each is a whole run, its rates falling to zero, not a longer one cut short. The
held-out windows are those of training: choose by them, and quote another score. One line of JSON
for each variant; those already in the file are left out.
"""

import argparse
import json
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.models import init_wordrep
from wordrbm.sampling import PooledMetropolis
from wordrbm.tasks.scores import held_out_scores, spread
from wordrbm.text.prepared import Prepared
from wordrbm.text.windows import Visit
from wordrbm.training import TrainingSettings, start, train

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "batch 64": {"batch_size": 64, "chains": 64, "shards": 2},
    "batch 128": {"batch_size": 128, "chains": 128, "shards": 2},
    "batch 256": {"batch_size": 256, "chains": 256, "shards": 2},
    "batch 1024": {"batch_size": 1024, "chains": 1024, "shards": 8},
    "batch 256, chains 512": {"batch_size": 256},
    "batch 512, chains 1024": {"chains": 1024},
    "batch 512, chains 256": {"chains": 256},
    "shards 1": {"shards": 1},
    "shards 2": {"shards": 2},
    "shards 8": {"shards": 8},
    "shards 16": {"shards": 16},
    "pool 256": {"pool": 256},
    "pool 512": {"pool": 512},
    "steps 25": {"mh_steps": 25},
    "steps 50": {"mh_steps": 50},
    "steps 200": {"mh_steps": 200},
    "d 25": {"dimension": 25},
    "d 100": {"dimension": 100},
    "H 125": {"hidden": 125},
    "H 500": {"hidden": 500},
    "n 5": {"window": 5},
}
UPDATES, ROUNDS = 20, 25


def run(prepared: Prepared, variant: dict[str, Any], windows: int) -> tuple[Any, Iterator[Any]]:
    """The model and its updates."""
    pool = variant.get("pool")
    settings = TrainingSettings(
        **{name: value for name, value in variant.items() if name != "pool"}, ngrams=windows
    )
    q = prepared.vocabulary.probability()
    sizes = {"n": settings.window, "H": settings.hidden, "d": settings.dimension}
    model = init_wordrep(np.random.default_rng(settings.seed), **sizes, word_probability=q)
    batches = Visit(prepared.windows(settings.window, "train"), settings.seed)
    transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps, size=pool)
    state = start(model, batches, settings)
    return model, train(model, transition, batches, settings, state, q=q)


def pace(updates: Iterator[Any]) -> float:
    """Windows a second over some updates."""
    first = next(updates)[1].windows
    began = time.perf_counter()
    for _ in range(UPDATES):
        last = next(updates)[1].windows
    return float((last - first) / (time.perf_counter() - began))


def speeds(prepared: Prepared, variant: dict[str, Any]) -> tuple[float, float]:
    """The default's windows a second, and the variant's over it, in the quicker rounds.

    What disturbs a machine only ever slows it: the upper quartile is steadier than the median.
    """
    if not variant:
        return pace(run(prepared, {}, 10**9)[1]), 1.0
    running = [run(prepared, {}, 10**9)[1], run(prepared, variant, 10**9)[1]]
    for updates in running:
        pace(updates)
    rounds = [[pace(updates) for updates in running] for _ in range(ROUNDS)]
    one, other = np.quantile(rounds, 0.75, axis=0).tolist()
    return one, other / one


def learn(prepared: Prepared, variant: dict[str, Any], windows: int) -> dict[str, float]:
    """Train over so many windows; what held-out words then cost."""
    model, updates = run(prepared, variant, windows)
    ((state, progress),) = deque(updates, maxlen=1)
    sample = spread(prepared.windows(model.positions, "heldout"), 500)
    q = prepared.vocabulary.probability()
    scores = held_out_scores(model, sample, state.chains.v, q, threads=1, stop=lambda: False)
    return {
        "perplexity": scores.cloze_perplexity,
        "unigram": scores.unigram_perplexity,
        "acceptance": progress.acceptance,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--speed", type=float, default=None, help="the default's windows a second")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    given = parser.parse_args()
    prepared = Prepared.open(given.prepared)
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    done = {json.loads(line)["name"] for line in lines}
    for name in given.only:
        if name in done:
            continue
        speed, ratio = speeds(prepared, VARIANTS[name])
        windows = int((given.speed or speed) * ratio * given.seconds)
        row = {"name": name, "speed": speed, "ratio": ratio, "windows": windows}
        row |= learn(prepared, VARIANTS[name], windows)
        with given.out.open("a") as out:
            out.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
