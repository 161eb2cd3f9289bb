from wordrbm.sampling.alias import AliasTable
from wordrbm.sampling.columns import ColumnTables, offsets_of
from wordrbm.sampling.gibbs import Gibbs
from wordrbm.sampling.metropolis import Metropolis
from wordrbm.sampling.pooled import PooledMetropolis
from wordrbm.sampling.transition import Chains, Transition, TransitionInfo, draw_hidden, sweep

__all__ = [
    "AliasTable",
    "Chains",
    "ColumnTables",
    "Gibbs",
    "Metropolis",
    "PooledMetropolis",
    "Transition",
    "TransitionInfo",
    "draw_hidden",
    "offsets_of",
    "sweep",
]
