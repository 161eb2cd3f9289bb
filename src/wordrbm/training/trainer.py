"""Stochastic maximum likelihood with persistent chains, as a generator.

Each update reads a batch, moves the chains once, and climbs [Dahl 2012, section 2]. The batch and
the chains are cut into a fixed number of shards, each with its own random stream, and summed in
shard order: the bits do not depend on the number of threads. Logging, scores and checkpoints
are the caller's loop.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from wordrbm.kernels.stream import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains, Transition, TransitionInfo, draw_hidden
from wordrbm.shapes import Probability, Words
from wordrbm.training.crew import Crew
from wordrbm.training.divergence import refuse_lost_parameters
from wordrbm.training.optimizer import Rates, RowSteps, Velocity
from wordrbm.training.settings import TrainingSettings
from wordrbm.training.update import Update, update_of

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
    state = state._replace(velocity=_laid_like(state.velocity, model))
    update = update_of(model, transition, settings, row_steps)
    with Crew(threads) as crew, threadpool_limits(1, "blas"):
        while state.step < settings.steps:
            after = Chains(np.empty_like(state.chains.v), np.empty_like(state.chains.h))
            compare = partial(_compare, update, batches, settings, state, after)
            moves = crew.each(settings.shards, compare)
            climb = partial(
                update.climb,
                parts=threads,
                velocity=state.velocity,
                rates=rates_at(settings, state.step),
            )
            sane = crew.each(threads, climb)
            state = TrainingState(state.step + 1, after, state.velocity)
            if not all(sane):
                refuse_lost_parameters(model, state.velocity, state.step, settings)
            yield state, progress_at(settings, state.step, _acceptance(moves))


def _compare(
    update: Update,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    after: Chains,
    shard: int,
) -> TransitionInfo:
    """One shard's half of an update: it reads its own windows and moves its own chains."""
    read = _share(shard, settings.batch_size, settings.shards)
    v = batches(state.step * settings.batch_size + read.start, read.stop - read.start)
    dreamt = _share(shard, settings.chains, settings.shards)
    before, moved = (Chains(x.v[dreamt], x.h[dreamt]) for x in (state.chains, after))
    return update.compare(state.step + 1, shard, v, before, moved)


def _laid_like(velocity: Velocity, model: AbstractRBM) -> Velocity:
    """The same speeds, in memory as their parameters are, so that both can be walked as one."""
    laid = {name: np.empty_like(model.parameters()[name]) for name in velocity}
    for name, speed in laid.items():
        speed[...] = velocity[name]
    return laid


def _share(shard: int, total: int, shards: int) -> slice:
    return slice(shard * total // shards, (shard + 1) * total // shards)


def _acceptance(moves: list[TransitionInfo]) -> float:
    taken = sum(int(info.accepted.sum()) for info in moves)
    return taken / sum(info.accepted.size * info.proposed for info in moves)
