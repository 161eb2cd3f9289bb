"""The last layer of a classifier: from energies to the probability of each class.

    p = softmax(A (x - mean) / scale + a);   for two classes x is the one difference of energies,
                                             and p of the second is logistic of it

The threshold that the paper fits [Dahl 2012, section 6.3] is where p is one half.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float64, Int64
from sklearn.linear_model import LogisticRegression

from wordrbm.using.precise import one_blas_thread


@final
@dataclass(frozen=True, eq=False)
class Layer:
    """A logistic regression over standardised energies."""

    mean: Float64[np.ndarray, " F"]
    scale: Float64[np.ndarray, " F"]
    weight: Float64[np.ndarray, "S F"]  # S is 1 for two classes
    bias: Float64[np.ndarray, " S"]

    @classmethod
    def fit(
        cls, energies: Float64[np.ndarray, "N C"], label: Int64[np.ndarray, " N"], C: float
    ) -> "Layer":
        """Learn it from energies of documents, best from models that have not seen them."""
        x = compared(energies)
        mean, spread = x.mean(axis=0), x.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        with one_blas_thread():  # whose number would change the last bits
            found = LogisticRegression(C=C, max_iter=1000).fit((x - mean) / scale, label)
        return cls(mean, scale, found.coef_, found.intercept_)

    def scores(self, energies: Float64[np.ndarray, "N C"]) -> Float64[np.ndarray, "N C"]:
        """A logit for each class; those of two classes are zero and the one there is."""
        x = (compared(energies) - self.mean) / self.scale
        # Not a product of matrices, which rounds a document differently in different company.
        found = (x[:, None, :] * self.weight).sum(axis=2) + self.bias
        return found if len(self.bias) > 1 else np.hstack([np.zeros_like(found), found])

    def probabilities(self, energies: Float64[np.ndarray, "N C"]) -> Float64[np.ndarray, "N C"]:
        """Of each class, for each document."""
        scores = self.scores(energies)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def pulls(self, energies: Float64[np.ndarray, "W C"]) -> Float64[np.ndarray, "W C"]:
        """What each window adds to the logits of its document, which are a mean over windows.

        From the mean of all classes, so that a pull to one is a pull from the others; and from
        energies that are the same for all, so that a window that says nothing does not pull.
        """
        x = compared(energies) / self.scale @ self.weight.T
        both = x if len(self.bias) > 1 else np.hstack([-x / 2, x / 2])
        return np.asarray((both - both.mean(axis=1, keepdims=True)) / len(energies))


def compared(energies: Float64[np.ndarray, "N C"]) -> Float64[np.ndarray, "N F"]:
    """What is compared: the difference of two classes, of more each one's from their mean."""
    if energies.shape[1] == 2:
        return energies[:, :1] - energies[:, 1:]
    return energies - energies.mean(axis=1, keepdims=True)
