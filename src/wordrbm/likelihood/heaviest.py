"""The heaviest windows of a text under a model, and the bound on log Z that they give.

    log Z >= log sum over distinct windows v of exp(-F(v))

The bound has no error but rounding. A sound model spreads its mass as the text does; a model whose
chains have missed a mode has much of it on a few windows, which the text hardly ever shows.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int, Int32

from wordrbm.errors import Stopped, WordRBMError
from wordrbm.models import AbstractRBM
from wordrbm.models.cloze import STOPPED
from wordrbm.shapes import PerWindow, Words
from wordrbm.text.windows import Windows
from wordrbm.threads import StopCheck, never_stop, one_blas_thread

PART = 4096  # windows at a time: memory is bounded, and the digits do not depend on threads
TEN = 10  # heaviest windows


class HeaviestWindows(NamedTuple):
    """The windows with most of the model's mass among distinct windows of a text."""

    log_bound: float  # log sum exp(-F) over all the distinct windows: log Z is not less
    share_of_ten: float  # of their mass, on the ten heaviest
    text_share_of_ten: float  # of the text, on the same ten
    windows: Int32[np.ndarray, "ten n"]  # the heaviest first
    shares: Float[np.ndarray, " ten"]  # of the mass of all the distinct windows
    text_shares: Float[np.ndarray, " ten"]


def share_of_model(share: float, text_share: float, coverage: float) -> float:
    """The share of the whole model on windows that hold `share` of the mass of the text's windows.

    All the model's other windows are taken to be to the text's other windows as held-out text has
    it, `coverage` of which is among the text's windows: exact where the model is right, and close
    to `share` where that is close to 1.
    """
    if coverage <= text_share:
        return share
    other_mass = (1.0 - share) * (1.0 - text_share) / (coverage - text_share)
    return share / (share + other_mass)


@final
@dataclass(frozen=True, eq=False)
class DistinctWindows:
    """The distinct windows of a sample of text, with their counts; built once, used often."""

    windows: Int32[np.ndarray, "N n"]
    counts: Int[np.ndarray, " N"]

    @classmethod
    def of(cls, windows: Words) -> "DistinctWindows":
        """Count equal windows as one."""
        if not len(windows):
            raise WordRBMError("There are no windows to weigh; give 1 or more.")
        ordered = windows[np.lexsort(windows.T[::-1])]
        is_new = np.ones(len(ordered), np.bool_)
        is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        starts = np.flatnonzero(is_new)
        return cls(ordered[starts].astype(np.int32), np.diff(starts, append=len(ordered)))

    @classmethod
    def sample(cls, windows: Windows, count: int) -> "DistinctWindows":
        """At most `count` windows, evenly spread over a text: the same ones in every run."""
        return cls.of(windows.evenly_spaced(count))

    def __len__(self) -> int:
        return len(self.windows)

    def coverage(self, windows: Words) -> float:
        """The share of some windows that are among these."""
        return float(is_among(windows, self.windows).mean())

    def heaviest(self, log_mass: PerWindow) -> HeaviestWindows:
        """The windows with the largest of these log masses, ties in the order of the words."""
        log_bound, total = log_sum(log_mass), self.counts.sum()
        ten = min(TEN, len(self))
        threshold = np.partition(log_mass, len(self) - ten)[len(self) - ten]
        candidates = np.flatnonzero(log_mass >= threshold)
        chosen = candidates[np.argsort(-log_mass[candidates], kind="stable")][:ten]
        shares = np.exp(log_mass[chosen] - log_bound)
        return HeaviestWindows(
            log_bound,
            float(shares.sum()),
            float(self.counts[chosen].sum() / total),
            self.windows[chosen],
            shares,
            self.counts[chosen] / total,
        )


def is_among(v: Words, windows: Int[np.ndarray, "S n"]) -> Bool[np.ndarray, " B"]:
    """Which of the windows v are among `windows`."""
    row = np.dtype((np.void, 4 * v.shape[1]))  # a window as one value
    rows, known = (np.ascontiguousarray(x, np.int32).view(row).ravel() for x in (v, windows))
    return np.isin(rows, known)


def log_masses(
    rbm: AbstractRBM, v: Words, *, threads: int = 1, stop: StopCheck = never_stop
) -> PerWindow:
    """``-F(v)`` of windows, in bounded memory; raises `Stopped` once `stop` returns true."""

    def weigh(part: Words) -> PerWindow:
        if stop():
            raise Stopped(STOPPED)
        return -rbm.free_energy(part)

    parts = [v[first : first + PART] for first in range(0, len(v), PART)]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(weigh, parts)))


def log_sum(log_mass: PerWindow) -> float:
    """``log sum_k exp(log_mass[k])`` in double precision; minus infinity for no numbers."""
    if not log_mass.size:
        return -np.inf
    largest = float(log_mass.max())
    if not np.isfinite(largest):
        return largest
    return largest + float(np.log(np.exp(log_mass - largest).sum(dtype=np.float64)))
