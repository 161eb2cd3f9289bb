"""One step up the log-likelihood from the gradients of all shards, as one compiled call.

The rules are those of `training/optimizer.py`. Work is cut into parts that may run at once, each
with its own rows and its own stretch of the dense numbers; the bits do not depend on how many.
"""

from typing import Any, NamedTuple

from numba import njit

from wordrbm.kernels.averaging import STRIDE, average_dense, blend, kept_share
from wordrbm.kernels.rows import (
    add_row,
    add_scaled,
    all_below,
    clear_rows,
    part_of,
    scale_of,
    slow_down,
    weigh_rows,
)
from wordrbm.kernels.shard import Found, Weights
from wordrbm.shapes import Array


class Speeds(NamedTuple):
    """The last step of the dense parameters, laid out as they are."""

    U: Array
    c: Array


class Limits(NamedTuple):
    """How far each row may go: see `RowSteps`."""

    damping: Array
    most: Array
    total: Array


class AverageTables(NamedTuple):
    """Running averages of the parameters (`averaging.py`); a power of 0 is none."""

    D: Array
    U: Array
    b: Array
    c: Array
    covered: Array  # K: the sample up to which the averages of a row count
    power: int


class Pace(NamedTuple):
    """The numbers of one step, in the model's precision."""

    word: float  # rate of D and b
    word_shrink: float  # of D
    hidden: float  # rate of U and c, over B
    hidden_shrink: float  # of U
    momentum: float
    bound: float  # of a sane dense number


@njit(cache=True, nogil=True)
def climb(
    part: int,
    parts: int,
    weights: Weights,
    speeds: Speeds,
    found: Found,
    limits: Limits,
    averages: AverageTables,
    turn: int,
    pace: Pace,
) -> Any:
    """This part's share of update `turn`; `found` has the shards on its first axis. Is it sane?"""
    if averages.power > 0:
        average_named(part, parts, weights, found, averages, (turn - 1) // STRIDE)
    climb_rows(part, parts, weights, found, limits, pace)
    sane_U = climb_dense(part, parts, weights.U, speeds.U, found.U, pace, pace.hidden_shrink)
    sane_c = climb_dense(part, parts, weights.c, speeds.c, found.c, pace, pace.word * 0)
    if averages.power > 0 and turn % STRIDE == 0:
        average_stretch(part, parts, weights.U, averages.U, turn // STRIDE, averages.power)
        average_stretch(part, parts, weights.c, averages.c, turn // STRIDE, averages.power)
    return sane_U and sane_c


@njit(cache=True, nogil=True)
def average_named(part, parts, weights, found, averages, now):  # type: ignore[no-untyped-def]
    """Bring the averages of the rows to be changed up to date."""
    for s in range(len(found.rows)):
        for r in range(found.rows[s]):
            w = found.number[s, r]
            if part_of(w, parts) == part and averages.covered[w] < now:
                share = kept_share(averages.covered[w], now, averages.power)
                share = weights.b.dtype.type(share)
                blend(averages.D[w], weights.D[w], share)
                blend(averages.b[w : w + 1], weights.b[w : w + 1], share)
                averages.covered[w] = now


@njit(cache=True, nogil=True)
def average_stretch(part, parts, parameter, average, now, power):  # type: ignore[no-untyped-def]
    """Take this part's stretch of a dense parameter into its average."""
    own = stretch(part, parts, parameter.size)
    average_dense(parameter.reshape(-1)[own], average.reshape(-1)[own], now, power)


@njit(cache=True, nogil=True)
def stretch(part, parts, size):  # type: ignore[no-untyped-def]
    """This part's stretch of so many numbers."""
    return slice(part * size // parts, (part + 1) * size // parts)


@njit(cache=True, nogil=True, error_model="numpy")
def climb_rows(part, parts, weights, found, limits, pace):  # type: ignore[no-untyped-def]
    """D and b, at the rows this part owns."""
    for s in range(len(found.rows)):
        named = slice(0, found.rows[s])
        weigh_rows(part, parts, found.number[s, named], found.weight[s, named], limits.total)
    for s in range(len(found.rows)):
        for r in range(found.rows[s]):
            w = found.number[s, r]
            if part_of(w, parts) == part:
                scale = scale_of(w, limits.damping, limits.most, limits.total)
                weights.b[w] += scale * pace.word * found.b[s, r]
                shrink = scale * pace.word_shrink * found.weight[s, r]
                add_row(weights.D[w], found.D[s, r], scale * pace.word, shrink)
    for s in range(len(found.rows)):
        clear_rows(part, parts, found.number[s, : found.rows[s]], limits.total)


@njit(cache=True, nogil=True)
def climb_dense(part, parts, parameter, speed, found, pace, shrink):  # type: ignore[no-untyped-def]
    """A dense parameter, at this part's stretch of its numbers; whether they are sane."""
    here = stretch(part, parts, parameter.size)
    own, pushed = parameter.reshape(-1)[here], speed.reshape(-1)[here]
    slow_down(pushed, own, pace.momentum, shrink)
    for shard in range(len(found)):
        add_scaled(pushed, found[shard].reshape(-1)[here], pace.hidden)
    add_scaled(own, pushed, pace.momentum * 0 + 1)
    return all_below(own, pace.bound)
