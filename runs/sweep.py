"""What each setting is worth: held-out cloze perplexity after the same time on one thread.

    python runs/sweep.py PREPARED OUT.jsonl [--seconds 60] [--seeds 1] [--only NAME ...]

For every variant of the defaults: its speed over the default's, measured side by side in rounds
that alternate; then a run over so many windows as it reads in the given time, scored on held-out
windows: exact cloze perplexity, joint log-likelihood by annealing, and the heaviest windows. Each
is a whole run, its rates falling to zero, not a longer one cut short. Held-out windows are those
of training: choose by them, and quote another score. One line of JSON for each variant; those
already in the file are left out.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordrbm.analysis.neighbour_groups import GROUPS, neighbour_purity
from wordrbm.io import Vectors
from wordrbm.likelihood.annealing import AnnealingSettings
from wordrbm.likelihood.estimate import estimate_likelihood
from wordrbm.likelihood.heaviest import DistinctWindows, log_masses
from wordrbm.models import AbstractRBM
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.run.evaluation import WEIGHED_WINDOWS, perplexity
from wordrbm.sampling import (
    Chains,
    Metropolis,
    PooledMetropolis,
    Transition,
    TransitionInfo,
    draw_hidden,
)
from wordrbm.shapes import Stream, Words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
from wordrbm.training import TrainingSettings, averaged, start, train
from wordrbm.training.settings import PRESETS
from wordrbm.training.spectral import initial_model

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "likelihood alone": dict(PRESETS["sml"]),
    "128 chains": {"chains": 128},
    "512 chains": {"chains": 512},
    "32 candidates": {"candidates": 32},
    "128 candidates": {"candidates": 128},
    "ranking weight 2": {"ranking_weight": 2.0},
    "ranking weight 12": {"ranking_weight": 12.0},
    "batch 64": {"batch_size": 64, "chains": 64, "shards": 2},
    "batch 128": {"batch_size": 128, "chains": 128, "shards": 2},
    "batch 256": {"batch_size": 256, "chains": 256, "shards": 2},
    "batch 256, chains 512": {"batch_size": 256, "chains": 512},
    "batch 1024": {"batch_size": 1024, "chains": 1024, "shards": 8},
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
    "paper": {"apart": True, "objective": "sml"},
    "twice 50": {"mh_steps": 50, "alternations": 2},
    "four times 25": {"mh_steps": 25, "alternations": 4},
    "paper's procedure": dict(PRESETS["paper"]),
    "no jumps": {"jumps": 0},
    "no averaging": {"averaging": 0},
    "random start": {"initialization": "random"},
    "4 jumps": {"jumps": 4},
    "rates / 2": {"word_rate": 0.5, "hidden_rate": 0.5, "times": True},
    "rates x 2": {"word_rate": 2.0, "hidden_rate": 2.0, "times": True},
}
OWN = {"pool", "alternations", "apart", "times"}  # what a run has no setting for
UPDATES, ROUNDS = 20, 25


class Alternating(NamedTuple):
    """Words given h, h given words, and again: hidden states are drawn so often in an update."""

    operator: Transition
    times: int

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v, info = self.operator(stream, model, chains)
        for _ in range(self.times - 1):
            h = draw_hidden(stream, model.hidden_mean(v))
            v, info = self.operator(stream, model, Chains(v, h))
        return v, info


def run(
    prepared: PreparedCorpus, variant: dict[str, Any], windows: int, seed: int = 1
) -> tuple[Any, Iterator[Any]]:
    """The model and its updates."""
    known = {name: value for name, value in variant.items() if name not in OWN}
    if variant.get("times"):  # factors of the defaults
        known = {name: x * getattr(TrainingSettings(), name) for name, x in known.items()}
    settings = TrainingSettings(**known, windows=windows, seed=seed)
    q = prepared.vocabulary.probability()
    windows = prepared.windows(settings.window, "train")
    batches = ShuffledBatches(windows, settings.seed)
    model = initial_model(settings, batches, len(windows), q)
    state = start(model, batches, settings)
    if variant.get("apart"):  # every word has its own proposals, as in the paper
        apart = Metropolis.from_probability(q, steps=settings.mh_steps)
        return model, train(model, apart, batches, settings, state, q=q)
    pools = PooledMetropolis.from_probability(q, steps=settings.mh_steps, size=variant.get("pool"))
    times = variant.get("alternations", 1)
    transition = pools if times == 1 else Alternating(pools, times)
    return model, train(model, transition, batches, settings, state, q=q)


def pace(updates: Iterator[Any]) -> float:
    """Windows a second over some updates."""
    first = next(updates)[1].windows
    began = time.perf_counter()
    for _ in range(UPDATES):
        last = next(updates)[1].windows
    return float((last - first) / (time.perf_counter() - began))


def speeds(prepared: PreparedCorpus, variant: dict[str, Any]) -> tuple[float, float]:
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


def learn(
    prepared: PreparedCorpus, variant: dict[str, Any], windows: int, seed: int = 1
) -> dict[str, float]:
    """Train over so many windows; what held-out words then cost."""
    model, updates = run(prepared, variant, windows, seed)
    train_windows = prepared.windows(model.positions, "train")
    text, heaviest = DistinctWindows.sample(train_windows, WEIGHED_WINDOWS), []
    for update in updates:
        state, progress = update
        if state.step % max(1, windows // 512 // 20) == 0:
            masses = log_masses(averaged(model, state), text.windows)
            heaviest.append(text.heaviest(masses).share_of_ten)
    model = averaged(model, state)
    held_out = prepared.windows(model.positions, "heldout")
    q = prepared.vocabulary.probability()
    joint = estimate_likelihood(
        model, q, train_windows, held_out.evenly_spaced(2000), AnnealingSettings()
    )
    return {
        "perplexity": perplexity(cloze_log_probability(model, held_out.evenly_spaced(500))),
        "joint": joint.held_out.mean,
        "forward": joint.forward.log_Z,
        "reverse": joint.reverse.mean,
        "ten_heaviest": joint.heaviest.share_of_ten,
        "ten_heaviest_text": joint.heaviest.text_share_of_ten,
        "ten_heaviest_on_the_way": max(heaviest),
        "very_rare": joint.very_rare_share,
        "acceptance": progress.acceptance,
        "neighbours": neighbours(prepared, model),
    }


def neighbours(prepared: PreparedCorpus, model: Any) -> float:
    """The share of nearest neighbours of days, months, numbers, modals that are of their group."""
    vectors = Vectors(prepared.vocabulary.words, model.D)
    purities = [neighbour_purity(vectors, group) for group in GROUPS.values()]
    return float(np.mean([purity.inside / purity.k for purity in purities]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--speed", type=float, default=None, help="the default's windows a second")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    given = parser.parse_args()
    prepared = PreparedCorpus.open(given.prepared)
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    done = {(row["name"], row.get("seed", 1)) for row in map(json.loads, lines)}
    for name in given.only:
        if seeds := [seed for seed in given.seeds if (name, seed) not in done]:
            speed, ratio = speeds(prepared, VARIANTS[name])
        for seed in seeds:
            windows = int((given.speed or speed) * ratio * given.seconds)
            row = {"name": name, "seed": seed, "speed": speed, "ratio": ratio, "windows": windows}
            row |= learn(prepared, VARIANTS[name], windows, seed)
            with given.out.open("a") as out:
                out.write(json.dumps(row) + "\n")
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
