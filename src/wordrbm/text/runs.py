"""Stories become runs: stretches of the stream that a window may not leave.

A unit is a story, or a stretch of at most 2,000 tokens of a longer one. Units are numbered in
order and every so many-th is held out, evenly through the text; training units that follow each
other in a story are joined again. A run is (start, end, part), part 0 training, 1 held out.
"""

import numpy as np
from jaxtyping import Bool, Int64

UNIT = 2_000
TRAIN, HELDOUT = 0, 1


def make_runs(ends: Int64[np.ndarray, " S"], heldout: float) -> Int64[np.ndarray, "R 3"]:
    """The runs of stories that end at `ends` and fill the stream from 0 on."""
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    units = -(-(ends - starts) // UNIT)  # rounded up
    story = np.repeat(np.arange(ends.size), units)
    place = np.arange(story.size) - np.repeat(np.cumsum(units) - units, units)
    start = starts[story] + place * UNIT
    end = np.minimum(start + UNIT, ends[story])
    part = held_out(story.size, heldout).astype(np.int64)
    opens = np.ones(story.size, bool)
    opens[1:] = (place[1:] == 0) | (part[1:] == HELDOUT) | (part[:-1] == HELDOUT)
    first = np.flatnonzero(opens)
    last = np.append(first[1:], story.size) - 1
    return np.stack([start[first], end[last], part[first]], axis=1)


def held_out(units: int, share: float) -> Bool[np.ndarray, " units"]:
    """Which units are held out: one in every round(1/share), or the middle one of too few."""
    held = np.zeros(units, bool)
    if share == 0.0 or units < 2:
        return held
    period = round(min(1 / share, 2.0**62))  # the least of shares still gives a number
    if units < period:
        held[units // 2] = True
    else:
        held[period // 2 :: period] = True
    return held
