"""The Metropolis-Hastings walk as block work: all chains over pools of proposals drawn ahead.

For each chain it is the walk of `walk.py`; only gathering and scoring of proposals are shared.
Chains walk in lanes, 32 abreast, as vector registers do.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.bits import LANES, exponentials, random_bits
from wordrbm.kernels.walk import REORDER
from wordrbm.shapes import Array

SHARING = LANES  # chains that share a pool, and walk abreast: the fewer, the less coupled


@njit(cache=True, nogil=True)
def offer_pool(
    table: Array, bias: Array, log_q: Array, shelf: Array, pool: Array, rows: Array, offset: Array
) -> None:
    """Gather the rows of every proposal, and ``bias - log q``, which does not depend on h."""
    for i in range(pool.shape[0]):
        p = shelf[i]
        for k in range(pool.shape[1]):
            word = pool[i, k]
            offset[i, k] = bias[p, word] - log_q[word]
            for r in range(table.shape[2]):
                rows[i, k, r] = table[p, word, r]


@njit(cache=True, nogil=True, fastmath=REORDER)
def stand(
    table: Array, bias: Array, log_q: Array, shelf: Array, context: Array, v: Array, standing: Array
) -> None:
    """``standing[m, i] = s_i(v[m, i]) - log q`` of the words in place; context is (n, M, r)."""
    for m in range(v.shape[0]):
        for i in range(v.shape[1]):
            word, p = v[m, i], shelf[i]
            row, asked = table[p, word], context[i, m]
            total = bias[p, word] - log_q[word]
            for k in range(row.size):
                total += asked[k] * row[k]
            standing[m, i] = total


@njit(cache=True, nogil=True)
def walk_pool(
    stream: Array,
    steps: int,
    pool: Array,
    offered: Array,
    offset: Array,
    standing: Array,
    v: Array,
    accepted: Array,
) -> None:
    """Move the words of up to `SHARING` chains by `steps` different entries of their pools.

    ``offered[i, m, k] + offset[i, k]`` is the log weight s - log q of proposal ``pool[i, k]`` to
    word i of chain m, and ``standing[m, i]`` of the word in place.
    """
    M, n = v.shape
    order = random_bits(stream, 2 * n * M).reshape(n, M, 2)
    luck = exponentials(stream, n * steps * LANES).reshape(n, steps, LANES)
    for i in range(n):
        walk_abreast(
            order[i], luck[i], pool[i], offered[i], offset[i], standing[:, i], v[:, i],
            accepted[:, i],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def walk_abreast(  # type: ignore[no-untyped-def]
    order, luck, pool, offered, offset, standing, v, accepted
):
    """Move one word of each chain, side by side."""
    steps = len(luck)
    offers = np.full((steps, LANES), -np.inf, offered.dtype)  # a lane without a chain never moves
    here, moved = np.zeros(LANES, offered.dtype), np.full(LANES, -1, np.int32)
    taken = np.zeros(LANES, np.int32)
    for lane in range(len(v)):
        line_up(order[lane], offered[lane], offset, offers[:, lane])
        here[lane] = standing[lane]
    accept(offers, luck, here, moved, taken)
    for lane in range(len(v)):
        if moved[lane] >= 0:
            v[lane] = pool[visit(order[lane], moved[lane], pool.size)]
        accepted[lane] += taken[lane]


@njit(cache=True, nogil=True)
def visit(order, t, size):  # type: ignore[no-untyped-def]
    """The entry of the pool at step t: a random start, a random odd stride.

    The pool's size is a power of two, so the steps visit distinct entries, which are independent.
    """
    stride = np.uint64(order[1]) | np.uint64(1)
    return (np.uint64(order[0]) + np.uint64(t) * stride) & np.uint64(size - 1)


@njit(cache=True, nogil=True)
def line_up(order, offered, offset, offers):  # type: ignore[no-untyped-def]
    """One chain's offers in the order of its visits."""
    for t in range(offers.size):
        place = visit(order, t, offset.size)
        offers[t] = offered[place] + offset[place]


@njit(cache=True, nogil=True)
def accept(offers, luck, standing, moved, taken):  # type: ignore[no-untyped-def]
    """The walk itself, all lanes together: `moved` is the last step at which each was moved.

    ``u < exp(offer - standing)`` is asked as ``offer + luck > standing`` with ``luck = -log u``: no
    exponential, nothing to overflow; and as a choice between values, not a jump in the program,
    which a processor would guess wrongly half of the time.
    """
    for t in range(len(offers)):
        offer, chance = offers[t], luck[t]
        for lane in range(LANES):
            take = offer[lane] + chance[lane] > standing[lane]
            standing[lane] = offer[lane] if take else standing[lane]
            moved[lane] = np.int32(t) if take else moved[lane]
            taken[lane] += np.int32(take)
