"""Stories become runs: stretches of the stream that a window may not leave.

A unit is a story, or a stretch of at most 2,000 tokens of a longer one. Units are numbered in
order and every so many-th is held out, evenly through the text; training units that follow each
other in a story are joined again. A run is (start, end, part), part 0 training, 1 held out.

The ends of stories come in blocks and the runs go out in blocks, so that a corpus may have any
number of stories. The blocks are gone through twice: which units are held out depends on how
many there are.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from jaxtyping import Int64

UNIT = 2_000
TRAIN, HELDOUT = 0, 1
Ends: TypeAlias = Int64[np.ndarray, " S"]  # of stories that follow each other, in the whole stream


def make_runs(
    blocks: Callable[[], Iterable[Ends]], heldout: float
) -> Iterator[Int64[np.ndarray, "R 3"]]:
    """The runs of stories that fill the stream from 0 on, a block for every block of ends."""
    total = sum(int(units.sum()) for _, units in _with_units(blocks()))
    held, first = held_out(total, heldout), 0
    for ends, units in _with_units(blocks()):
        yield _runs(ends, units, first, held)
        first += int(units.sum())


def held_out(units: int, share: float) -> range:
    """Which units are held out: one in every round(1/share), or the middle one of too few."""
    if share == 0.0 or units < 2:
        return range(0)
    period = round(min(1 / share, 2.0**62))  # the least of shares still gives a number
    if units < period:
        return range(units // 2, units // 2 + 1)
    return range(period // 2, units, period)


def _with_units(blocks: Iterable[Ends]) -> Iterator[tuple[Ends, Ends]]:
    """The bounds of a block's stories, its start put first, and how many units each story is."""
    start = 0
    for ends in blocks:
        bounds = np.concatenate([[start], ends]).astype(np.int64)
        start = int(bounds[-1])
        yield bounds, -(-np.diff(bounds) // UNIT)  # rounded up


def _runs(bounds: Ends, units: Ends, first: int, held: range) -> Int64[np.ndarray, "R 3"]:
    story = np.repeat(np.arange(units.size), units)
    place = np.arange(story.size) - np.repeat(np.cumsum(units) - units, units)
    start = bounds[story] + place * UNIT
    end = np.minimum(start + UNIT, bounds[story + 1])
    number = np.arange(first, first + story.size)
    inside = (number >= held.start) & (number < held.stop)
    part = (inside & ((number - held.start) % held.step == 0)).astype(np.int64)
    opens = np.ones(story.size, bool)
    opens[1:] = (place[1:] == 0) | (part[1:] == HELDOUT) | (part[:-1] == HELDOUT)
    opening = np.flatnonzero(opens)
    closing = np.append(opening[1:], story.size) - 1
    return np.stack([start[opening], end[closing], part[opening]], axis=1)
