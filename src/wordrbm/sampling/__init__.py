from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.clustered import ClusteredMetropolis
from wordrbm.sampling.clusters import Clusters, cluster_counts, find_clusters
from wordrbm.sampling.columns import ColumnTables, offsets_of
from wordrbm.sampling.combined import Cycle, Mixture
from wordrbm.sampling.gibbs import Gibbs
from wordrbm.sampling.jumps import Jumps, Reservoir, word_tables
from wordrbm.sampling.metropolis import Metropolis
from wordrbm.sampling.pooled import PooledMetropolis
from wordrbm.sampling.transition import (
    Chains,
    Independence,
    Transition,
    TransitionInfo,
    draw_hidden,
    sweep,
)

__all__ = [
    "AliasTable",
    "Chains",
    "ClusteredMetropolis",
    "Clusters",
    "ColumnTables",
    "Cycle",
    "Gibbs",
    "Independence",
    "Jumps",
    "Metropolis",
    "Mixture",
    "PooledMetropolis",
    "Reservoir",
    "Transition",
    "TransitionInfo",
    "cluster_counts",
    "draw_hidden",
    "find_clusters",
    "offsets_of",
    "sweep",
    "word_tables",
]
