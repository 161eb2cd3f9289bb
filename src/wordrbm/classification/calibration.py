"""From free energies to probabilities: a logistic regression over contrasts of energies.

    x = F_0 - F_1 of two classes; of more classes, F_c less their mean
    p = softmax(A (x - mean) / scale + a);   for two classes p of the second is logistic of it

For two classes, p is one half at the threshold that the paper fits [Dahl 2012, section 6.3].
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Float64

from wordrbm.classification.documents import ClassScores, Labels
from wordrbm.errors import WordRBMError
from wordrbm.inference.text_model import softmax
from wordrbm.threads import one_blas_thread

Features = Float[np.ndarray, "N F"]


def require_sklearn() -> None:
    """Raise unless scikit-learn, which fits the head, is installed; prediction does without."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise WordRBMError(
            "scikit-learn was not found, and training a classifier needs it: "
            "pip install 'wordrbm[sklearn]'."
        ) from None


def contrast(energies: Float[np.ndarray, "N C *U"]) -> Features:
    """Energies compared: the difference of two classes; of more, each one less their mean."""
    if energies.shape[1] == 2:
        contrasts = energies[:, :1] - energies[:, 1:]
    else:
        contrasts = energies - energies.mean(axis=1, keepdims=True)
    return contrasts.reshape(len(contrasts), int(np.prod(contrasts.shape[1:])))


def contrast_count(classes: int) -> int:
    """The number of contrasts: 1 for two classes, else one a class."""
    return 1 if classes == 2 else classes


@final
@dataclass(frozen=True, eq=False)
class LogisticHead:
    """A logistic regression over standardised contrasts of energies."""

    mean: Float64[np.ndarray, " F"]
    scale: Float64[np.ndarray, " F"]
    weight: Float64[np.ndarray, "S F"]  # S is 1 for two classes
    bias: Float64[np.ndarray, " S"]

    @classmethod
    def fit(cls, x: Features, label: Labels, C: float) -> "LogisticHead":
        """Fit to contrasts of documents, best out of fold; C is the inverse penalty."""
        require_sklearn()
        from sklearn.linear_model import LogisticRegression

        x = x.astype(np.float64)
        mean, spread = x.mean(axis=0), x.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        with one_blas_thread():  # the number of threads would change the last bits
            regression = LogisticRegression(C=C, max_iter=1000).fit((x - mean) / scale, label)
        return cls(mean, scale, regression.coef_, regression.intercept_)

    def logits(self, x: Features) -> ClassScores:
        """A logit for each class; of two classes, the first is zero."""
        standardised = (x - self.mean) / self.scale
        # Not a matrix product, which rounds a document differently in different batches.
        columns = [(standardised * weight).sum(axis=1) for weight in self.weight]
        logits = np.stack(columns, axis=1) + self.bias
        return logits if len(self.bias) > 1 else np.hstack([np.zeros_like(logits), logits])

    def probabilities(self, x: Features) -> ClassScores:
        """The probability of each class, for each document."""
        return softmax(self.logits(x))

    def contributions(self, x: Float[np.ndarray, "W F"]) -> Float64[np.ndarray, "W C"]:
        """What each window adds to the logits of its document, which are a mean over windows.

        Relative to the mean of all classes, so that what speaks for one class speaks against the
        others; and relative to equal energies, so that a neutral window contributes nothing.
        """
        raw = x / self.scale @ self.weight.T
        by_class = raw if len(self.bias) > 1 else np.hstack([-raw / 2, raw / 2])
        return np.asarray((by_class - by_class.mean(axis=1, keepdims=True)) / len(x))
