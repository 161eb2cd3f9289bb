"""Coherence of topics: normalized pointwise mutual information (NPMI) of their top words.

    NPMI(a, b) = log(P(a, b) / (P(a) P(b))) / -log P(a, b)

P is the share of reference documents that have a word, or both words. It is 1 for words that
always come together, 0 for independent ones and -1 for words that never do. The coherence of a
topic is the mean over all pairs of its top words.

References
    M. Röder, A. Both, A. Hinneburg. Exploring the space of topic coherence measures. WSDM 2015.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64, Int, Int64

from wordrbm.errors import InvalidInput
from wordrbm.shapes import Array

EPSILON = 1e-12  # added to P(a, b), as published


def topic_coherence(words: Int[np.ndarray, "H T"], counts: Any) -> Float64[np.ndarray, " H"]:
    """The mean NPMI of the words of every topic; `words` are columns of the csr matrix `counts`.

    A word that no reference document has tells nothing: its pairs have NPMI 0.
    """
    if words.shape[1] < 2:
        raise InvalidInput("Coherence needs two words of a topic or more.")
    if not counts.shape[0]:
        raise InvalidInput("Coherence needs reference documents; there are none.")
    occurs = (counts > 0).astype(np.int64).tocsc()
    together = [_cooccurrence(occurs, row) for row in words]
    upper = np.triu_indices(words.shape[1], 1)
    return np.array([npmi(pairs, counts.shape[0])[upper].mean() for pairs in together])


def topic_diversity(words: Int[np.ndarray, "H T"]) -> float:
    """The share of distinct words among the first words of all topics.

    Topics that are all alike may be coherent; their diversity is low.
    """
    return np.unique(words).size / words.size


def npmi(together: Int64[np.ndarray, "T T"], documents: int) -> Float64[np.ndarray, "T T"]:
    """NPMI of all pairs, of the number of documents with both words, on the diagonal with each."""
    joint = together / documents
    single = np.diag(joint)
    expected = single[:, None] * single[None]
    known = expected > 0
    ratio = (joint + EPSILON) / np.where(known, expected, 1.0)
    score = np.log(ratio) / -np.log(np.minimum(joint + EPSILON, 1 - EPSILON))
    return np.where(joint >= 1, 1.0, np.where(known, score, 0.0))


def _cooccurrence(occurs: Any, words: Array) -> Int64[np.ndarray, "T T"]:
    columns = occurs[:, words]
    return np.asarray((columns.T @ columns).todense(), np.int64)
