"""Word ids to energies: restricted Boltzmann machines with one contract, in `base.py`."""

from wordrbm.models.base import AbstractRBM, Gradient, Rows
from wordrbm.models.binary import BinaryRBM
from wordrbm.models.replicated import ReplicatedSoftmaxRBM, init_replicated
from wordrbm.models.softmax import SoftmaxRBM, init_softmax
from wordrbm.models.wordrep import WordRepRBM, init_wordrep

__all__ = [
    "AbstractRBM",
    "BinaryRBM",
    "Gradient",
    "ReplicatedSoftmaxRBM",
    "Rows",
    "SoftmaxRBM",
    "WordRepRBM",
    "init_replicated",
    "init_softmax",
    "init_wordrep",
]
