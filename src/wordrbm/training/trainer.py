"""Stochastic maximum likelihood with persistent chains, as a generator.

Each update reads a batch, moves the chains once, and takes a gradient step [Dahl 2012, section 2].
The batch and the chains are cut into a fixed number of shards, each with its own random stream, and
summed in shard order: the bits do not depend on the number of threads. Logging, scores and
checkpoints are the caller's loop.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.kernels.bigrams import WordTables
from wordrbm.kernels.optimizer import RowRates
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM, WordRepRBM
from wordrbm.sampling import AliasTable, Chains, Transition, draw_hidden, word_tables
from wordrbm.shapes import Probability
from wordrbm.threads import one_blas_thread
from wordrbm.training.batches import Batches, recent_windows
from wordrbm.training.compiled import CompiledUpdate, compile_proposals
from wordrbm.training.exchange import Exchange
from wordrbm.training.optimizer import (
    MAX_WEIGHT,
    Averages,
    LearningRates,
    Model,
    Velocity,
    row_rates_of,
)
from wordrbm.training.ranking import candidates_of
from wordrbm.training.settings import TrainingSettings
from wordrbm.training.update import PlainUpdate, UpdateContext

MIN_WARMUP = 100  # updates over which the rates rise in a short run: a jolt takes as many to heal
WORST_SCORE = 10.0  # times the perplexity of word frequencies: the run has diverged


class TrainingState(NamedTuple):
    """All that the next update needs beside the parameters and the settings."""

    step: int
    chains: Chains
    velocity: Velocity
    averages: Averages | None = None  # of the parameters, if they are taken


def averaged(model: Model, state: TrainingState) -> Model:
    """The model to evaluate and save: the averaged parameters, or the parameters themselves."""
    return model if state.averages is None else state.averages.model(model, state.step)


class Progress(NamedTuple):
    """What one update did, to report; nothing depends on it."""

    windows: int  # read so far
    share: float  # of the run that is done
    rates: LearningRates
    acceptance: float
    jump_acceptance: float = 0.0


def progress_at(
    settings: TrainingSettings, step: int, acceptance: float, jump_acceptance: float = 0.0
) -> Progress:
    """The progress after `step` updates, with the acceptance rates of the last one."""
    rates = learning_rates_at(settings, max(step - 1, 0))
    done = step * settings.batch_size, step / settings.steps
    return Progress(*done, rates, acceptance, jump_acceptance)


def start(model: AbstractRBM, batches: Batches, settings: TrainingSettings) -> TrainingState:
    """The state before the first update: chains start at data, velocities at zero."""
    v = batches(0, settings.chains)
    h = draw_hidden(seed_stream(settings.seed, 0, settings.shards), model.hidden_mean(v))
    gradient = model.gradient(v[:1], h[:1], np.zeros(1, h.dtype))
    velocity = {name: np.zeros_like(value) for name, value in gradient.dense.items()}
    averages = None
    if settings.averaging:
        averages = Averages.start(model, list(gradient.rows), settings.averaging)
    return TrainingState(0, Chains(v, h), velocity, averages)


def learning_rates_at(settings: TrainingSettings, step: int) -> LearningRates:
    """A straight line down to `final_rate` after a warm-up; with `rate_windows` also a root decay.

    Without jumps the chains mix too slowly for a peaked model: a long run then needs rates that
    fall as ``1 / sqrt(1 + windows / rate_windows)``.
    """
    left = 1.0 - (1.0 - settings.final_rate) * step / settings.steps
    if settings.rate_windows is not None:
        left *= (1.0 + step * settings.batch_size / settings.rate_windows) ** -0.5
    left *= min(1.0, (step + 1) / max(1.0, warmup_updates(settings)))
    return LearningRates(
        settings.word_rate * left, settings.hidden_rate * left, settings.momentum, settings.l2
    )


def warmup_updates(settings: TrainingSettings) -> float:
    """Updates over which the rates rise: the share of a run, in a short one `MIN_WARMUP`."""
    if settings.warmup_share is None:
        return settings.warmup
    return min(settings.warmup, max(settings.warmup_share * settings.steps, MIN_WARMUP))


def is_judged(settings: TrainingSettings, step: int) -> bool:
    """Whether held-out scores can tell that the run has diverged: not of a fresh model.

    Word vectors that already say much of the text make the first scores bad, and they recover.
    """
    return step >= min(MIN_WARMUP, warmup_updates(settings), settings.steps)


def train(
    model: AbstractRBM,
    transition: Transition,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    *,
    q: Probability,
    threads: int = 1,
    exchange: Exchange | None = None,
) -> Iterator[tuple[TrainingState, Progress]]:
    """Update `model` in place until the run is done; yields the state after every update.

    The arrays of a state change with the next update, like those of the model: copy what is needed.
    `q` is how often each word is read: frequent words take smaller steps. `exchange` fetches what
    other processes compute, if they share the run.
    """
    row_rates = row_rates_of(model, q, settings)
    words = word_tables(AliasTable.build(q), model.positions)
    return updates(
        model, transition, batches, settings, state, row_rates, words=words, threads=threads,
        exchange=exchange,
    )  # fmt: skip


def updates(
    model: AbstractRBM,
    transition: Transition,
    batches: Batches,
    settings: TrainingSettings,
    state: TrainingState,
    row_rates: RowRates,
    *,
    words: WordTables,
    threads: int = 1,
    exchange: Exchange | None = None,
) -> Iterator[tuple[TrainingState, Progress]]:
    """`train` with precomputed row rates: nothing in it costs O(K), not even the first update.

    `words` are the alias tables that candidates and a share of the jumps are drawn from.
    """
    recent = recent_windows(batches, words, settings)
    context = UpdateContext(
        batches, settings, row_rates, state.chains, state.velocity, recent, state.averages,
        candidates_of(settings, words),
    )  # fmt: skip
    update_of = _update_of(model, transition, context, threads, exchange)
    with update_of as update, one_blas_thread():
        while state.step < settings.steps:
            result = update.step(state.step, learning_rates_at(settings, state.step))
            state = state._replace(step=state.step + 1, chains=result.chains)
            if not result.is_finite:
                check_weights(model, state.velocity, state.step, settings)
            acceptance = result.acceptance, result.jump_acceptance
            yield state, progress_at(settings, state.step, *acceptance)


def _update_of(
    model: AbstractRBM,
    transition: Transition,
    context: UpdateContext,
    threads: int,
    exchange: Exchange | None = None,
) -> CompiledUpdate | PlainUpdate:
    """The compiled update where there is one for this model and operator, else the plain one."""
    proposals = compile_proposals(transition)
    if proposals is not None and isinstance(model, WordRepRBM):
        return CompiledUpdate(model, proposals, context, threads=threads, exchange=exchange)
    if exchange is not None:
        raise WordRBMError("Several processes can share only the compiled update; use one process.")
    return PlainUpdate(model, transition, context, threads=threads)


def check_weights(
    model: AbstractRBM, names: Iterable[str], step: int, settings: TrainingSettings
) -> None:
    """Raise if one of these parameters is not finite or exceeds `MAX_WEIGHT`; costs its size."""
    for name in names:
        largest = float(np.abs(model.parameters()[name]).max())
        if not largest < MAX_WEIGHT:
            _raise_diverged(f"the largest number in {name} is {largest:g}", step, settings)


def check_perplexity(
    perplexity: float, unigram: float, step: int, settings: TrainingSettings
) -> None:
    """Raise if the held-out cloze perplexity is far above that of word frequencies."""
    if not perplexity < WORST_SCORE * unigram:
        evidence = (
            f"the held-out cloze perplexity is {perplexity:g}, of word frequencies {unigram:g}"
        )
        _raise_diverged(evidence, step, settings)


def check_log_likelihood(
    bound: float, unigram: float, step: int, settings: TrainingSettings
) -> None:
    """Raise if the held-out log-likelihood is certainly far below that of word frequencies.

    A model that overfits a small text may be a little worse. Without jumps nothing controls the
    joint distribution, so it is not checked.
    """
    if settings.jumps and not bound > unigram - settings.window * np.log(WORST_SCORE):
        evidence = (
            f"the held-out log-likelihood is at most {bound:.2f} nats a window, of word "
            f"frequencies {unigram:.2f}"
        )
        _raise_diverged(evidence, step, settings)


def _raise_diverged(evidence: str, step: int, settings: TrainingSettings) -> NoReturn:
    raise WordRBMError(
        f"Training diverged by update {step}: {evidence}; lower hidden_rate (now "
        f"{settings.hidden_rate:g}) and word_rate (now {settings.word_rate:g}) threefold and train "
        "again."
    )
