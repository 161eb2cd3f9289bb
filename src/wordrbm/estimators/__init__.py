"""Estimators with scikit-learn's habits: a table of categories, or documents, to features."""

from wordrbm.errors import WordRBMError

try:
    import sklearn  # noqa: F401
except ImportError:
    raise WordRBMError(
        "scikit-learn was not found, and the estimators need it: pip install 'wordrbm[sklearn]'."
    ) from None

from wordrbm.estimators.categorical import CategoricalRBM
from wordrbm.estimators.document_rbm import DocumentRBM
from wordrbm.estimators.free_energy_classifier import FreeEnergyClassifier
from wordrbm.estimators.word_features import WordFeatures

__all__ = ["CategoricalRBM", "DocumentRBM", "FreeEnergyClassifier", "WordFeatures"]
