"""The last layer of a classifier: from energies, compared, to the probability of each class.

    p = softmax(A (x - mean) / scale + a);   for two classes p of the second is logistic of it

x are differences of energies (`views.py`). If there is one, that of two classes, the threshold that
the paper fits [Dahl 2012, section 6.3] is where p is one half.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Float64, Int64
from sklearn.linear_model import LogisticRegression

from wordrbm.threads import one_blas_thread


@final
@dataclass(frozen=True, eq=False)
class Layer:
    """A logistic regression over standardised features."""

    mean: Float64[np.ndarray, " F"]
    scale: Float64[np.ndarray, " F"]
    weight: Float64[np.ndarray, "S F"]  # S is 1 for two classes
    bias: Float64[np.ndarray, " S"]

    @classmethod
    def fit(cls, x: Float[np.ndarray, "N F"], label: Int64[np.ndarray, " N"], C: float) -> "Layer":
        """Learn it from features of documents, best from models that have not seen them."""
        x = x.astype(np.float64)
        mean, spread = x.mean(axis=0), x.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        with one_blas_thread():  # whose number would change the last bits
            found = LogisticRegression(C=C, max_iter=1000).fit((x - mean) / scale, label)
        return cls(mean, scale, found.coef_, found.intercept_)

    def scores(self, x: Float[np.ndarray, "N F"]) -> Float64[np.ndarray, "N C"]:
        """A logit for each class; those of two classes are zero and the one there is."""
        even = (x - self.mean) / self.scale
        # Not a product of matrices, which rounds a document differently in different company.
        each = [(even * weight).sum(axis=1) for weight in self.weight]
        found = np.stack(each, axis=1) + self.bias
        return found if len(self.bias) > 1 else np.hstack([np.zeros_like(found), found])

    def probabilities(self, x: Float[np.ndarray, "N F"]) -> Float64[np.ndarray, "N C"]:
        """Of each class, for each document."""
        scores = self.scores(x)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def pulls(self, x: Float[np.ndarray, "W F"]) -> Float64[np.ndarray, "W C"]:
        """What each window adds to the logits of its document, which are a mean over windows.

        From the mean of all classes, so that a pull to one is a pull from the others; and from
        energies that are the same for all, so that a window that says nothing does not pull.
        """
        one = x / self.scale @ self.weight.T
        both = one if len(self.bias) > 1 else np.hstack([-one / 2, one / 2])
        return np.asarray((both - both.mean(axis=1, keepdims=True)) / len(x))
