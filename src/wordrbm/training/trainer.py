"""Stochastic maximum likelihood with persistent chains, as a generator.

Each update reads a batch, moves the chains once, and climbs [Dahl 2012, section 2]. The batch and
the chains are cut into a fixed number of shards, each with its own random stream, and summed in
shard order: the bits do not depend on the number of threads. Logging, scores and checkpoints
are the caller's loop.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from wordrbm.kernels.stream import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, Transition, draw_hidden
from wordrbm.shapes import Probability, Words
from wordrbm.training.divergence import refuse_lost_parameters
from wordrbm.training.gradient import ShardResult, shard_gradient
from wordrbm.training.optimizer import Rates, RowSteps, Velocity, ascend
from wordrbm.training.settings import TrainingSettings

Batches = Callable[[int, int], Words]  # (first, size) -> that many windows of the endless visit


class TrainingState(NamedTuple):
    """All that the next update needs beside the parameters and the settings."""

    step: int
    chains: Chains
    velocity: Velocity


class Progress(NamedTuple):
    """What one update did. Only for the caller's eyes."""

    windows: int  # read so far
    share: float  # of the run that is done
    rates: Rates
    acceptance: float


def progress_at(settings: TrainingSettings, step: int, acceptance: float) -> Progress:
    """What there is to tell after `step` updates, the last of which took this share."""
    rates = rates_at(settings, max(step - 1, 0))
    return Progress(step * settings.batch_size, step / settings.steps, rates, acceptance)


def start(model: AbstractRBM, batches: Batches, settings: TrainingSettings) -> TrainingState:
    """The state before the first update: chains stand on data, dense parameters at rest."""
    v = batches(0, settings.chains)
    h = draw_hidden(seed_stream(settings.seed, 0, settings.shards), model.hidden_mean(v))
    dense = model.gradient(v[:1], h[:1], np.zeros(1, h.dtype)).dense
    return TrainingState(0, Chains(v, h), {name: np.zeros_like(dense[name]) for name in dense})


def rates_at(settings: TrainingSettings, step: int) -> Rates:
    """A straight line down to `final_rate`, times a slow root decay, after a warm-up.

    The chains mix more slowly as the model sharpens, so long runs need lower rates as they go:
    ``1 / sqrt(1 + windows / rate_windows)``.
    """
    left = 1.0 - (1.0 - settings.final_rate) * step / settings.steps
    left *= (1.0 + step * settings.batch_size / settings.rate_windows) ** -0.5
    left *= min(1.0, (step + 1) / max(1, settings.warmup))
    return Rates(
        settings.word_rate * left, settings.hidden_rate * left, settings.momentum, settings.l2
    )


def train(
    model: AbstractRBM,
    transition: Transition,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    *,
    q: Probability,
    threads: int = 1,
) -> Iterator[tuple[TrainingState, Progress]]:
    """Update `model` in place until the run is done; yields the state after every update.

    `q` is how often each word is read: frequent words take smaller steps.
    """
    row_steps = RowSteps.expecting(model, q, settings.batch_size, settings.chains)
    return updates(model, transition, batches, settings, state, row_steps, threads=threads)


def updates(
    model: AbstractRBM,
    transition: Transition,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    row_steps: RowSteps,
    *,
    threads: int = 1,
) -> Iterator[tuple[TrainingState, Progress]]:
    """The same with row steps made before: nothing in it costs O(K), not even its beginning."""
    with ThreadPoolExecutor(threads) as pool, threadpool_limits(1, "blas"):
        while state.step < settings.steps:
            v = batches(state.step * settings.batch_size, settings.batch_size)
            results = _shards(pool, model, transition, v, settings, state)
            rates = rates_at(settings, state.step)
            gradients = [result.gradient for result in results]
            ascend(model, gradients, state.velocity, rates, row_steps, settings.batch_size)
            state = TrainingState(state.step + 1, _joined(results), state.velocity)
            refuse_lost_parameters(model, state.velocity, state.step, settings)
            yield state, progress_at(settings, state.step, _acceptance(results))


def _shards(
    pool: ThreadPoolExecutor,
    model: AbstractRBM,
    transition: Transition,
    v: Words,
    settings: TrainingSettings,
    state: TrainingState,
) -> list[ShardResult]:
    """The gradient of every shard, each from its own stream; the order is the shards'."""

    def one(shard: int) -> ShardResult:
        stream = seed_stream(settings.seed, state.step + 1, shard)
        read = slice(*_bounds(shard, settings.batch_size, settings.shards))
        dreamt = slice(*_bounds(shard, settings.chains, settings.shards))
        chains = Chains(state.chains.v[dreamt], state.chains.h[dreamt])
        with np.errstate(over="ignore", invalid="ignore"):  # a lost run is told in a sentence
            return shard_gradient(stream, model, transition, v[read], chains)

    return list(pool.map(one, range(settings.shards)))


def _bounds(shard: int, total: int, shards: int) -> tuple[int, int]:
    return shard * total // shards, (shard + 1) * total // shards


def _joined(results: list[ShardResult]) -> Chains:
    v = np.concatenate([result.chains.v for result in results])
    return Chains(v, np.concatenate([result.chains.h for result in results]))


def _acceptance(results: list[ShardResult]) -> float:
    taken = sum(int(result.info.accepted.sum()) for result in results)
    made = sum(result.info.accepted.size * result.info.proposed for result in results)
    return taken / made
