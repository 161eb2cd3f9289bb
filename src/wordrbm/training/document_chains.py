"""Persistent chains of documents whose lengths change: where they start, and how long they stay.

    P(N, v, h) ~ target(N) exp(-E(v, h)) / Z_N

The target is half the distribution of the documents' lengths, smoothed, and half one that falls as
1/N, so that chains go down to length 0 and forget. log Z_N is not known: its slope is estimated
from the proposals to add and to remove words (acceptance ratio method), bin by bin of lengths,
while the model is trained; a small force holds the time that chains spend in a bin near its target.
In the gradient the chains of a stratum of lengths count as much as its documents.

References
    C. Bennett. Efficient estimation of free energy differences. J. Comp. Physics 22, 1976.
    F. Liang, C. Liu, R. Carroll. Stochastic approximation in Monte Carlo. JASA 102, 2007.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float64, Int64

from wordrbm.kernels.document_tempering import TemperedChains
from wordrbm.shapes import Array

LONGEST_SHARE = 0.995  # of the documents are no longer than chains may be,
LONGEST = 1000  # unless it is more than this; longer documents count as if of this length
WIDTH = 1.06  # of a bin of lengths over its first
SINGLE = 16  # lengths below have a bin of their own
SMOOTHING = 0.15  # standard deviation of log N by which the documents' lengths are smoothed
STRATA = 12
GAIN, OCCUPANCY_GAIN = 0.3, 0.02  # of the two corrections
MAX_FORCE = 2.0
PSEUDO = 5.0  # proposals that are added to those of a bin


@final
@dataclass(frozen=True, eq=False)
class LengthTempering:
    """The slope of log Z_N, and how long chains should stay at each length; updated in place."""

    bin_of: Int64[np.ndarray, " N"]  # the bin of the lengths 0 to L
    stratum: Int64[np.ndarray, " N"]  # of equal shares of the documents
    center: Float64[np.ndarray, " J"]  # mean length of a bin
    target: Float64[np.ndarray, " N"]  # of the time at each length
    data: Float64[np.ndarray, " N"]  # smoothed distribution of the documents' lengths
    slope: Float64[np.ndarray, " J"]  # of log Z_N
    force: Float64[np.ndarray, " J"]  # added to log target

    @classmethod
    def start(cls, lengths: Array, c: Array) -> "LengthTempering":
        """For documents of these lengths, and a model with hidden biases c and no weights."""
        L = min(LONGEST, int(np.ceil(np.quantile(lengths, LONGEST_SHARE))))
        bin_of = length_bins(L)
        count = np.bincount(bin_of)
        center = np.bincount(bin_of, np.arange(L + 1)) / count
        data = smoothed_lengths(np.minimum(lengths, L), L)
        falling = 1.0 / (np.arange(L + 1) + 4.0)
        target = 0.5 * data + 0.5 * falling / falling.sum()
        c = c.astype(np.float64)
        slope = (1.0 / (1.0 + np.exp(-np.outer(center + 0.5, c)))) @ c
        stratum = np.minimum((np.cumsum(data) - 0.5 * data) * STRATA, STRATA - 1).astype(np.int64)
        return cls(bin_of, stratum, center, target, data, slope, np.zeros(count.size))

    def log_step(self) -> Array:
        """``g_{N+1} - g_N`` for every N below the longest."""
        N = np.arange(self.bin_of.size)
        step: Array = np.diff(self._log_target()) - np.interp(N[:-1], self.center, self.slope)
        return step

    def chain_weight(self, lengths: Array) -> Array:
        """The weight of every chain over its length, of all words one in sum.

        Lengths are in strata of equal shares of the documents; the chains of a stratum count as
        much as its documents, so that the time that chains spend at a length does not matter.
        """
        ratio = (self.data / self.target)[lengths]
        stratum = self.stratum[lengths]
        total = np.bincount(stratum, ratio, STRATA)
        share = np.bincount(self.stratum, self.data, STRATA)
        weight: Array = ratio * (share / np.maximum(total, 1e-9))[stratum]
        return np.asarray(weight / weight.sum() / np.maximum(lengths, 1))

    def correct(self, added: Array, removed: Array, lengths: Array) -> None:
        """Learn from an update: proposals (number, summed acceptance) by bin, and lengths."""
        J = self.center.size
        up, down = ((x[:, 1] + PSEUDO) / (x[:, 0] + PSEUDO) for x in (added, removed))
        steps = np.maximum(np.bincount(self.bin_of[:-1], minlength=J), 1)
        drift = np.bincount(self.bin_of[:-1], np.diff(self._log_target()), J) / steps
        self.slope[:] += GAIN * np.clip(np.log(up / down) - drift, -1.0, 1.0)
        share = np.bincount(self.bin_of, self.target)
        now = np.bincount(self.bin_of[lengths], minlength=J) / lengths.size
        self.force[:] -= OCCUPANCY_GAIN * np.clip(now / share - 1.0, -1.0, 1.0)
        self.force[:] = np.clip(self.force - self.force.mean(), -MAX_FORCE, MAX_FORCE)

    def _log_target(self) -> Array:
        N = np.arange(self.bin_of.size)
        return np.asarray(np.log(self.target) + np.interp(N, self.center, self.force))


def length_bins(L: int) -> Array:
    """The bin of the lengths 0 to L: single lengths at first, then bins that widen."""
    edges, last = list(range(min(SINGLE, L) + 1)), float(SINGLE)
    while last < L:
        last = max(last * WIDTH, last + 1)
        edges.append(int(last))
    return np.searchsorted(np.array(edges), np.arange(L + 1), side="right") - 1


def smoothed_lengths(lengths: Array, L: int) -> Array:
    """The distribution of lengths from 0 to L, smoothed on the scale of log N; none at 0."""
    count = np.bincount(np.maximum(lengths, 1).astype(np.int64), minlength=L + 1)[1:].astype(float)
    x = np.log(np.arange(1, L + 1))
    kernel = np.exp(-0.5 * ((x[:, None] - x) / SMOOTHING) ** 2)
    smooth = (kernel / kernel.sum(axis=0)) @ count
    return np.append(0.0, smooth / smooth.sum())


def start_chains(rng: np.random.Generator, counts: Any, L: int, M: int, H: int) -> TemperedChains:
    """M chains that start from documents."""
    words, length = np.zeros((M, L), np.int32), np.zeros(M, np.int64)
    for m, row in enumerate(rng.choice(counts.shape[0], M).tolist()):
        text = rng.permutation(as_words(counts, row))[:L]
        words[m, : text.size], length[m] = text, text.size
    h = (rng.random((M, H)) < 0.5).astype(np.float32)
    return TemperedChains(words, length, h, rng.choice(np.array([-1, 1]), M))


def as_words(counts: Any, row: int) -> Array:
    """The words of a document one by one; of counts that are not whole, at least one each."""
    entries = slice(counts.indptr[row], counts.indptr[row + 1])
    times = np.maximum(np.rint(counts.data[entries]), 1).astype(np.int64)
    return np.repeat(counts.indices[entries], times)
