"""Side-by-side ratios, measured in one process: `make bench`.

    1. time per update as K grows, over the time at K = 1,000: it should stay near one
    2. time of one exact Gibbs move of the chains over one Metropolis-Hastings move

Rounds alternate between the things compared, so that a busy machine slows them alike; the median
of the rounds is printed with its spread, and everything is written to a JSON file.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from wordrbm.kernels.stream import seed_stream
from wordrbm.models import init_wordrep
from wordrbm.sampling import Chains, Gibbs, Metropolis, PooledMetropolis, draw_hidden
from wordrbm.training import TrainingSettings, start, train

SIZES = [1_000, 10_000, 100_000, 1_000_000]
ROUNDS, UPDATES = 7, 20
OUT = Path("out") / "benchmarks.json"


def zipf(K: int) -> np.ndarray:
    """Word frequencies as in text: one over the rank."""
    q = 1.0 / np.arange(1, K + 1)
    return q / q.sum()


def updates(K: int) -> Callable[[], float]:
    """A function that makes some updates at this K and gives the seconds of one."""
    settings = TrainingSettings(ngrams=10**9)
    q = zipf(K)
    model = init_wordrep(np.random.default_rng(1), n=3, H=250, d=50, word_probability=q)
    text = np.random.default_rng(2).choice(K, size=(2**20, 3), p=q).astype(np.int32)
    batches = lambda first, size: text[(first + np.arange(size)) % len(text)]  # noqa: E731
    transition = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
    running = train(model, transition, batches, settings, start(model, batches, settings), q=q)
    next(running)  # compiles, and touches the tables once

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(UPDATES):
            next(running)
        return (time.perf_counter() - began) / UPDATES

    return measure


def moves(K: int, B: int = 128) -> dict[str, Callable[[], float]]:
    """The seconds each operator takes to move B chains of trigrams once."""
    q = zipf(K)
    model = init_wordrep(np.random.default_rng(1), n=3, H=250, d=50, word_probability=q)
    operators = {
        "gibbs": Gibbs(),
        "metropolis": Metropolis.from_probability(q, steps=100),
        "pooled": PooledMetropolis.from_probability(q, steps=100),
    }
    stream = seed_stream(1, 0, 0)
    v = np.random.default_rng(2).choice(K, size=(B, 3), p=q).astype(np.int32)
    chains = Chains(v, draw_hidden(stream, model.hidden_mean(v)))

    def timed(operator) -> Callable[[], float]:  # type: ignore[no-untyped-def]
        def measure() -> float:
            began = time.perf_counter()
            operator(stream, model, chains)
            return time.perf_counter() - began

        measure()
        return measure

    return {name: timed(operator) for name, operator in operators.items()}


def ratios(measures: dict[str, Callable[[], float]], base: str) -> dict[str, dict[str, float]]:
    """Each measure over the base, round by round: median, least and most."""
    rounds = [{name: measure() for name, measure in measures.items()} for _ in range(ROUNDS)]
    found = {}
    for name in measures:
        values = [one[name] / one[base] for one in rounds]
        seconds = median(one[name] for one in rounds)
        found[name] = {
            "ratio": median(values), "least": min(values), "most": max(values), "seconds": seconds
        }  # fmt: skip
    return found


def main() -> None:
    with threadpool_limits(1, "blas"):
        growth = ratios({f"{K:,}": updates(K) for K in SIZES}, f"{SIZES[0]:,}")
        operators = ratios(moves(100_000), "pooled")
    for title, table in [("update at K, over K = 1,000", growth), ("move, over pooled", operators)]:
        print(title)
        for name, row in table.items():
            spread = f"{row['least']:.2f} to {row['most']:.2f}"
            print(f"  {name:>12} {row['ratio']:9.2f}  ({spread})  {1e3 * row['seconds']:9.2f} ms")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"update": growth, "move": operators}, indent=2) + "\n")


if __name__ == "__main__":
    main()
