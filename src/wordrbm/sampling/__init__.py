"""Transition operators: move the words of Markov chains, leaving P(v|h) or P(v) unchanged."""

from wordrbm.sampling.clustered import ClusteredMetropolis, cluster_words
from wordrbm.sampling.gibbs import Gibbs
from wordrbm.sampling.jumps import Jumps, Reservoir, word_tables
from wordrbm.sampling.metropolis import Metropolis, PooledMetropolis
from wordrbm.sampling.proposals import (
    AliasTable,
    ColumnProposals,
    Columns,
    column_offsets,
)
from wordrbm.sampling.transition import (
    Chains,
    IndependenceTransition,
    Transition,
    TransitionInfo,
    draw_hidden,
    sweep,
)

__all__ = [
    "AliasTable",
    "Chains",
    "ClusteredMetropolis",
    "ColumnProposals",
    "Columns",
    "Gibbs",
    "IndependenceTransition",
    "Jumps",
    "Metropolis",
    "PooledMetropolis",
    "Reservoir",
    "Transition",
    "TransitionInfo",
    "cluster_words",
    "column_offsets",
    "draw_hidden",
    "sweep",
    "word_tables",
]
