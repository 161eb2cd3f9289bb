"""The update of the word-representation RBM as one compiled call.

The arrays of a run are laid out once: room for the gradients of all shards, and for the chains
twice, before and after. Held equal to `PlainUpdate` by tests.
"""

import threading
from typing import NoReturn, final

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.kernels.climb import AverageTables, Limits, Speeds
from wordrbm.kernels.jumps import ReservoirTable, pool_size
from wordrbm.kernels.order import Plan
from wordrbm.kernels.ranking import Candidates
from wordrbm.kernels.shard import Found, Proposals, Weights
from wordrbm.kernels.update import (
    BEFORE,
    CELLS,
    GIVEN_UP,
    LARGEST,
    LOST,
    OVER,
    TURN,
    Job,
    call,
    lead,
    serve,
)
from wordrbm.models import WordRepRBM
from wordrbm.sampling import (
    AliasTable,
    Chains,
    PooledMetropolis,
    Reservoir,
    Transition,
    word_tables,
)
from wordrbm.shapes import Array, Words
from wordrbm.training.averaging import Averages
from wordrbm.training.batches import Planned
from wordrbm.training.optimizer import LARGEST_WEIGHT, Rates
from wordrbm.training.ranking import no_candidates
from wordrbm.training.reservoir import RecentWindows
from wordrbm.training.settings import TrainingSettings
from wordrbm.training.update import Course, Made

PATIENCE = 5_000  # looks for a next update before a helper sleeps: some milliseconds


@final
class CompiledUpdate:
    """The word-representation RBM, with proposals that all its positions share."""

    def __init__(
        self,
        model: WordRepRBM,
        proposals: Proposals,
        course: Course,
        *,
        threads: int,
    ) -> None:
        batches, settings, row_steps, chains, velocity, self._recent, averages, ranking = course
        self._batches, self._settings = batches, settings
        self._threads = min(threads, settings.shards)  # one more would find nothing to do
        self._job = Job(
            cells=np.zeros(CELLS, np.int64),
            plan=batches.plan if isinstance(batches, Planned) else _no_plan(),
            weights=Weights(model.D, model.stacked, model.b, model.c),
            speeds=Speeds(
                velocity["U"].ravel(order="K").reshape(model.stacked.shape),
                velocity["c"],
            ),
            proposals=proposals,
            reservoir=_reservoir(self._recent, settings.window),
            jumps=self._recent.jumps.count if self._recent else 0,
            candidates=ranking.candidates() if ranking else _no_candidates(settings.window),
            limits=Limits(row_steps.damping, row_steps.most, row_steps.total),
            averages=_average_tables(model, averages),
            read=np.empty((settings.batch_size, settings.window), np.int32),
            v=np.stack([chains.v] * 2).astype(np.int32),
            h=np.stack([chains.h] * 2).astype(model.c.dtype),
            found=_room(model, settings, ranking.size if ranking else 0),
            pace=np.empty(6, model.c.dtype),
        )
        self._helpers = [
            _Helper(k, self._threads, settings.seed, self._job) for k in range(1, self._threads)
        ]

    def __enter__(self) -> "CompiledUpdate":
        if self._helpers:  # compiled here, so that a helper can do nothing but serve
            self._job.cells[TURN] = OVER
            serve(BEFORE, PATIENCE, 1, self._threads, self._settings.seed, self._job)
            self._job.cells[TURN] = BEFORE
        try:
            for helper in self._helpers:
                helper.start()
        except RuntimeError:  # the system gives no more threads
            self.__exit__()
            raise WordRBMError(
                f"{self._threads} threads cannot be started on this machine; ask for fewer."
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._job.cells[GIVEN_UP] = 1  # for those that wait for one that failed
        self._job.cells[TURN] = OVER
        for helper in self._helpers:
            helper.wake.set()
        for helper in self._helpers:
            if helper.is_alive():
                helper.join()

    def make(self, step: int, rates: Rates) -> Made:
        job, B = self._job, self._settings.batch_size
        if not job.plan.before.size:
            job.read[...] = _checked(self._batches(step * B, B), job)
        if self._recent:
            self._recent.at(step)
        job.pace[...] = _pace(rates, B)
        call(step + 1, job.cells)
        for helper in self._helpers:  # after the call: one that wakes and hears none sleeps again
            helper.wake.set()
        lead(step + 1, self._threads, self._settings.seed, job)
        if failed := [helper.error for helper in self._helpers if helper.error]:
            raise failed[0]
        if job.cells[LARGEST] >= len(job.weights.b):
            self._batches(step * B, B)  # which says what is wrong, if it still is
            _refuse_word(int(job.cells[LARGEST]), job)
        after = (step + 1) % 2
        taken = float(job.found.accepted.mean()) / job.proposals.steps
        jumped = float(job.found.jumped.mean()) / max(1, job.jumps)
        return Made(Chains(job.v[after], job.h[after]), taken, not job.cells[LOST], jumped)


def proposals_of(transition: Transition) -> Proposals | None:
    """What compiled code reads of an operator; none when it does not know it."""
    if isinstance(transition, PooledMetropolis) and isinstance(transition.proposal, AliasTable):
        table = transition.proposal
        return Proposals(
            table.keep, table.alias, transition.log_q, transition.size, transition.steps
        )
    return None


@final
class _Helper(threading.Thread):
    """A thread that takes part in every update, asleep when none comes for a while."""

    def __init__(self, number: int, threads: int, seed: int, job: Job) -> None:
        super().__init__(daemon=True)
        self.wake = threading.Event()
        self.error: BaseException | None = None
        self._place, self._job = (number, threads, seed), job

    def run(self) -> None:
        try:
            self._serve()
        except BaseException as error:  # told by the leader, who must not wait for this one
            self.error = error
            self._job.cells[GIVEN_UP] = 1

    def _serve(self) -> None:
        turn = BEFORE  # not what the cell holds now: the first update may have been called already
        while (turn := serve(turn, PATIENCE, *self._place, self._job)) != OVER:
            self.wake.wait()
            self.wake.clear()


def _checked(v: Words, job: Job) -> Words:
    """Windows that compiled code may use: it looks at no bound itself."""
    if v.shape != job.read.shape or v.dtype.kind not in "iu":
        raise WordRBMError(
            f"A batch of shape {v.shape} and type {v.dtype} was given; whole numbers of shape "
            f"{job.read.shape} are needed."
        )
    for word in (v.min(), v.max()) if v.size else ():
        if not 0 <= word < len(job.weights.b):
            _refuse_word(int(word), job)
    return v


def _refuse_word(word: int, job: Job) -> NoReturn:
    raise WordRBMError(
        f"A batch holds the word {word:,}; the model knows words 0 to {len(job.weights.b) - 1:,}."
    )


def _pace(rates: Rates, B: int) -> tuple[float, ...]:
    """The numbers of `kernels.climb.Pace`."""
    shrink = rates.word * rates.l2, rates.hidden * rates.l2
    return rates.word, shrink[0], rates.hidden / B, shrink[1], rates.momentum, LARGEST_WEIGHT


def _average_tables(model: WordRepRBM, averages: Averages | None) -> AverageTables:
    """The averages as compiled code reads them; without any, of the same types and empty."""
    if averages is None:
        nothing = np.empty((0, 0), model.c.dtype), np.empty(0, model.c.dtype)
        return AverageTables(nothing[0], nothing[0], *nothing[1:] * 2, np.empty(0, np.int64), 0)
    D, U, b, c = (averages.value[name] for name in "DUbc")
    stacked = U.ravel(order="K").reshape(model.stacked.shape)
    return AverageTables(D, stacked, b, c, averages.covered, averages.power)


def _no_plan() -> Plan:
    """A visit of nothing, of the same types as one of a corpus on disk."""
    ids: Array = np.empty(0, np.int32)
    ids.flags.writeable = False
    return Plan(ids, np.empty(0, np.int64), np.empty(0, np.int64), np.uint64(0))


def _reservoir(recent: RecentWindows | None, n: int) -> ReservoirTable:
    """The windows to jump to; without jumps, one window that nobody is offered."""
    if recent:
        return recent.jumps.reservoir.table
    return Reservoir.build(np.zeros((1, n), np.int32), AliasTable.build(np.ones(1))).table


def _no_candidates(n: int) -> Candidates:
    """Without ranking: tables of one word that nobody draws."""
    return no_candidates(word_tables(AliasTable.build(np.ones(1)), n))


def _room(model: WordRepRBM, settings: TrainingSettings, candidates: int) -> Found:
    """Room for what all shards find, one after another."""
    S, dtype = settings.shards, model.c.dtype
    (n, H, d), M = model.U.shape, settings.chains // settings.shards
    pool = pool_size(settings.jumps, M) if settings.jumps else 0
    R = (settings.batch_size // S + M + pool + candidates) * n
    return Found(
        U=np.empty((S, H, n * d), dtype),
        c=np.empty((S, H), dtype),
        number=np.empty((S, R), np.int32),
        D=np.empty((S, R, d), dtype),
        b=np.empty((S, R), dtype),
        weight=np.empty((S, R), dtype),
        accepted=np.empty((S, M, n), np.int32),
        jumped=np.zeros((S, M), np.int32),
        rows=np.zeros(S, np.int64),
    )
