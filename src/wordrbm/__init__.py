"""Restricted Boltzmann machines on words, at vocabularies of 100,000 and more.

The public names are looked up when first used, so that `wordrbm --help` need not load them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordrbm.api import prepare, train
    from wordrbm.errors import WordRBMError
    from wordrbm.estimators import CategoricalRBM, FreeEnergyClassifier, WordFeatures
    from wordrbm.io import Vectors, load_vectors
    from wordrbm.models import BinaryRBM, SoftmaxRBM, WordRepRBM
    from wordrbm.sampling import Gibbs, Metropolis, PooledMetropolis
    from wordrbm.trained_model import TrainedModel, load
    from wordrbm.training import TrainingSettings

__version__ = "0.1.0"

_HOMES = {
    "BinaryRBM": "wordrbm.models",
    "CategoricalRBM": "wordrbm.estimators",
    "FreeEnergyClassifier": "wordrbm.estimators",
    "Gibbs": "wordrbm.sampling",
    "Metropolis": "wordrbm.sampling",
    "PooledMetropolis": "wordrbm.sampling",
    "SoftmaxRBM": "wordrbm.models",
    "TrainedModel": "wordrbm.trained_model",
    "TrainingSettings": "wordrbm.training",
    "Vectors": "wordrbm.io",
    "WordFeatures": "wordrbm.estimators",
    "WordRBMError": "wordrbm.errors",
    "WordRepRBM": "wordrbm.models",
    "load": "wordrbm.trained_model",
    "load_vectors": "wordrbm.io",
    "prepare": "wordrbm.api",
    "train": "wordrbm.api",
}

__all__ = [
    "BinaryRBM",
    "CategoricalRBM",
    "FreeEnergyClassifier",
    "Gibbs",
    "Metropolis",
    "PooledMetropolis",
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
    if name not in _HOMES:
        raise AttributeError(f"module 'wordrbm' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
