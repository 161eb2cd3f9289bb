"""Coherence of topics: normalized pointwise mutual information (NPMI) of their top words.

    NPMI(a, b) = log(P(a, b) / (P(a) P(b))) / -log P(a, b)

P is the share of reference documents that have a word, or both words; -1 where none has both.

References
    M. Röder, A. Both, A. Hinneburg. Exploring the space of topic coherence measures. WSDM 2015.
"""

from typing import Any

import numpy as np

from wordrbm.shapes import Array

EPSILON = 1e-12  # added to P(a, b), as published


def topic_coherence(words: Array, counts: Any) -> Array:
    """The mean NPMI of all pairs of words of every topic; `words` are columns of `counts`."""
    occurs = (counts > 0).astype(np.int64).tocsc()
    upper = np.triu_indices(words.shape[1], 1)
    return np.array([_npmi(occurs[:, row])[upper].mean() for row in words])


def _npmi(columns: Any) -> Array:
    joint = np.asarray((columns.T @ columns).todense(), np.float64) / columns.shape[0]
    single = np.diag(joint)
    expected = np.maximum(single[:, None] * single, EPSILON)
    score: Array = np.log((joint + EPSILON) / expected) / -np.log(joint + EPSILON)
    return score
