"""A whole update on several threads, none of which returns to Python in between.

The threads take shards one after another until there are no more, wait at a barrier, apply each its
share of the gradient, and wait again. One of them is the leader, called for every update. The
others are workers: each spins in compiled code until the next update is announced, and returns only
when none comes for a while, or when the run is over. All call the same function, since it takes
numba most of a minute to compile it.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import (
    atomic_add,
    atomic_load,
    atomic_store,
    barrier_wait,
    spin_while,
    thread_slice,
)
from wordrbm.kernels.jumps import ReservoirTable
from wordrbm.kernels.optimizer import AverageTables, RowRates, StepSizes, Velocity, apply_gradient
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient, shard_gradient
from wordrbm.kernels.ranking import Candidates
from wordrbm.kernels.shuffle import ShufflePlan, fill_batch
from wordrbm.shapes import Array

# A cache line for each flag.
STEP, NEXT_SHARD, ARRIVED, GENERATION, BAD_ID, DIVERGED, ABORTED = range(0, 56, 8)
FLAGS = 56
NOT_STARTED, FINISHED = 0, -(2**62)  # step numbers that no update has


class UpdateState(NamedTuple):
    """All that the updates of a run work on; the arrays stay where they are."""

    flags: Array
    plan: ShufflePlan
    parameters: Parameters
    velocity: Velocity
    proposals: PooledProposals
    reservoir: ReservoirTable  # windows to jump to
    jumps: int  # proposed to each chain
    candidates: Candidates  # that the words read are ranked among
    row_rates: RowRates
    averages: AverageTables
    read: Array  # B x n
    v: Array  # 2 x M x n: before and after, alternating
    h: Array  # 2 x M x H
    gradient: ShardGradient  # shards on the first axis
    step_sizes: Array  # the numbers of a `StepSizes`
    rank: int  # of the process, among those that share the shards
    world: int  # how many they are
    shares_tables: bool  # whether they have one D, b and so on in memory that all have mapped


@njit(cache=True, nogil=True)
def announce(step: int, flags: Array) -> Any:
    """Tell the waiting threads that update number `step` can begin."""
    atomic_store(flags, NEXT_SHARD, 0)
    atomic_store(flags, STEP, step)


@njit(cache=True, nogil=True)
def run_updates(
    step: int, count: int, spins: int, thread: int, threads: int, seed: int, state: UpdateState
) -> Any:
    """Take part in up to `count` updates after `step`; returns the last one, or `FINISHED`.

    The leader, thread 0, is called for the one it has announced. The workers are called for all,
    and return when none is announced for so many spins.
    """
    while count > 0:
        announced = spin_while(state.flags, STEP, step, spins)
        if announced in (step, FINISHED):
            return announced
        step = announced
        run_share(step, thread, threads, seed, state)
        count -= 1
    return step


@njit(cache=True, nogil=True, inline="always")
def run_share(step, thread, threads, seed, state):  # type: ignore[no-untyped-def]
    """One thread's share of an update; where other processes share it too, of one half of it.

    They exchange gradients between the halves: `step` is then the second half of `-step`.
    """
    if step > 0:
        S = len(state.gradient.c)
        shard = state.rank + state.world * atomic_add(state.flags, NEXT_SHARD, 1)
        while shard < S:
            run_shard(step, shard, S, seed, state)
            shard = state.rank + state.world * atomic_add(state.flags, NEXT_SHARD, 1)
        if not barrier_wait(state.flags, ARRIVED, GENERATION, threads, ABORTED):
            return
    if step < 0 or state.world == 1:
        apply_share(abs(step), thread, threads, state)
        barrier_wait(state.flags, ARRIVED, GENERATION, threads, ABORTED)


@njit(cache=True, nogil=True, inline="always")
def apply_share(step, thread, threads, state):  # type: ignore[no-untyped-def]
    """Apply the gradients of all shards to this thread's rows and slices of dense parameters.

    Rows are shared out among all threads that update the same tables.
    """
    if atomic_load(state.flags, BAD_ID) >= len(state.parameters.b):
        return  # a word is out of range: nothing is learnt from the batch
    part, parts = state.rank * threads + thread, state.world * threads
    rows = (part, parts) if state.shares_tables else (thread, threads)
    p = state.step_sizes
    step_sizes = StepSizes(p[0], p[1], p[2], p[3], p[4], p[5])
    if not apply_gradient(
        rows[0], rows[1], part, parts, state.parameters, state.velocity, state.gradient,
        state.row_rates, state.averages, step, step_sizes,
    ):  # fmt: skip
        atomic_store(state.flags, DIVERGED, 1)


@njit(cache=True, nogil=True, inline="always")
def run_shard(step, shard, S, seed, state):  # type: ignore[no-untyped-def]
    """One shard: read its windows, move its chains, keep its gradient."""
    B, M = len(state.read), state.v.shape[1]
    batch, chains = thread_slice(shard, S, B), thread_slice(shard, S, M)
    read = state.read[batch]
    if state.plan.before.size > 0:
        largest = fill_batch(state.plan, (step - 1) * B + batch.start, read)
        if largest >= len(state.parameters.b):
            atomic_store(state.flags, BAD_ID, np.int64(largest))
            return
    before, after = (step - 1) % 2, step % 2
    f = state.gradient
    gradient = ShardGradient(
        f.U[shard], f.c[shard], f.row_index[shard], f.D[shard], f.b[shard], f.weight[shard],
        f.accepted[shard], f.jumped[shard], f.rows[shard : shard + 1],
    )  # fmt: skip
    shard_gradient(
        seed, step, shard, state.parameters, state.proposals, state.reservoir, state.jumps,
        state.candidates, read, state.v[before, chains], state.h[before, chains],
        state.v[after, chains], state.h[after, chains], gradient,
    )  # fmt: skip
