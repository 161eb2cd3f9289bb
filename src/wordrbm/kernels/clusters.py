"""Proposals by clusters of words: a cluster by how well its centroid fits, then a word inside it.

With ``m_c = sum of q over cluster c`` and g the context of a position,

    p(c) = share m_c + (1 - share) m_c exp(g . centroid_c) / Z,    q(w | g) = p(c_w) q(w) / m_c.

One product scores the centroids for many contexts; a cluster is found by running sums, in blocks, a
word by the cluster's own alias table. Nothing depends on K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.bits import exponentials
from wordrbm.kernels.elementary import exp, log
from wordrbm.kernels.stream import next_uniform
from wordrbm.kernels.walk import REORDER
from wordrbm.shapes import Array

PLACES = 16  # clusters in a block: cluster c is at place c // blocks of block c % blocks
LARGEST = {"nnan", "nsz"}  # lets a largest number be found in vector registers


class Grouped(NamedTuple):
    """K words in C clusters, C a multiple of `PLACES`; members of a cluster lie side by side."""

    centroid: Array  # C x r
    mass: Array  # C: the probability q of its words together
    first: Array  # C + 1: where its members begin
    keep: Array  # K: alias tables of the members, each inside its cluster
    member: Array  # K x 2: the word that is kept, and the one drawn else
    cluster: Array  # K: the cluster of each word
    log_q: Array  # K: as it is really drawn, mass times the inside of the cluster
    share: float  # of proposals that do not look at the context
    steps: int


@njit(cache=True, nogil=True)
def walk_clusters(  # type: ignore[no-untyped-def]
    stream, grouped, rows, bias, context, v, accepted
):
    """Move every word of v given its row of `context`, in place."""
    fit = np.dot(context, grouped.centroid.T)
    luck = exponentials(stream, v.size * grouped.steps).reshape(v.size, grouped.steps)
    blocks = len(grouped.mass) // PLACES
    sums, ends = np.empty((PLACES, blocks), np.float64), np.empty(blocks, np.float64)
    drawn, place = np.empty(grouped.steps, np.int32), np.empty(grouped.steps, np.int32)
    offer = np.empty(grouped.steps, context.dtype)
    for r in range(v.size):
        prefer(fit[r], grouped)
        add_up(fit[r].reshape(PLACES, blocks), sums, ends)
        for t in range(grouped.steps):
            place[t] = draw_cluster(next_uniform(stream), sums, ends)
        for t in range(grouped.steps):
            drawn[t] = draw_member(next_uniform(stream), grouped, place[t])
        for t in range(grouped.steps):
            offer[t] = log_weight(grouped, fit[r], rows, bias, context[r], drawn[t], place[t])
        home = grouped.cluster[v[r]]
        here = log_weight(grouped, fit[r], rows, bias, context[r], v[r], home)
        for t in range(grouped.steps):
            if offer[t] + luck[r, t] > here:
                v[r], here = drawn[t], offer[t]
                accepted[r] += 1


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REORDER)
def prefer(fit, grouped):  # type: ignore[no-untyped-def]
    """Turn ``g . centroid`` into p(c)."""
    top, total = largest(fit), fit.dtype.type(0)
    for c in range(fit.size):
        fit[c] = exp(fit[c] - top) * grouped.mass[c]
        total += fit[c]
    share = fit.dtype.type(grouped.share)
    scale = (fit.dtype.type(1) - share) / total
    for c in range(fit.size):
        fit[c] = share * grouped.mass[c] + scale * fit[c]


@njit(cache=True, nogil=True, fastmath=LARGEST)
def largest(x):  # type: ignore[no-untyped-def]
    """The largest of some numbers."""
    top = x[0]
    for c in range(x.size):
        top = x[c] if x[c] > top else top
    return top


@njit(cache=True, nogil=True)
def add_up(p, sums, ends):  # type: ignore[no-untyped-def]
    """Running sums of p inside every block, all blocks abreast, and of whole blocks.

    In double precision: the smallest p still counts beside the sum of all.
    """
    for k in range(ends.size):
        sums[0, k] = p[0, k]
    for j in range(1, PLACES):
        for k in range(ends.size):
            sums[j, k] = sums[j - 1, k] + p[j, k]
    total = 0.0
    for k in range(ends.size):
        total += sums[PLACES - 1, k]
        ends[k] = total


@njit(cache=True, nogil=True)
def draw_cluster(uniform, sums, ends):  # type: ignore[no-untyped-def]
    """A cluster with probability p: its block, then its place, by counting sums that are passed."""
    blocks = ends.size
    left, k, j = uniform * ends[blocks - 1], 0, 0
    for block in range(blocks - 1):
        k += left >= ends[block]
    left -= ends[k - 1] if k > 0 else 0.0
    for place in range(PLACES - 1):
        j += left >= sums[place, k]
    return j * blocks + k


@njit(cache=True, nogil=True)
def draw_member(uniform, grouped, c):  # type: ignore[no-untyped-def]
    """A word of cluster c, as likely as q has it there."""
    first = grouped.first[c]
    x = uniform * (grouped.first[c + 1] - first)
    column = int(x)
    k = first + column
    return grouped.member[k, 0 if x - column < grouped.keep[k] else 1]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=REORDER)
def log_weight(grouped, p, rows, bias, context, word, c):  # type: ignore[no-untyped-def]
    """``s(word) - log q(word | g)``, p the probability of every cluster, c that of the word."""
    total = bias[word] - log(p[c] / grouped.mass[c]) - grouped.log_q[word]
    row = rows[word]
    for k in range(context.size):
        total += context[k] * row[k]
    return total
