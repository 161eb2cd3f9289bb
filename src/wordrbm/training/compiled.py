"""The update of the word-representation RBM as one compiled call.

The arrays of a run are allocated once: the gradients of all shards, and the chains twice, before
and after. Held equal to `PlainUpdate` by tests.
"""

import threading
from typing import NoReturn, final

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.kernels.jumps import ReservoirTable, pool_size
from wordrbm.kernels.optimizer import AverageTables, StepSizes, Velocity
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.ranking import Candidates
from wordrbm.kernels.shuffle import ShufflePlan
from wordrbm.kernels.update import (
    ABORTED,
    BAD_ID,
    DIVERGED,
    FINISHED,
    FLAGS,
    NOT_STARTED,
    STEP,
    UpdateState,
    announce,
    run_updates,
)
from wordrbm.models import WordRepRBM
from wordrbm.sampling import AliasTable, Chains, PooledMetropolis, Reservoir, Transition
from wordrbm.shapes import Array, Words
from wordrbm.training.batches import HasShufflePlan, RecentWindows
from wordrbm.training.exchange import Exchange
from wordrbm.training.optimizer import MAX_WEIGHT, Averages, LearningRates
from wordrbm.training.settings import TrainingSettings
from wordrbm.training.update import UpdateContext, UpdateResult

MAX_UPDATES = 2**62  # a worker takes part in all of them
SPINS_BEFORE_SLEEP = 5_000  # reads of the flag before a worker sleeps: some milliseconds


@final
class CompiledUpdate:
    """The word-representation RBM, with proposals that all its positions share."""

    def __init__(
        self,
        model: WordRepRBM,
        proposals: PooledProposals,
        context: UpdateContext,
        *,
        threads: int,
        exchange: Exchange | None = None,
    ) -> None:
        batches, settings, row_rates, chains, velocity, recent, averages, candidates = context
        self._batches, self._settings, self._recent = batches, settings, recent
        self._threads = min(threads, settings.shards)  # more would be idle
        self._exchange = exchange
        self._state = UpdateState(
            flags=np.zeros(FLAGS, np.int64),
            plan=batches.plan if isinstance(batches, HasShufflePlan) else _empty_plan(),
            parameters=Parameters(model.D, model.stacked, model.b, model.c),
            velocity=Velocity(velocity["U"], velocity["c"]),
            proposals=proposals,
            reservoir=_reservoir(recent, chains, candidates),
            jumps=settings.jumps,
            candidates=candidates,
            row_rates=row_rates,
            averages=_average_tables(model, averages),
            read=np.empty((settings.batch_size, settings.window), np.int32),
            v=np.stack([chains.v] * 2).astype(np.int32),
            h=np.stack([chains.h] * 2).astype(model.c.dtype),
            gradient=_allocate(model, settings, candidates.size),
            step_sizes=np.empty(6, model.c.dtype),
            rank=exchange.rank if exchange else 0,
            world=exchange.world if exchange else 1,
            shares_tables=False,
        )
        if exchange:
            self._state = exchange.begin(self._state)
        self._workers = [
            _Worker(k, self._threads, settings.seed, self._state) for k in range(1, self._threads)
        ]

    def __enter__(self) -> "CompiledUpdate":
        if self._workers:  # compiled here, so that a worker need not
            self._state.flags[STEP] = FINISHED
            run_updates(NOT_STARTED, 1, 1, 1, self._threads, self._settings.seed, self._state)
            self._state.flags[STEP] = NOT_STARTED
        try:
            for worker in self._workers:
                worker.start()
        except RuntimeError:  # the system gives no more threads
            self.__exit__()
            raise WordRBMError(
                f"{self._threads} threads cannot be started on this machine; use fewer threads."
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._state.flags[ABORTED] = 1  # for those that wait for one that failed
        self._state.flags[STEP] = FINISHED
        for worker in self._workers:
            worker.wake.set()
        for worker in self._workers:
            if worker.is_alive():
                worker.join()

    def step(self, step: int, rates: LearningRates) -> UpdateResult:
        """Make the update after `step` of them; the model and the velocity change in place."""
        state, B = self._state, self._settings.batch_size
        if not state.plan.before.size:
            state.read[...] = _checked(self._batches(step * B, B), state)
        if self._recent:
            self._recent.at(step)
        state.step_sizes[...] = StepSizes(
            rates.word, rates.word * rates.l2, rates.hidden / B, rates.hidden * rates.l2,
            rates.momentum, MAX_WEIGHT,
        )  # fmt: skip
        self._run(step + 1)
        if self._exchange and state.world > 1:
            self._exchange.gather_gradients(state)
            self._run(-step - 1)  # each process updates its rows and slices
        if state.flags[BAD_ID] >= len(state.parameters.b):
            self._batches(step * B, B)  # which says what is wrong, if it still is
            _refuse_word(int(state.flags[BAD_ID]), state)
        acceptance = float(state.gradient.accepted.mean()) / state.proposals.steps
        jumped = float(state.gradient.jumped.mean()) / max(1, state.jumps)
        if self._exchange:  # after it, other processes may write to what they share
            self._exchange.gather_parameters(step + 1, state)
        after = (step + 1) % 2
        return UpdateResult(
            Chains(state.v[after], state.h[after]), acceptance, not state.flags[DIVERGED], jumped
        )

    def _run(self, step: int) -> None:
        """Run an update, or the half of it that `step` says, on all threads."""
        announce(step, self._state.flags)
        for worker in self._workers:  # after the announcement, or a worker would sleep again
            worker.wake.set()
        run_updates(NOT_STARTED, 1, 1, 0, self._threads, self._settings.seed, self._state)
        if failed := [worker.error for worker in self._workers if worker.error]:
            raise failed[0]


def compile_proposals(transition: Transition) -> PooledProposals | None:
    """The proposals of an operator for compiled code; None if it has no compiled form."""
    if isinstance(transition, PooledMetropolis) and isinstance(transition.proposal, AliasTable):
        table = transition.proposal
        return PooledProposals(
            table.keep, table.alias, transition.log_q, transition.size, transition.steps
        )
    return None


@final
class _Worker(threading.Thread):
    """A thread that takes part in every update, asleep when none comes for a while."""

    def __init__(self, number: int, threads: int, seed: int, state: UpdateState) -> None:
        super().__init__(daemon=True)
        self.wake = threading.Event()
        self.error: BaseException | None = None
        self._place, self._state = (number, threads, seed), state

    def run(self) -> None:
        try:
            self._serve()
        except BaseException as error:  # raised by the leader, which must not wait for this one
            self.error = error
            self._state.flags[ABORTED] = 1

    def _serve(self) -> None:
        step = NOT_STARTED  # whatever the flag holds now: the first update may be announced
        while step != FINISHED:
            step = run_updates(step, MAX_UPDATES, SPINS_BEFORE_SLEEP, *self._place, self._state)
            if step != FINISHED:
                self.wake.wait()
                self.wake.clear()


def _checked(v: Words, state: UpdateState) -> Words:
    """Windows that compiled code may use: it looks at no bound itself."""
    if v.shape != state.read.shape or v.dtype.kind not in "iu":
        raise WordRBMError(
            f"A batch has shape {v.shape} and type {v.dtype}; give batches of integers of shape "
            f"{state.read.shape}."
        )
    for word in (v.min(), v.max()) if v.size else ():
        if not 0 <= word < len(state.parameters.b):
            _refuse_word(int(word), state)
    return v


def _refuse_word(word: int, state: UpdateState) -> NoReturn:
    raise WordRBMError(
        f"A batch holds the word {word:,}; the model knows words 0 to "
        f"{len(state.parameters.b) - 1:,}."
    )


def _average_tables(model: WordRepRBM, averages: Averages | None) -> AverageTables:
    """The averages as compiled code reads them; without any, arrays of the types of theirs."""
    if averages is None:
        averages = Averages(0, {x: model.table(x) for x in "DUbc"}, (), np.empty(0, np.int64))
    D, U, b, c = (averages.value[name] for name in "DUbc")
    return AverageTables(D, U, b.reshape(-1), c, averages.covered, averages.power)


def _empty_plan() -> ShufflePlan:
    """An empty plan, of the same types as that of a corpus on disk."""
    ids: Array = np.empty(0, np.int32)
    ids.flags.writeable = False
    return ShufflePlan(ids, np.empty(0, np.int64), np.empty(0, np.int64), np.uint64(0))


def _reservoir(
    recent: RecentWindows | None, chains: Chains, candidates: Candidates
) -> ReservoirTable:
    """The reservoir of the jumps; without jumps, one window that is never proposed."""
    if recent:
        return recent.jumps.reservoir.table
    return Reservoir.build(chains.v[:1], candidates.words).table


def _allocate(model: WordRepRBM, settings: TrainingSettings, candidates: int) -> ShardGradient:
    """Allocate the gradients of all shards."""
    S, dtype = settings.shards, model.c.dtype
    (n, H, d), M = model.U.shape, settings.chains // settings.shards
    pool = pool_size(settings.jumps, M) if settings.jumps else 0
    R = (settings.batch_size // S + M + pool + candidates) * n
    return ShardGradient(
        U=np.empty((S, H, n * d), dtype),
        c=np.empty((S, H), dtype),
        row_index=np.empty((S, R), np.int32),
        D=np.empty((S, R, d), dtype),
        b=np.empty((S, R), dtype),
        weight=np.empty((S, R), dtype),
        accepted=np.empty((S, M, n), np.int32),
        jumped=np.zeros((S, M), np.int32),
        rows=np.zeros(S, np.int64),
    )
