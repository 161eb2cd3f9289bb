"""An update: every shard computes its gradient, positive less negative phase, then parameters step.

`PlainUpdate` works for any model and any operator, through their own methods; `compiled.py` has the
same for the word-representation RBM with pooled proposals from one alias table.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import NamedTuple, TypeVar, final

import numpy as np

from wordrbm.kernels.optimizer import RowRates
from wordrbm.kernels.ranking import Candidates
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, Jumps, Transition
from wordrbm.training.batches import Batches, RecentWindows
from wordrbm.training.optimizer import Averages, LearningRates, Velocity, part_slice, sgd_step
from wordrbm.training.pcd_gradient import ShardResult, shard_gradient
from wordrbm.training.settings import TrainingSettings

T = TypeVar("T")


class UpdateContext(NamedTuple):
    """What a run of updates reads, and where it begins. The velocity changes in place."""

    batches: Batches
    settings: TrainingSettings
    row_rates: RowRates
    chains: Chains
    velocity: Velocity
    recent: RecentWindows | None  # windows to jump to, if there are jumps
    averages: Averages | None  # change in place, if there are any
    candidates: Candidates  # that the words read are ranked among


class UpdateResult(NamedTuple):
    """What an update did. Its chains are good until the update after next."""

    chains: Chains
    acceptance: float
    is_finite: bool  # whether the dense parameters still are
    jump_acceptance: float = 0.0


@final
class ShardPool:
    """Threads that share out numbered shards; the calling thread is one of them."""

    def __init__(self, threads: int) -> None:
        self._helpers = threads - 1
        self._executor = ThreadPoolExecutor(max(1, self._helpers))

    def __enter__(self) -> "ShardPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()

    def map(self, function: Callable[[int], T], shards: int) -> list[T]:
        """``[function(0), .. function(shards - 1)]``; a free thread takes the next shard."""
        results: dict[int, T] = {}
        next_shard = count()

        def run() -> None:
            while (shard := next(next_shard)) < shards:
                results[shard] = function(shard)

        helpers = [self._executor.submit(run) for _ in range(min(self._helpers, shards - 1))]
        try:
            run()
        finally:
            for helper in helpers:
                helper.result()
        return [results[shard] for shard in range(shards)]


@final
class PlainUpdate:
    """Any model, any operator."""

    def __init__(
        self, model: AbstractRBM, transition: Transition, context: UpdateContext, *, threads: int
    ) -> None:
        self._model, self._transition, self._threads = model, transition, threads
        self._batches, self._settings, self._row_rates, self._chains, self._velocity = context[:5]
        self._recent, self._averages, self._candidates = context[5:]
        self._jumps: Jumps | None = None
        self._pool = ShardPool(threads)

    def __enter__(self) -> "PlainUpdate":
        self._pool.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()

    def step(self, step: int, rates: LearningRates) -> UpdateResult:
        """Make the update after `step` of them; the model and the velocity change in place."""
        self._jumps = self._recent.at(step) if self._recent else None
        results = self._pool.map(partial(self._shard_gradient, step), self._settings.shards)
        gradients = [result.gradient for result in results]
        apply = partial(
            sgd_step, self._model, gradients, self._velocity, rates, self._row_rates,
            self._settings.batch_size, self._threads,
        )  # fmt: skip
        if self._averages:
            self._averages.before_step(self._model, gradients, step)
        is_finite = all(self._pool.map(apply, self._threads))
        if self._averages:
            self._averages.after_step(self._model, step + 1)
        v = np.concatenate([result.chains.v for result in results])
        self._chains = Chains(v, np.concatenate([result.chains.h for result in results]))
        jumped = float(np.mean([result.jumped for result in results]))
        return UpdateResult(self._chains, _acceptance(results), is_finite, jumped)

    def _shard_gradient(self, step: int, shard: int) -> ShardResult:
        """One shard, from its own stream, on its own windows and chains."""
        settings = self._settings
        stream = seed_stream(settings.seed, step + 1, shard)
        read = part_slice(shard, settings.shards, settings.batch_size)
        v = self._batches(step * settings.batch_size + read.start, read.stop - read.start)
        moved = part_slice(shard, settings.shards, settings.chains)
        chains = Chains(self._chains.v[moved], self._chains.h[moved])
        with np.errstate(over="ignore", invalid="ignore"):  # divergence is reported in one sentence
            return shard_gradient(
                stream, self._model, self._transition, v, chains, self._jumps, self._candidates
            )


def _acceptance(results: list[ShardResult]) -> float:
    accepted = sum(int(result.info.accepted.sum()) for result in results)
    return accepted / sum(result.info.accepted.size * result.info.proposed for result in results)
