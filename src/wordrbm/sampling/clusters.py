"""Words in clusters by their vectors, so that a proposal can look where the context points.

k-means on the rows of the word table, every word as heavy as ``q(w)^0.75``; the most frequent
words are clusters of their own. Lloyd's steps are matrix products over blocks of words,
O(K C r), and start from the clusters before, or from the vectors of the most frequent words left.
The same rows give the same clusters.

References
    S. Lloyd. Least squares quantization in PCM. IEEE Trans. Inform. Theory 28(2), 1982.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.alias import build_alias
from wordrbm.kernels.clusters import PLACES, Grouped
from wordrbm.shapes import Array, Probability

VOCAB_BLOCK = 4096  # words scored together
HEAVINESS = 0.75
ITERATIONS = 4


class Clusters(NamedTuple):
    """Which cluster each word is in, the middle of each and its weight: all that is kept of them.

    ``weight_c exp(g . centroid_c)`` stands for the sum of ``exp(bias_w + g . row_w)`` over the
    words of c, and is in proportion to it for g = 0.
    """

    label: Int[np.ndarray, " K"]
    centroid: Float[np.ndarray, "C r"]
    weight: Float[np.ndarray, " C"]


def cluster_counts(K: int, singles: int, groups: int) -> tuple[int, int]:
    """How many words stand alone and how many groups there are, of K words in all."""
    singles = min(singles, K)
    return singles, min(max(groups, 1), K - singles)


def find_clusters(
    rows: Float[np.ndarray, "K r"],
    bias: Float[np.ndarray, " K"],
    q: Probability,
    *,
    singles: int,
    groups: int,
    before: Clusters | None = None,
) -> Clusters:
    """`singles` words by themselves, the others in `groups`; fewer when words are few."""
    order = np.argsort(-q, kind="stable")
    singles, groups = cluster_counts(len(q), singles, groups)
    alone, rest = order[:singles], order[singles:]
    label = np.empty(len(q), np.int32)
    label[alone] = np.arange(singles)
    if groups:
        middle = rows[rest[:groups]] if before is None else before.centroid[singles:]
        label[rest] = singles + _lloyd(rows[rest], q[rest] ** HEAVINESS, middle)
    return _weighed(rows, bias, label, singles + groups)


def _weighed(rows: Array, bias: Array, label: Array, C: int) -> Clusters:
    """The middle and the weight of every cluster, its words as heavy as ``exp(bias)``."""
    heavy = np.exp(bias.astype(np.float64) - bias.max())
    centroid = np.zeros((C, rows.shape[1]), rows.dtype)
    _means(rows, heavy, label, centroid)
    return Clusters(label, centroid, np.bincount(label, heavy, minlength=C).astype(rows.dtype))


def grouped(clusters: Clusters, q: Probability, *, share: float, steps: int) -> Grouped:
    """The clusters laid out for compiled code: members side by side, an alias table for each."""
    label, dtype = clusters.label, clusters.centroid.dtype
    missing = -len(clusters.centroid) % PLACES  # clusters without words, never drawn
    centroid = np.pad(clusters.centroid, ((0, missing), (0, 0)))
    weight = np.pad(clusters.weight, (0, missing))
    centroid[weight == 0] = centroid[weight.argmax()]
    order = np.argsort(label, kind="stable").astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=len(centroid)))])
    keep, alias, inside = np.empty(len(q)), np.empty(len(q), np.int32), np.empty(len(q))
    for here in map(slice, first[:-1].tolist(), first[1:].tolist()):
        if here.start < here.stop:
            _alias_inside(q[order[here]], keep[here], alias[here], inside[here])
            alias[here] += here.start
    mass = np.bincount(label, q / q.sum(), minlength=len(centroid))
    masses = np.cumsum(mass.reshape(PLACES, -1), axis=0)
    log_q = np.empty(len(q))
    log_q[order] = np.log(inside) + np.log(mass[label[order]])
    return Grouped(
        centroid, weight, mass.astype(dtype), masses, np.cumsum(masses[-1]), first, keep,
        np.stack([order, order[alias]], axis=1), label, log_q.astype(dtype), share, steps,
    )  # fmt: skip


def _alias_inside(weight: Array, keep: Array, alias: Array, inside: Array) -> None:
    """One cluster's table, and the probabilities that it really draws with."""
    size = len(weight)
    build_alias(weight * (size / weight.sum()), keep, alias)
    inside[:] = (keep + np.bincount(alias, 1.0 - keep, minlength=size)) / size


def _lloyd(rows: Array, weight: Array, middle: Array) -> Array:
    """The nearest centroid of every row, after some steps."""
    middle = middle.copy()
    for _ in range(ITERATIONS):
        label = _nearest(rows, middle)
        _means(rows, weight, label, middle)
    return _nearest(rows, middle)


def _nearest(rows: Array, middle: Array) -> Array:
    """Of every row the nearest centroid, by ``x . m - m . m / 2``."""
    label, half = np.empty(len(rows), np.int32), 0.5 * (middle * middle).sum(axis=1)
    for first in range(0, len(rows), VOCAB_BLOCK):
        here = slice(first, first + VOCAB_BLOCK)
        label[here] = (rows[here] @ middle.T - half).argmax(axis=1)
    return label


def _means(rows: Array, weight: Array, label: Array, middle: Array) -> None:
    """Move every centroid to the weighted mean of its words; one without words stays."""
    total = np.bincount(label, weight, minlength=len(middle))
    named = total > 0
    for k in range(rows.shape[1]):
        sums = np.bincount(label, weight * rows[:, k], minlength=len(middle))
        middle[named, k] = sums[named] / total[named]
