"""Metropolis-Hastings whose proposals depend on the context: a cluster of words, then a word.

The proposal ``q(w | g)`` of `kernels/clustered.py` depends on h through ``g = context_i(h)`` and
not on the word in place, so it is an independence sampler for each h, and

    a(w <- v_i) = min(1, exp(s(w) - s(v_i)) q(v_i | g) / q(w | g)).

At least a share of the proposals is from q itself, so the weights stay bounded. The clusters may
be of an older model: that changes the acceptance rate, not what the chain leaves unchanged. Every
chain has proposals of its own.

Clusters are found by k-means on the rows of the word table, every word weighted by ``q(w)^0.75``;
the most frequent words are clusters of their own. Lloyd's steps are matrix products over blocks of
words, O(K C r), and start from the vectors of the most frequent words left. The same rows give the
same clusters.

References
    S. Lloyd. Least squares quantization in PCM. IEEE Trans. Inform. Theory 28(2), 1982.
"""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.errors import WordRBMError
from wordrbm.kernels.clustered import PLACES, ClusterTable, run_clustered
from wordrbm.models import AbstractRBM
from wordrbm.sampling.proposals import AliasTable, check_positive
from wordrbm.sampling.transition import Chains, TransitionInfo, TransitionResult
from wordrbm.shapes import Array, Probability, Stream

SINGLETONS, CLUSTERS, SHARE = 128, 128, 0.1
VOCAB_BLOCK = 4096  # words scored in one product
WEIGHT_EXPONENT = 0.75
ITERATIONS = 4


class Clusters(NamedTuple):
    """The cluster of each word, and the centroid and weight of each cluster.

    ``weight_c exp(g . centroid_c)`` stands for the sum of ``exp(bias_w + g . row_w)`` over the
    words of c, and is in proportion to it for g = 0.
    """

    label: Int[np.ndarray, " K"]
    centroid: Float[np.ndarray, "C r"]
    weight: Float[np.ndarray, " C"]


@final
@dataclass(frozen=True, eq=False)
class ClusteredMetropolis:
    """Independence Metropolis-Hastings by clusters of words."""

    tables: tuple[ClusterTable, ...]  # one for each table of words that the model has

    @classmethod
    def from_model(
        cls, model: AbstractRBM, q: Probability, *, steps: int,
        singletons: int = SINGLETONS, clusters: int = CLUSTERS, share: float = SHARE,
    ) -> "ClusteredMetropolis":  # fmt: skip
        """Cluster the words of a model as it is now."""
        tables = [
            cluster_words(rows, bias, q, singletons=singletons, clusters=clusters)
            for rows, bias in zip(model.word_table, model.word_bias, strict=True)
        ]
        return cls.from_clusters(tables, q, steps=steps, share=share)

    @classmethod
    def from_clusters(
        cls, tables: list[Clusters], q: Probability, *, steps: int, share: float = SHARE
    ) -> "ClusteredMetropolis":
        """Build from clusters found before, one `Clusters` for each table of words."""
        if steps < 1 or not 0.0 < share <= 1.0:
            raise WordRBMError(
                f"There are {steps} steps with a share of {share} from word frequencies; use 1 "
                "step or more, and a share above 0 and up to 1."
            )
        check_positive(q)
        return cls(tuple(cluster_table(table, q, share=share, steps=steps) for table in tables))

    @property
    def steps(self) -> int:
        """Proposals for each word in a call."""
        return self.tables[0].steps

    def with_steps(self, steps: int) -> "ClusteredMetropolis":
        """This operator with another number of proposals for each word."""
        return ClusteredMetropolis(tuple(table._replace(steps=steps) for table in self.tables))

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q(w | g)`` of every word, by the formula and in double precision."""
        clusters = self.tables[table]
        mass = clusters.mass.astype(np.float64)
        log_fit = clusters.centroid.astype(np.float64) @ context
        fit = clusters.weight * np.exp(log_fit - log_fit.max())
        p = clusters.share * mass + (1.0 - clusters.share) * fit / fit.sum()
        return np.log(p[clusters.cluster] / mass[clusters.cluster]) + clusters.log_q

    def __call__(self, stream: Stream, model: AbstractRBM, chains: Chains) -> TransitionResult:
        v, accepted = chains.v.copy(), np.zeros(chains.v.shape, np.int32)
        context, table_index = model.word_context(chains.h), model.table_index
        for p, (rows, bias) in enumerate(zip(model.word_table, model.word_bias, strict=True)):
            positions = np.flatnonzero(table_index == p)
            contexts = np.ascontiguousarray(context[:, positions]).reshape(-1, rows.shape[1])
            words, taken = v[:, positions].flatten(), np.zeros(len(contexts), np.int32)
            run_clustered(stream, self.tables[p], rows, bias, contexts, words, taken)
            v[:, positions], accepted[:, positions] = (
                moved.reshape(len(v), len(positions)) for moved in (words, taken)
            )
        return v, TransitionInfo(accepted, self.steps)


def cluster_words(
    rows: Float[np.ndarray, "K r"],
    bias: Float[np.ndarray, " K"],
    q: Probability,
    *,
    singletons: int,
    clusters: int,
) -> Clusters:
    """The `singletons` most frequent words by themselves, the others in `clusters`."""
    order = np.argsort(-q, kind="stable")
    singletons = min(singletons, len(q))
    clusters = min(max(clusters, 1), len(q) - singletons)
    frequent, rare = order[:singletons], order[singletons:]
    label = np.empty(len(q), np.int32)
    label[frequent] = np.arange(singletons)
    if clusters:
        weight = q[rare] ** WEIGHT_EXPONENT
        label[rare] = singletons + kmeans(rows[rare], weight, rows[rare[:clusters]])
    C, word_weight = singletons + clusters, np.exp(bias.astype(np.float64) - bias.max())
    centroid = np.zeros((C, rows.shape[1]), rows.dtype)
    _move_to_means(rows, word_weight, label, centroid)
    return Clusters(
        label, centroid, np.bincount(label, word_weight, minlength=C).astype(rows.dtype)
    )


def cluster_table(clusters: Clusters, q: Probability, *, share: float, steps: int) -> ClusterTable:
    """The clusters laid out for compiled code: members side by side, an alias table for each."""
    label, dtype = clusters.label, clusters.centroid.dtype
    missing = -len(clusters.centroid) % PLACES  # clusters without words, never drawn
    centroid = np.pad(clusters.centroid, ((0, missing), (0, 0)))
    weight = np.pad(clusters.weight, (0, missing))
    centroid[weight == 0] = centroid[weight.argmax()]
    order = np.argsort(label, kind="stable").astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=len(centroid)))])
    keep, alias, inside = np.empty(len(q)), np.empty(len(q), np.int32), np.empty(len(q))
    for members in map(slice, first[:-1].tolist(), first[1:].tolist()):
        if members.start < members.stop:
            table = AliasTable.build(q[order[members]])
            keep[members], alias[members] = table.keep, table.alias + members.start
            inside[members] = table.probability()
    mass = np.bincount(label, q / q.sum(), minlength=len(centroid))
    masses = np.cumsum(mass.reshape(PLACES, -1), axis=0)
    log_q = np.empty(len(q))
    log_q[order] = np.log(inside) + np.log(mass[label[order]])
    return ClusterTable(
        centroid, weight, mass.astype(dtype), masses, np.cumsum(masses[-1]), first, keep,
        np.stack([order, order[alias]], axis=1), label, log_q.astype(dtype), share, steps,
    )  # fmt: skip


def kmeans(
    rows: Array, weight: Array, centroid: Array, *, iterations: int = ITERATIONS
) -> Int[np.ndarray, " K"]:
    """The nearest centroid of every row, after some of Lloyd's steps from these centroids."""
    centroid = centroid.copy()
    for _ in range(iterations):
        _move_to_means(rows, weight, _nearest(rows, centroid), centroid)
    return _nearest(rows, centroid)


def _nearest(rows: Array, centroid: Array) -> Array:
    """The nearest centroid m of every row x, by ``x . m - m . m / 2``."""
    label, half = np.empty(len(rows), np.int32), 0.5 * (centroid * centroid).sum(axis=1)
    for first in range(0, len(rows), VOCAB_BLOCK):
        block = slice(first, first + VOCAB_BLOCK)
        label[block] = (rows[block] @ centroid.T - half).argmax(axis=1)
    return label


def _move_to_means(rows: Array, weight: Array, label: Array, centroid: Array) -> None:
    """Move every centroid to the weighted mean of its words; one without words stays."""
    total = np.bincount(label, weight, minlength=len(centroid))
    used = total > 0
    for k in range(rows.shape[1]):
        sums = np.bincount(label, weight * rows[:, k], minlength=len(centroid))
        centroid[used, k] = sums[used] / total[used]
