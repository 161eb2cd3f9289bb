"""Bags of words and of n-grams, weighed as the baselines have them.

"bnc": every word of a document counts once, the vector has length one [Maas et al. 2011]. Weighed
by naive Bayes, a feature is worth the log-ratio of how often it is in documents of either kind,

    r_f = log (a + n_f) / sum (a + n)  -  log (a + m_f) / sum (a + m)

with n and m the documents of a class and of the others that hold f, a = 1 [Wang & Manning 2012].

References
    A. Maas et al. Learning word vectors for sentiment analysis. ACL 2011.
    S. Wang, C. Manning. Baselines and bigrams: simple, good sentiment and topic classification.
    ACL 2012.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from wordrbm.shapes import Array

ADDED = 1.0


def bags(n: int, min_documents: int, *parts: Iterable[list[str]]) -> list[Any]:
    """The 1- to n-grams of documents, 1 where one is; the first part says which there are."""
    counter = CountVectorizer(
        analyzer=lambda tokens: ngrams(tokens, n), binary=True, min_df=min_documents,
        dtype=np.float32,
    )  # fmt: skip
    first, *others = parts
    return [counter.fit_transform(first), *(counter.transform(part) for part in others)]


def ngrams(tokens: list[str], n: int) -> list[str]:
    """All 1- to n-grams of some tokens, a space between two words."""
    found = list(tokens)
    for size in range(2, n + 1):
        found.extend(map(" ".join, zip(*(tokens[k:] for k in range(size)), strict=False)))
    return found


def unit_length(bag: Any) -> Any:
    """Every document at length one; an empty one stays zero."""
    return normalize(bag)


class NaiveBayesWeights(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features times their log-ratio between two classes, every document at length one."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the ratios; y is true for one class and false for the other, or 1 and 0."""
        chosen = np.asarray(y).astype(bool)
        inside, outside = (
            ADDED + np.asarray(X[of].sum(axis=0)).ravel() for of in (chosen, ~chosen)
        )
        ratio: Array = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
        self.ratio_ = ratio.astype(np.float32)
        return self

    def transform(self, X: Any) -> Any:
        """The documents, weighed."""
        return unit_length(X @ sparse.diags(self.ratio_))
