"""A whole update on several threads, none of which returns to Python in between.

The threads take shards in turn until there are no more, meet, climb each its part, and meet again.
One of them leads: it is called for every update. The others serve: each waits in compiled code for
the next update, and returns only when none comes for a while, or when the run is over.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.climb import AverageTables, Limits, Pace, Speeds, climb
from wordrbm.kernels.jumps import ReservoirTable
from wordrbm.kernels.order import Plan, visited
from wordrbm.kernels.ranking import Candidates
from wordrbm.kernels.shard import Found, Proposals, Weights, compare_shard
from wordrbm.kernels.together import add, load, meet, store, wait_while
from wordrbm.shapes import Array

TURN, SHARD, HERE, MEETINGS, LARGEST, LOST, GIVEN_UP = range(0, 56, 8)  # a cache line each
CELLS = 56
BEFORE, OVER = 0, -1  # turns that are none: before the first update, and after the last


class Job(NamedTuple):
    """All that the updates of a run work on; the arrays stay where they are."""

    cells: Array
    plan: Plan
    weights: Weights
    speeds: Speeds
    proposals: Proposals
    reservoir: ReservoirTable  # windows to jump to
    jumps: int  # proposed to each chain
    candidates: Candidates  # that the words read are ranked among
    limits: Limits
    averages: AverageTables
    read: Array  # B x n
    v: Array  # 2 x M x n: before and after, in turn
    h: Array  # 2 x M x H
    found: Found  # shards on the first axis
    pace: Array  # the numbers of a `Pace`


@njit(cache=True, nogil=True)
def call(turn: int, cells: Array) -> Any:
    """Call the threads that serve to update number `turn`: all it needs is in place."""
    store(cells, SHARD, 0)
    store(cells, TURN, turn)


@njit(cache=True, nogil=True)
def lead(turn: int, threads: int, seed: int, job: Job) -> Any:
    """Make update number `turn`, together with the threads that were called to it."""
    share(turn, 0, threads, seed, job)


@njit(cache=True, nogil=True)
def serve(turn: int, patience: int, thread: int, threads: int, seed: int, job: Job) -> Any:
    """Take part in every update after `turn`; the last one, or `OVER`, when there is no next."""
    while True:
        following = wait_while(job.cells, TURN, turn, patience)
        if following in (turn, OVER):
            return following
        turn = following
        share(turn, thread, threads, seed, job)


@njit(cache=True, nogil=True)
def share(turn, thread, threads, seed, job):  # type: ignore[no-untyped-def]
    """One thread's share of an update."""
    S = len(job.found.c)
    shard = add(job.cells, SHARD, 1)
    while shard < S:
        compare(turn, shard, S, seed, job)
        shard = add(job.cells, SHARD, 1)
    if not meet(job.cells, HERE, MEETINGS, threads, GIVEN_UP):
        return
    if load(job.cells, LARGEST) < len(job.weights.b):  # else a word is none, and nothing is learnt
        p = job.pace
        pace = Pace(p[0], p[1], p[2], p[3], p[4], p[5])
        if not climb(
            thread, threads, job.weights, job.speeds, job.found, job.limits, job.averages, turn,
            pace,
        ):  # fmt: skip
            store(job.cells, LOST, 1)
    meet(job.cells, HERE, MEETINGS, threads, GIVEN_UP)


@njit(cache=True, nogil=True)
def compare(turn, shard, S, seed, job):  # type: ignore[no-untyped-def]
    """One shard: read its windows, move its chains, keep its gradient."""
    B, M = len(job.read), job.v.shape[1]
    here, own = (
        slice(shard * B // S, (shard + 1) * B // S),
        slice(shard * M // S, (shard + 1) * M // S),
    )
    read = job.read[here]
    if job.plan.before.size > 0:
        largest = visited(job.plan, (turn - 1) * B + here.start, read)
        if largest >= len(job.weights.b):
            store(job.cells, LARGEST, np.int64(largest))
            return
    before, after = (turn - 1) % 2, turn % 2
    f = job.found
    found = Found(
        f.U[shard], f.c[shard], f.number[shard], f.D[shard], f.b[shard], f.weight[shard],
        f.accepted[shard], f.jumped[shard], f.rows[shard : shard + 1],
    )  # fmt: skip
    compare_shard(
        seed, turn, shard, job.weights, job.proposals, job.reservoir, job.jumps, job.candidates,
        read, job.v[before, own], job.h[before, own], job.v[after, own], job.h[after, own], found,
    )  # fmt: skip
