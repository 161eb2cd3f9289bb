"""Bytes that a rank sends in an update of exact mode, by the size of the vocabulary.

    python -m benchmarks.volume [UPDATES]

Ranks are threads of this process; made-up text by Zipf's law, default settings without a warm-up:
what is sent in coded form depends on the step sizes, which are largest from the first update on.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.running import ENDLESS, Text, fresh, made_up, pooled
from wordrbm.shapes import Array
from wordrbm.training import TrainingSettings, start, train
from wordrbm.training.exchange import ExactExchange, Exchange

SIZES = (1_000, 100_000, 1_000_000)
WORLDS = (2, 4)
SETTINGS = ENDLESS.model_copy(update={"warmup": 0})


class CountingTransport:
    """Messages between threads; counts what would go over the network."""

    def __init__(self, rank: int, world: int, barrier: threading.Barrier, boxes: list[Any]) -> None:
        self.rank, self.world, self.sent = rank, world, 0
        self._barrier, self._boxes = barrier, boxes

    def meet(self) -> None:
        self._barrier.wait()

    def _swap(self, value: Any) -> list[Any]:
        self._boxes[self.rank] = value
        self.meet()
        values = list(self._boxes)
        self.meet()
        return values

    def all_gather(self, block: Array) -> Array:
        self.sent += block.nbytes * (self.world - 1)
        return np.stack(self._swap(block.copy()))

    def all_to_all(self, blocks: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
        self.sent += sum(block.nbytes for block in blocks) - blocks[self.rank].nbytes
        return [sent[self.rank] for sent in self._swap([block.copy() for block in blocks])]


def bytes_sent(world: int, updates: int, run_of: Callable[[CountingTransport], Any]) -> float:
    """What one rank sends in an update, the mean over ranks and updates; ranks are threads."""
    sent = [0.0] * world
    barrier, boxes = threading.Barrier(world), [None] * world

    def work(rank: int) -> None:
        transport = CountingTransport(rank, world, barrier, boxes)
        run = run_of(transport)
        for _ in range(updates):
            next(run)
        sent[rank] = transport.sent / updates

    workers = [threading.Thread(target=work, args=(rank,)) for rank in range(world)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(sent) / world


def endless_run(text: Text, settings: TrainingSettings, exchange: Exchange | None) -> Any:
    """The updates of a rank."""
    model = fresh(text, settings)
    state = start(model, text.batches, settings)
    return train(model, pooled(text.q), text.batches, settings, state, q=text.q, exchange=exchange)


def _exact_run(text: Text, transport: CountingTransport) -> Any:
    return endless_run(text, SETTINGS, ExactExchange(transport))


def main() -> None:
    """Print a line for every size and number of ranks."""
    updates = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for K in SIZES:
        run_of = partial(_exact_run, made_up(K))
        volumes = [bytes_sent(world, updates, run_of) for world in WORLDS]
        texts = [f"{x / 1e6:.3f} MB ({w} ranks)" for x, w in zip(volumes, WORLDS, strict=True)]
        print(
            f"K = {K:,}: {', '.join(texts)} an update of {ENDLESS.batch_size} windows", flush=True
        )


if __name__ == "__main__":
    main()
