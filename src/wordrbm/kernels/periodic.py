"""Rows that ranks of periodic mode send each other, packed and merged: see `training/periodic.py`.

Of a row is sent its number w and the changes of ``D[w]`` and ``b[w]`` since the ranks last agreed
on them: of ``D[w]`` as integers with a scale (`quantization.py`), of ``b[w]`` as a short float,
both rounded at random. An owner is also sent how often a rank has updated a row, as a short float.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.barrier import owner_thread
from wordrbm.kernels.optimizer import AverageTables, average_decay, blend
from wordrbm.kernels.pcd_gradient import Parameters
from wordrbm.kernels.quantization import (
    BYTES,
    HALF_BYTES,
    NEAREST,
    dequantize,
    draw_key,
    from_short,
    quantize,
    random_word,
    to_short,
)
from wordrbm.shapes import Array

LARGEST = HALF_BYTES  # level of a change of D
FEW = 1.0  # occurrences of a word at a rank at which sum and mean over ranks weigh alike
NOT_AVERAGED = np.iinfo(np.int64).max  # `covered` of the rows that another rank averages


class ChangedRows(NamedTuple):
    """How often each row was in a gradient since it was last merged, and which rows were, by level.

    A row is in a gradient once for every time its word is read, held by a chain or drawn.
    """

    updates: Array  # K
    level: Array  # K: rows of level l are merged at every 2^l-th exchange
    rows: Array  # K: those of level l are rows[first[l] : first[l] + counts[l]]
    first: Array
    counts: Array


class Records(NamedTuple):
    """What is sent of rows, one entry of each array a row."""

    words: Array  # int32
    scales: Array  # short floats, as the next two
    biases: Array
    updates: Array
    levels: Array  # (rows, bytes)


def level_bytes(d: int) -> int:
    """The bytes of the levels of a row of d numbers."""
    return d if LARGEST == BYTES else (d + 1) // 2


@njit(cache=True, nogil=True)
def row_owners(rows: Array, world: int) -> Array:
    """The rank that owns each row, by `barrier.py`'s rule."""
    owners = np.empty(rows.size, np.int64)
    for k in range(rows.size):
        owners[k] = owner_thread(rows[k], world)
    return owners


@njit(cache=True, nogil=True)
def count_updates(gradient, changed):  # type: ignore[no-untyped-def]
    """Note the rows of a gradient; no other row need be looked at when they are merged."""
    for shard in range(len(gradient.rows)):
        for w in gradient.row_index[shard, : gradient.rows[shard]]:
            if changed.updates[w] == 0:
                level = changed.level[w]
                changed.rows[changed.first[level] + changed.counts[level]] = w
                changed.counts[level] += 1
            changed.updates[w] += 1


@njit(cache=True, nogil=True)
def pack_row(k, change, bias, key, scratch, records):  # type: ignore[no-untyped-def]
    """Write the changes of a row as record k."""
    records.scales[k] = quantize(change, key, LARGEST, scratch, records.levels[k])
    dither = random_word(key, change.size) >> np.uint32(16)
    records.biases[k] = to_short(bias, dither)


@njit(cache=True, nogil=True)
def pack_rows(rows, updates, agreed, parameters, step, sender, records):  # type: ignore[no-untyped-def]
    """Write the records of rows for their owners."""
    d = agreed.D.shape[1]
    change, scratch = np.empty(d, np.float32), np.empty(d + 1, np.int32)
    for k in range(rows.size):
        w = rows[k]
        for j in range(d):
            change[j] = parameters.D[w, j] - agreed.D[w, j]
        bias = parameters.b[w] - agreed.b[w]
        pack_row(k, change, bias, draw_key(step, sender, w), scratch, records)
        records.words[k], records.updates[k] = w, to_short(np.float32(updates[w]), NEAREST)


@njit(cache=True, nogil=True)
def add_rows_of_rank(records, place, rows, count, totals):  # type: ignore[no-untyped-def]
    """Add a rank's records, weighted by its updates, to the totals of their rows.

    ``rows[:count]`` are the rows so far and ``place[w]`` is where row w is, -1 before. A total has
    the changes of D and b, the weight, and the number of ranks. Returns how many rows there are
    now.
    """
    d = totals.shape[1] - 3
    change = np.empty(d, np.float32)
    for k in range(len(records.words)):
        w, weight = records.words[k], np.float64(from_short(records.updates[k]))
        if place[w] < 0:
            place[w], rows[count] = count, w
            totals[count] = 0.0
            count += 1
        total = totals[place[w]]
        dequantize(records.scales[k], records.levels[k], LARGEST, change)
        for j in range(d):
            total[j] += weight * change[j]
        total[d] += weight * from_short(records.biases[k])
        total[d + 1] += weight
        total[d + 2] += 1.0
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def merge_factor(updates, ranks):  # type: ignore[no-untyped-def]
    """What the mean change of a row is multiplied by: ``(k FEW + n) / (FEW + n)``.

    It is between k, the sum over k ranks, and 1: what ranks have learnt from few occurrences of a
    word, n each, adds up; of many all have learnt the same.
    """
    n = updates / ranks
    return (ranks * FEW + n) / (FEW + n)


@njit(cache=True, nogil=True, error_model="numpy")
def pack_merged(rows, totals, place, step, sender, records):  # type: ignore[no-untyped-def]
    """Write the records of merged rows, for all ranks, and forget their places."""
    d = totals.shape[1] - 3
    change, scratch = np.empty(d, np.float32), np.empty(d + 1, np.int32)
    for k in range(rows.size):
        total = totals[k]
        factor = merge_factor(total[d + 1], total[d + 2]) / total[d + 1]
        for j in range(d):
            change[j] = factor * total[j]
        pack_row(k, change, factor * total[d], draw_key(step, sender, rows[k]), scratch, records)
        records.words[k] = rows[k]
        place[rows[k]] = -1


@njit(cache=True, nogil=True)
def set_rows(records, now, agreed, parameters: Parameters, averages: AverageTables):  # type: ignore[no-untyped-def]
    """Read the records of merged rows into what the ranks agree on, and into the parameters.

    The averages of a row that are kept here are brought up to sample `now` before.
    """
    change = np.empty(agreed.D.shape[1], np.float32)
    for k in range(len(records.words)):
        w = records.words[k]
        if averages.power > 0 and averages.covered[w] < now:
            average_row(parameters, averages, w, now)
        dequantize(records.scales[k], records.levels[k], LARGEST, change)
        for j in range(change.size):
            agreed.D[w, j] += change[j]
            parameters.D[w, j] = agreed.D[w, j]
        agreed.b[w] += from_short(records.biases[k])
        parameters.b[w] = agreed.b[w]


@njit(cache=True, nogil=True)
def average_row(parameters, averages, w, now):  # type: ignore[no-untyped-def]
    """Bring the averages of a row up to sample `now`."""
    decay = parameters.D.dtype.type(average_decay(averages.covered[w], now, averages.power))
    blend(averages.D[w], parameters.D[w], decay)
    blend(averages.b[w : w + 1], parameters.b[w : w + 1], decay)
    averages.covered[w] = now
