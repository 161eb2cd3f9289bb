"""Rows that ranks of periodic mode send each other, packed and merged: see `training/periodic.py`.

A row is sent as one record of 32-bit words: its number w, a scale, ``b[w]``, and the change of
``D[w]`` since the ranks last agreed on it as 16-bit integers, two to a word:

    D[w, j] - base[w, j] ~ scale integer[j],   scale = max_j |D[w, j] - base[w, j]| / 32767.

A record to the owner of a row has one more word, how often this rank has updated it. The arrays
``words``, ``numbers`` and ``integers`` are one table of records, seen as int32, float32 and int16.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import owner_thread
from wordrbm.kernels.optimizer import AverageTables, average_decay, blend
from wordrbm.kernels.pcd_gradient import Parameters
from wordrbm.shapes import Array

WORD, SCALE, BIAS, CHANGE = range(4)  # the first words of a record
LARGEST = 32767
NOT_AVERAGED = np.iinfo(np.int64).max  # `covered` of the rows that another rank averages


@njit(cache=True, nogil=True)
def row_owners(rows: Array, world: int) -> Array:
    """The rank that owns each row, by `barrier.py`'s rule."""
    owners = np.empty(rows.size, np.int64)
    for k in range(rows.size):
        owners[k] = owner_thread(rows[k], world)
    return owners


@njit(cache=True, nogil=True)
def count_updates(gradient, updates, updated, count):  # type: ignore[no-untyped-def]
    """``updates[w]`` grows by how often row w is in the gradient; how many rows it has grown at.

    These are ``updated[:count]``, from an empty list on: no other row need be looked at.
    """
    for shard in range(len(gradient.rows)):
        for w in gradient.row_index[shard, : gradient.rows[shard]]:
            if updates[w] == 0:
                updated[count] = w
                count += 1
            updates[w] += 1
    return count


@njit(cache=True, nogil=True)
def write_change(change, integers):  # type: ignore[no-untyped-def]
    """Write a change as integers; their scale, which is no number if the change is none."""
    largest = 0.0
    for x in change:
        if not np.isfinite(x):
            largest = np.nan
        largest = max(largest, abs(x)) if largest == largest else largest
    scale = np.float32(largest / LARGEST)
    for j in range(change.size):
        integers[j] = np.int16(np.rint(change[j] / scale)) if scale > 0 else 0
    return scale


@njit(cache=True, nogil=True)
def pack_rows(rows, updates, base, parameters, words, numbers, integers):  # type: ignore[no-untyped-def]
    """Write the records of rows for their owners."""
    d = base.shape[1]
    change = np.empty(d)
    for k in range(rows.size):
        w = rows[k]
        for j in range(d):
            change[j] = np.float64(parameters.D[w, j]) - base[w, j]
        words[k, WORD], words[k, -1] = w, updates[w]
        numbers[k, SCALE] = write_change(change, integers[k, 2 * CHANGE :])
        numbers[k, BIAS] = parameters.b[w]


@njit(cache=True, nogil=True)
def add_rows_of_rank(words, numbers, integers, place, rows, count, totals):  # type: ignore[no-untyped-def]
    """Add a rank's records, weighted by its updates, to the totals of their rows.

    ``rows[:count]`` are the rows so far and ``place[w]`` is where row w is, -1 before. A total has
    d changes, b and the weight. Returns how many rows there are now.
    """
    d = totals.shape[1] - 2
    for k in range(len(words)):
        w, weight = words[k, WORD], np.float64(words[k, -1])
        if place[w] < 0:
            place[w], rows[count] = count, w
            totals[count] = 0.0
            count += 1
        total, scale = totals[place[w]], weight * numbers[k, SCALE]
        for j in range(d):
            total[j] += scale * integers[k, 2 * CHANGE + j]
        total[d] += weight * numbers[k, BIAS]
        total[d + 1] += weight
    return count


@njit(cache=True, nogil=True)
def pack_means(rows, totals, place, words, numbers, integers):  # type: ignore[no-untyped-def]
    """Write the records of the means of rows, for all ranks, and forget their places."""
    d = totals.shape[1] - 2
    for k in range(rows.size):
        total = totals[k]
        for j in range(d + 1):
            total[j] /= total[d + 1]
        words[k, WORD], numbers[k, BIAS] = rows[k], total[d]
        numbers[k, SCALE] = write_change(total[:d], integers[k, 2 * CHANGE :])
        place[rows[k]] = -1


@njit(cache=True, nogil=True)
def set_rows(  # type: ignore[no-untyped-def]
    words, numbers, integers, now, base, parameters: Parameters, averages: AverageTables
):
    """Read the records of means into the parameters and their base.

    The averages of a row that are kept here are brought up to sample `now` before.
    """
    for k in range(len(words)):
        w, scale = words[k, WORD], numbers[k, SCALE]
        if averages.power > 0 and averages.covered[w] < now:
            average_row(parameters, averages, w, now)
        for j in range(base.shape[1]):
            base[w, j] += scale * np.float32(integers[k, 2 * CHANGE + j])
            parameters.D[w, j] = base[w, j]
        parameters.b[w] = numbers[k, BIAS]


@njit(cache=True, nogil=True)
def average_row(parameters, averages, w, now):  # type: ignore[no-untyped-def]
    """Bring the averages of a row up to sample `now`."""
    decay = parameters.D.dtype.type(average_decay(averages.covered[w], now, averages.power))
    blend(averages.D[w], parameters.D[w], decay)
    blend(averages.b[w : w + 1], parameters.b[w : w + 1], decay)
    averages.covered[w] = now
