"""Annealed importance sampling of windows: an unbiased estimate of Z, forward and in reverse.

The path leads from word frequencies, whose sum over all windows is known,

    Z_0 = (sum_k q_k)^n 2^H,

to the model, over `temperatures` equal steps. Forward, particles start from q, and the mean of
their weights is unbiased for Z; the mean of the log weights is below log Z. In reverse, particles
start from given windows; if these are draws from the model, the mean of the inverse weights is
unbiased for 1 / Z, and the mean of the log weights is above log Z. What lies between the two is
what annealing does not know. A mode that no particle reaches is unseen by both.

References
    R. Neal. Annealed importance sampling. Statistics and Computing 11, 2001.
    Y. Burda, R. Grosse, R. Salakhutdinov. Accurate and conservative estimates of MRF
    log-likelihood using reverse annealing. AISTATS 2015.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Float, Int, Int32
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.kernels.annealing import Moves, WordProposal, anneal_forward, anneal_reverse
from wordrbm.kernels.jumps import ReservoirTable
from wordrbm.kernels.pcd_gradient import Parameters
from wordrbm.kernels.rng import seed_stream
from wordrbm.likelihood.heaviest import DistinctWindows
from wordrbm.models import WordRepRBM
from wordrbm.sampling.jumps import Reservoir
from wordrbm.sampling.proposals import AliasTable
from wordrbm.settings import StrictSettings
from wordrbm.shapes import PerWindow, Probability, Words
from wordrbm.threads import ProgressCallback, no_progress, one_blas_thread

PART = 32  # particles with one random stream, whatever the number of threads
STRIDE = 20  # temperatures between reports
RESERVOIR = 1 << 18  # windows that jumps propose
BY_MASS = 0.25  # of the reservoir: drawn by the model's mass, not by the text
BIGRAM_SHARE = 0.3  # of the jumps: drawn from bigrams of the reservoir
START, FORWARD, REVERSE = 0, 1, 2  # the uses of a seed
NOTES = {FORWARD: "annealing forward", REVERSE: "annealing in reverse"}


@final
class AnnealingSettings(StrictSettings):
    """How finely, with how many particles, and with which random numbers."""

    temperatures: int = Field(default=1000, ge=1)
    particles: int = Field(default=256, ge=2)
    word_steps: int = Field(default=10, ge=0)  # words proposed per position and temperature
    jumps: int = Field(default=4, ge=0)  # whole windows proposed per particle and temperature
    seed: int = Field(default=1, ge=0, lt=2**63)


class Particles(NamedTuple):
    """Where annealing ended, and what it says of Z."""

    windows: Int32[np.ndarray, "B n"]
    log_weights: PerWindow  # log Z_0 included: each one is an estimate of log Z


@final
@dataclass(frozen=True, eq=False)
class Annealing:
    """The path from word frequencies to one model, ready to be run in both directions."""

    model: Parameters
    words: WordProposal
    table: ReservoirTable
    positions: int
    settings: AnnealingSettings

    @classmethod
    def build(
        cls,
        rbm: WordRepRBM,
        proposal: AliasTable,
        reservoir: Reservoir,
        settings: AnnealingSettings,
    ) -> "Annealing":
        """The path to this model, with words and whole windows proposed from these."""
        model = Parameters(rbm.D, rbm.stacked, rbm.b, rbm.c)
        words = WordProposal(proposal.keep, proposal.alias, proposal.log_probability())
        return cls(model, words, reservoir.table, rbm.positions, settings)

    @property
    def log_Z_0(self) -> float:
        """``n log sum_k q_k + H log 2``: the base of the path."""
        n, H = self.positions, self.model.c.size
        return float(n * np.log(np.exp(self.words.log_q).sum()) + H * np.log(2.0))

    def start(self) -> Words:
        """Independent windows of words drawn by frequency, one for each particle."""
        C, n = self.settings.particles, self.positions
        proposal = AliasTable(self.words.keep, self.words.alias)
        return proposal.draw(seed_stream(self.settings.seed, START, 0), C * n).reshape(C, n)

    def forward(self, *, threads: int = 1, report: ProgressCallback = no_progress) -> Particles:
        """Anneal from word frequencies to the model."""
        return self._run(anneal_forward, FORWARD, self.start(), threads, report)

    def reverse(
        self, windows: Words, *, threads: int = 1, report: ProgressCallback = no_progress
    ) -> Particles:
        """Anneal from these windows, one particle each, back to word frequencies."""
        return self._run(anneal_reverse, REVERSE, windows, threads, report)

    def _run(
        self, kernel: Any, use: int, start: Words, threads: int, report: ProgressCallback
    ) -> Particles:
        """Parts have their own streams and meet at every stride: threads only share them out."""
        T, note = self.settings.temperatures, NOTES[use]
        v, log_weights = start.astype(np.int32), np.full(len(start), self.log_Z_0)
        parts = [slice(first, first + PART) for first in range(0, len(v), PART)]
        streams = [seed_stream(self.settings.seed, use, part) for part in range(len(parts))]
        moves = Moves(self.settings.word_steps, self.settings.jumps)

        def move(part: int) -> None:
            state = v[parts[part]], log_weights[parts[part]]
            kernel(streams[part], self.model, self.words, self.table, moves, path, *state)

        with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
            for done in range(0, T, STRIDE):
                path = _stretch(T, done, reverse=use == REVERSE)
                list(pool.map(move, range(len(parts))))
                report(min(done + STRIDE, T) / T, note)
        if not np.isfinite(log_weights).all():
            raise WordRBMError(
                "Annealing came to weights that are not finite: the parameters of this model are "
                "too large; train it again with lower rates."
            )
        return Particles(v, log_weights)


def _stretch(T: int, done: int, *, reverse: bool) -> Float[np.ndarray, " t"]:
    """The inverse temperatures of the next stride, in ascending order."""
    steps = np.arange(done, min(done + STRIDE, T) + 1)
    return (T - steps[::-1] if reverse else steps) / T


def build_annealing(
    rbm: WordRepRBM,
    q: Probability,
    text: DistinctWindows,
    log_masses: PerWindow,
    settings: AnnealingSettings,
) -> Annealing:
    """The path to this model, with jumps to windows of the text."""
    proposal = AliasTable.build(q)
    reservoir = mixed_reservoir(text, log_masses, proposal, settings.seed)
    return Annealing.build(rbm, proposal, reservoir, settings)


def mixed_reservoir(
    text: DistinctWindows, log_masses: PerWindow, proposal: AliasTable, seed: int
) -> Reservoir:
    """Windows to propose while annealing: most as the text has them, some by the model's mass.

    Any fixed reservoir leaves the estimate unbiased. Windows of large mass are in it many times,
    so that particles find them although the text hardly ever shows them. Its bigrams let particles
    come and go between windows of the text and all others.
    """
    rng = np.random.default_rng(seed)
    by_mass = int(BY_MASS * RESERVOIR)
    mass = np.exp(log_masses - log_masses.max())
    index = [
        _draw(rng, text.counts.astype(np.float64), RESERVOIR - by_mass),
        _draw(rng, mass, by_mass),
    ]
    stored = text.windows[np.concatenate(index)]
    return Reservoir.build(stored, proposal, bigram_share=BIGRAM_SHARE)


def _draw(rng: np.random.Generator, weight: PerWindow, count: int) -> Int[np.ndarray, " count"]:
    """Independent indices in proportion to the weights."""
    ends = np.cumsum(weight)
    chosen = np.searchsorted(ends, rng.random(count) * ends[-1], side="right")
    return np.minimum(chosen, weight.size - 1)


def effective_sample_size(log_weights: PerWindow) -> float:
    """``(sum w)^2 / sum w^2``: the number of equal weights that would be as good."""
    if not log_weights.size:
        return 0.0
    w = np.exp(log_weights - log_weights.max())
    return float(w.sum() ** 2 / np.square(w).sum())
