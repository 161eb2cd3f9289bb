"""Metropolis-Hastings whose proposals look at the context: a cluster of words, then a word.

The proposal ``q(w | g)`` of `kernels/clusters.py` depends on h through ``g = context_i(h)`` and not
on the word in place, so it is an independence sampler for each h, and

    a(w <- v_i) = min(1, exp(s(w) - s(v_i)) q(v_i | g) / q(w | g)).

At least a share of the proposals is from q itself, so the weights stay bounded. The clusters may
be of an older model: that changes how often a proposal is taken, not what the chain leaves
unchanged. Every chain has proposals of its own.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.kernels.clusters import Grouped, walk_clusters
from wordrbm.models import AbstractRBM
from wordrbm.sampling.alias import refuse_never_proposed
from wordrbm.sampling.clusters import Clusters, find_clusters, grouped
from wordrbm.sampling.transition import Chains, TransitionInfo
from wordrbm.shapes import Probability, Stream, Words

SINGLES, GROUPS, SHARE = 128, 128, 0.1


@final
@dataclass(frozen=True, eq=False)
class ClusteredMetropolis:
    """Independence Metropolis-Hastings by clusters of words, a proposal of its own for each."""

    tables: tuple[Grouped, ...]  # one for each table of words that the model has

    @classmethod
    def of_model(
        cls, model: AbstractRBM, q: Probability, *, steps: int,
        singles: int = SINGLES, groups: int = GROUPS, share: float = SHARE,
    ) -> "ClusteredMetropolis":  # fmt: skip
        """Cluster the words of a model as it is now."""
        found = [
            find_clusters(rows, bias, q, singles=singles, groups=groups)
            for rows, bias in zip(model.word_table, model.word_bias, strict=True)
        ]
        return cls.of_clusters(found, q, steps=steps, share=share)

    @classmethod
    def of_clusters(
        cls, found: list[Clusters], q: Probability, *, steps: int, share: float = SHARE
    ) -> "ClusteredMetropolis":
        """Clusters found before."""
        if steps < 1 or not 0.0 < share <= 1.0:
            raise WordRBMError(
                f"{steps} steps with a share of {share} from word frequencies were asked for; use "
                "1 step or more, and a share above 0 and up to 1."
            )
        refuse_never_proposed(q)
        return cls(tuple(grouped(clusters, q, share=share, steps=steps) for clusters in found))

    @property
    def steps(self) -> int:
        """Proposals for each word in a call."""
        return self.tables[0].steps

    def with_steps(self, steps: int) -> "ClusteredMetropolis":
        """The same clusters with another number of proposals for each word."""
        return ClusteredMetropolis(tuple(table._replace(steps=steps) for table in self.tables))

    def log_proposal(self, context: Float[np.ndarray, " r"], table: int) -> Float[np.ndarray, " K"]:
        """``log q(w | g)`` of every word, by the formula and in double precision."""
        known = self.tables[table]
        asked, mass = known.centroid.astype(np.float64) @ context, known.mass.astype(np.float64)
        fit = known.weight * np.exp(asked - asked.max())
        p = known.share * mass + (1.0 - known.share) * fit / fit.sum()
        return np.log(p[known.cluster] / mass[known.cluster]) + known.log_q

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v, accepted = chains.v.copy(), np.zeros(chains.v.shape, np.int32)
        context, table_index = model.word_context(chains.h), model.table_index
        for p, (rows, bias) in enumerate(zip(model.word_table, model.word_bias, strict=True)):
            places = np.flatnonzero(table_index == p)
            asked = np.ascontiguousarray(context[:, places]).reshape(-1, rows.shape[1])
            words, taken = v[:, places].flatten(), np.zeros(len(asked), np.int32)
            walk_clusters(stream, self.tables[p], rows, bias, asked, words, taken)
            v[:, places], accepted[:, places] = (
                moved.reshape(len(v), len(places)) for moved in (words, taken)
            )
        return v, TransitionInfo(accepted, self.steps)
