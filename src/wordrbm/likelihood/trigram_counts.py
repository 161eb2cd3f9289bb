"""A baseline beside the RBM: trigram counts, interpolated by absolute discounting.

    p(w | a, b) = (max(c(a,b,w) - D3, 0) + D3 N(a,b) p(w | b)) / c(a,b)
    p(w | b)    = (max(c(b,w)   - D2, 0) + D2 N(b)   p(w))     / c(b)

N counts the different words seen after a context; D = (n1 + 1) / (n1 + 2 n2 + 2) from the number
of n-grams seen once and twice, the extra ones keeping it off 0 and 1 in a tiny text. The joint of
a window is the product of its factors. The counts take memory proportional to the corpus: this is
for comparison, never for training.

Reference
    H. Ney, U. Essen, R. Kneser. On structuring probabilistic dependences in stochastic language
    modelling. Computer Speech and Language 8(1), 1994.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Int

from wordrbm.errors import WordRBMError
from wordrbm.shapes import PerWindow, Probability, Scores, Words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.windows import Windows

WINDOWS_PER_BLOCK = 2**22  # windows read in one go while counting

Keys = Int[np.ndarray, " _"]


@final
@dataclass(frozen=True, eq=False)
class NgramOrder:
    """The n-grams of one order as sorted numbers in base K, their counts, and their contexts."""

    K: int
    grams: Keys
    counts: Keys
    contexts: Keys  # what stands before the last word
    context_counts: Keys
    followers: Keys  # how many different words were seen after each context

    @classmethod
    def of(cls, windows: Windows, K: int) -> "NgramOrder":
        """Count every window of n words."""
        keys = np.empty(len(windows), np.int64)
        place_values = K ** np.arange(windows.n - 1, -1, -1, dtype=np.int64)
        for first in range(0, len(windows), WINDOWS_PER_BLOCK):
            index = np.arange(first, min(first + WINDOWS_PER_BLOCK, len(windows)))
            keys[index] = windows.take(index) @ place_values
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        grams, counts = keys[starts], np.diff(starts, append=len(keys))
        context = grams // K
        starts = np.flatnonzero(np.diff(context, prepend=-1))
        followers = np.diff(starts, append=len(context))
        return cls(K, grams, counts, context[starts], np.add.reduceat(counts, starts), followers)

    @cached_property
    def discount(self) -> float:
        """``(n1 + 1) / (n1 + 2 n2 + 2)``."""
        once, twice = int((self.counts == 1).sum()), int((self.counts == 2).sum())
        return (once + 1) / (once + 2 * twice + 2)

    def interpolate(self, context: Keys, word: Keys, lower: PerWindow) -> PerWindow:
        """The discounted share of each n-gram, the rest from `lower`, the order below."""
        total = _look_up(self.contexts, self.context_counts, context)
        discounted = _look_up(self.grams, self.counts, context * self.K + word) - self.discount
        backoff = self.discount * _look_up(self.contexts, self.followers, context) * lower
        mass = np.maximum(discounted, 0.0) + backoff
        return np.where(total > 0, mass / np.maximum(total, 1), lower)


def _look_up(keys: Keys, values: Keys, key: Keys) -> Keys:
    """The value of each key, 0 if it is not among the sorted `keys`."""
    index = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return np.where(keys[index] == key, values[index], 0)


@final
@dataclass(frozen=True, eq=False)
class TrigramModel:
    """Interpolated trigrams over the training part of a corpus."""

    q: Probability
    bigrams: NgramOrder
    trigrams: NgramOrder

    @classmethod
    def count(cls, prepared: PreparedCorpus) -> "TrigramModel":
        """Count the training text."""
        K = len(prepared.vocabulary)
        if K**3 >= 2**63:
            raise WordRBMError(f"Trigrams of {K:,} words cannot be counted; at most 2,097,151 can.")
        bigrams, trigrams = (NgramOrder.of(prepared.windows(n, "train"), K) for n in (2, 3))
        return cls(prepared.vocabulary.probability(), bigrams, trigrams)

    def log_joint(self, v: Words) -> PerWindow:
        """``log p(v_1) p(v_2 | v_1) p(v_3 | v_1, v_2) ...`` of each window."""
        total = np.log(self.q[v[:, 0]])
        for i in range(1, v.shape[1]):
            word, before = v[:, i].astype(np.int64), v[:, i - 1].astype(np.int64)
            p = self.bigrams.interpolate(before, word, self.q[word])
            if i > 1:
                p = self.trigrams.interpolate(v[:, i - 2] * np.int64(self.q.size) + before, word, p)
            total += np.log(p)
        return total

    def cloze_log_probability(self, v: Words) -> Scores:
        """``log P(v_i | the other words)``, normalised over all K words by scoring each one."""
        scores = np.empty(v.shape)
        for m, i in np.ndindex(*v.shape):
            candidates = np.repeat(v[m : m + 1], self.q.size, axis=0)
            candidates[:, i] = np.arange(self.q.size)
            log_p = self.log_joint(candidates)
            scores[m, i] = log_p[v[m, i]] - np.logaddexp.reduce(log_p)
        return scores
