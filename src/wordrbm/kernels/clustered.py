"""Proposals by clusters of words: a cluster by how well it fits the context, then a word inside it.

With ``m_c`` the probability q of the words of cluster c together, and g the context of a position,

    fit_c = weight_c exp(g . centroid_c),   p(c) = share m_c + (1 - share) fit_c / sum fit,
    q(w | g) = p(c_w) q(w) / m_c.

One product scores the centroids for many contexts; a cluster is found by running sums, in blocks, a
word by the cluster's own alias table. Nothing depends on K.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.fastmath import exp, log
from wordrbm.kernels.metropolis import REORDER
from wordrbm.kernels.rng import exponentials, next_uniform
from wordrbm.shapes import Array

PLACES = 16  # clusters in a block: cluster c is at place c // blocks of block c % blocks


class ClusterTable(NamedTuple):
    """K words in C clusters, C a multiple of `PLACES`; members of a cluster lie side by side."""

    centroid: Array  # C x r; of a cluster without words that of another, so that no maximum is its
    weight: Array  # C: zero for one without words, which is never drawn
    mass: Array  # C: the probability q of its words together
    masses: Array  # running sums of the masses in each block, as of the fit of a context
    ends: Array  # and over whole blocks
    first: Array  # C + 1: where its members begin
    keep: Array  # K: alias tables of the members, each inside its cluster
    member: Array  # K x 2: the word that is kept, and the one drawn else
    cluster: Array  # K: the cluster of each word
    log_q: Array  # K: as it is really drawn, mass times the inside of the cluster
    share: float  # of proposals that do not look at the context
    steps: int


@njit(cache=True, nogil=True, error_model="numpy")
def run_clustered(  # type: ignore[no-untyped-def]
    stream, clusters, rows, bias, context, v, accepted
):
    """Move every word of v given its row of `context`, in place."""
    log_fit = np.dot(context, clusters.centroid.T)
    steps, blocks = clusters.steps, len(clusters.mass) // PLACES
    neg_log_u = exponentials(stream, v.size * steps).reshape(v.size, steps)
    sums, ends = np.empty((PLACES, blocks), context.dtype), np.empty(blocks, np.float64)
    # The last one of each is the word in place.
    word, cluster = np.empty(steps + 1, np.int32), np.empty(steps + 1, np.int32)
    log_weight = np.empty(steps + 1, context.dtype)
    weight = clusters.weight.reshape(PLACES, blocks)
    for r in range(v.size):
        sum_fits(log_fit[r].reshape(PLACES, blocks), largest(log_fit[r]), weight, sums)
        scale = (1.0 - clusters.share) / sum_blocks(sums[PLACES - 1], ends)
        draw_clusters(
            stream, clusters.share, clusters.masses, clusters.ends, sums, ends, cluster[:-1]
        )
        draw_members(stream, clusters.first, clusters.keep, clusters.member, cluster[:-1], word)
        word[steps], cluster[steps] = v[r], clusters.cluster[v[r]]
        log_cluster_ratio(clusters.share, scale, sums, clusters.mass, cluster, log_weight)
        add_scores(rows, bias, clusters.log_q, context[r], word, log_weight)
        accepted[r] += accept_proposals(word, log_weight, neg_log_u[r])
        v[r] = word[steps]


@njit(cache=True, nogil=True)
def accept_proposals(word, log_weight, neg_log_u):  # type: ignore[no-untyped-def]
    """Move one word, the last entry, by its proposals in place; returns how often it moved."""
    current, taken = neg_log_u.size, 0
    for t in range(neg_log_u.size):
        if log_weight[t] + neg_log_u[t] > log_weight[current]:
            current = t
            taken += 1
    word[neg_log_u.size] = word[current]
    return taken


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def sum_fits(log_fit, top, weight, sums):  # type: ignore[no-untyped-def]
    """Running sums of fit inside every block, all blocks at once; `log_fit` is ``g . centroid``.

    `top`, the largest, is taken off: no context makes a sum that overflows, or is zero.
    """
    for k in range(sums.shape[1]):
        sums[0, k] = weight[0, k] * exp(log_fit[0, k] - top)
    for j in range(1, PLACES):
        for k in range(sums.shape[1]):
            sums[j, k] = sums[j - 1, k] + weight[j, k] * exp(log_fit[j, k] - top)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def largest(x):  # type: ignore[no-untyped-def]
    """The largest of some numbers, in vector registers."""
    top = x[0]
    for c in range(x.size):
        top = x[c] if x[c] > top else top
    return top


@njit(cache=True, nogil=True)
def sum_blocks(block, ends):  # type: ignore[no-untyped-def]
    """Running sums over whole blocks; returns the sum of all."""
    total = 0.0
    for k in range(ends.size):
        total += block[k]
        ends[k] = total
    return total


@njit(cache=True, nogil=True)
def draw_clusters(stream, share, masses, mass_ends, sums, ends, cluster):  # type: ignore[no-untyped-def]
    """Clusters with probability p(c); each takes one uniform number, which serves twice."""
    for t in range(cluster.size):
        uniform = next_uniform(stream)
        if uniform < share:
            cluster[t] = draw_cluster(uniform / share, masses, mass_ends)
        else:
            cluster[t] = draw_cluster((uniform - share) / (1.0 - share), sums, ends)


@njit(cache=True, nogil=True)
def draw_cluster(uniform, sums, ends):  # type: ignore[no-untyped-def]
    """A cluster by sums: its block, then its place, by counting those that are passed."""
    blocks = ends.size
    left, k, j = uniform * ends[blocks - 1], 0, 0
    for block in range(blocks - 1):
        k += left >= ends[block]
    left -= ends[k - 1] if k > 0 else 0.0
    for place in range(PLACES - 1):
        j += left >= sums[place, k]
    return j * blocks + k


@njit(cache=True, nogil=True)
def draw_members(stream, first, keep, member, cluster, word):  # type: ignore[no-untyped-def]
    """A word of each of these clusters, as likely as q has it there."""
    for t in range(cluster.size):
        c = cluster[t]
        x = next_uniform(stream) * (first[c + 1] - first[c])
        k = first[c] + int(x)
        word[t] = member[k, 0 if x - int(x) < keep[k] else 1]


@njit(cache=True, nogil=True, error_model="numpy")
def log_cluster_ratio(share, scale, sums, mass, cluster, out):  # type: ignore[no-untyped-def]
    """``log(p(c) / m_c)``; p by what a cluster really adds to its block, after rounding."""
    blocks, one = sums.shape[1], sums.dtype.type(1)
    for t in range(cluster.size):
        c = cluster[t]
        j, k = c // blocks, c % blocks
        fit = sums[j, k] - sums[j - 1, k] if j > 0 else sums[0, k]
        out[t] = log(one * share + one * scale * fit / mass[c])


@njit(cache=True, nogil=True, fastmath=REORDER)
def add_scores(rows, bias, log_q, context, word, log_weight):  # type: ignore[no-untyped-def]
    """``s(word) - log q(word | g)`` of some words, from ``log(p(c) / m_c)``, in place."""
    for t in range(word.size):
        row, total = rows[word[t]], bias[word[t]] - log_q[word[t]] - log_weight[t]
        for k in range(context.size):
            total += context[k] * row[k]
        log_weight[t] = total
