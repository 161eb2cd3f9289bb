"""Restricted Boltzmann machines on words, at vocabularies of 100,000 and more.

The public names are looked up when first used, so that `wordrbm --help` need not load them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordrbm.api import prepare, train
    from wordrbm.errors import WordRBMError
    from wordrbm.estimators import (
        CategoricalRBM,
        DocumentRBM,
        FreeEnergyClassifier,
        WordFeatures,
    )
    from wordrbm.io import Vectors, load_vectors
    from wordrbm.models import BinaryRBM, ReplicatedSoftmaxRBM, SoftmaxRBM, WordRepRBM
    from wordrbm.sampling import Gibbs, Metropolis, PooledMetropolis
    from wordrbm.trained_model import TrainedModel, load
    from wordrbm.training import TrainingSettings

__version__ = "0.1.0"

_MODULES = {
    "wordrbm.api": ("prepare", "train"),
    "wordrbm.errors": ("WordRBMError",),
    "wordrbm.estimators": ("CategoricalRBM", "DocumentRBM", "FreeEnergyClassifier", "WordFeatures"),
    "wordrbm.io": ("Vectors", "load_vectors"),
    "wordrbm.models": ("BinaryRBM", "ReplicatedSoftmaxRBM", "SoftmaxRBM", "WordRepRBM"),
    "wordrbm.sampling": ("Gibbs", "Metropolis", "PooledMetropolis"),
    "wordrbm.trained_model": ("TrainedModel", "load"),
    "wordrbm.training": ("TrainingSettings",),
}

__all__ = [
    "BinaryRBM",
    "CategoricalRBM",
    "DocumentRBM",
    "FreeEnergyClassifier",
    "Gibbs",
    "Metropolis",
    "PooledMetropolis",
    "ReplicatedSoftmaxRBM",
    "SoftmaxRBM",
    "TrainedModel",
    "TrainingSettings",
    "Vectors",
    "WordFeatures",
    "WordRBMError",
    "WordRepRBM",
    "load",
    "load_vectors",
    "prepare",
    "train",
]


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'wordrbm' has no attribute {name!r}")
