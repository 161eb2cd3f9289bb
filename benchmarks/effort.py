"""How much to measure: enough to quote the figures, or just to see that all of it runs."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Effort:
    """Sizes and repetitions of all benchmarks; what each one reads is said beside it."""

    rounds: int  # alternations inside one process
    updates: int  # timed together in a round
    sizes: tuple[int, ...]  # growth: vocabularies, the first is the base
    K: int  # gibbs, bound, threads, checkpoints: the vocabulary
    rank: int  # bound: rows and columns of the matrices that are multiplied
    words: int  # word2vec: given to it in a round
    other_sizes: tuple[int, ...]  # others: vocabularies
    processes: int  # others, startup, checkpoints: alternations of things with their own process
    run_updates: int  # checkpoints: in a run with them and in one without
    run_interval: float  # checkpoints: seconds between them
    seeds: int  # learning
    windows: int  # learning: windows read
    heldout: int  # learning: windows scored
    memory_windows: int  # memory: windows read


FULL = Effort(
    rounds=7,
    updates=20,
    sizes=(1_000, 10_000, 100_000, 1_000_000),
    K=100_000,
    rank=2_000,
    words=1_000_000,
    other_sizes=(1_000, 10_000, 100_000, 300_000),
    processes=3,
    run_updates=1_000,
    run_interval=1.0,
    seeds=3,
    windows=600_000,
    heldout=200,
    memory_windows=500_000,
)
LONG = replace(FULL, windows=8_000_000, heldout=500)  # for what shows only in a long run
QUICK = Effort(
    rounds=3,
    updates=3,
    sizes=(1_000, 10_000),
    K=10_000,
    rank=500,
    words=50_000,
    other_sizes=(100, 1_000),
    processes=1,
    run_updates=60,
    run_interval=0.1,
    seeds=2,
    windows=20_000,
    heldout=20,
    memory_windows=20_000,
)
