"""What a hidden unit responds to, and the free energy of a window as a sum over units.

input of unit j      c_j + sum_i W(i)[j, v_i],  W(i)[j, w] = U[i]_j . D[w]
on-rate of unit j    mean of P(h_j = 1 | v) over windows of a text
F(v)                 -sum_i b[v_i] - sum_j softplus(input of unit j)
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

import numpy as np
from jaxtyping import Float32, Float64, Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.likelihood.heaviest import DistinctWindows
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words
from wordrbm.text.windows import Windows
from wordrbm.threads import one_blas_thread

WINDOWS = 200_000  # of the text, on which units are measured
TOP_WINDOWS = 20
BLOCK = 8192

Numbers: TypeAlias = Int64[np.ndarray, "H _"]  # of windows
Means: TypeAlias = Float32[np.ndarray, "H _"]  # P(h_j = 1 | v) of these windows


class PositionWords(NamedTuple):
    """Words with the largest and the smallest weights to a unit at one position."""

    highest: list[tuple[str, float]]
    lowest: list[tuple[str, float]]


def unit_words(
    rbm: WordRepRBM, words: tuple[str, ...], unit: int, count: int, *, among: int | None = None
) -> list[PositionWords]:
    """The words that turn a unit on and off most at each position, among the most frequent."""
    D = rbm.D[1:among].astype(np.float64)  # row 0 is the unknown word
    answer = []
    for i in range(rbm.positions):
        weight = D @ rbm.U[i, unit].astype(np.float64)
        order = np.argsort(-weight, kind="stable")
        rows = [(words[k + 1], float(weight[k])) for k in [*order[:count], *order[::-1][:count]]]
        answer.append(PositionWords(rows[:count], rows[count:]))
    return answer


def check_unit(rbm: WordRepRBM, unit: int) -> None:
    """Raise unless the model has this hidden unit."""
    if not 0 <= unit < rbm.c.size:
        raise WordRBMError(
            f"There is no unit {unit}; the units of this model are 0 to {rbm.c.size - 1}."
        )


@final
@dataclass(frozen=True, eq=False)
class UnitActivity:
    """How often each unit is on in a text, and the windows that turn it on most."""

    on_rate: Float64[np.ndarray, " H"]
    windows: Int32[np.ndarray, "H top n"]  # the highest mean first
    means: Float32[np.ndarray, "H top"]
    count: int  # windows of the text that were read

    @classmethod
    def measure(cls, rbm: WordRepRBM, text: Windows, *, count: int = WINDOWS) -> "UnitActivity":
        """Measure all units on windows evenly spaced over a text."""
        sample = DistinctWindows.sample(text, count)
        H, top = rbm.c.size, min(TOP_WINDOWS, len(sample))
        total = np.zeros(H)
        best = np.zeros((H, 0), np.int64)
        means = np.zeros((H, 0), np.float32)
        with one_blas_thread():
            for first in range(0, len(sample), BLOCK):
                v = sample.windows[first : first + BLOCK]
                mean = rbm.hidden_mean(v).astype(np.float32)
                total += sample.counts[first : first + BLOCK] @ mean.astype(np.float64)
                best, means = _keep_highest(best, means, mean.T, first, top)
        return cls(
            total / sample.counts.sum(), sample.windows[best], means, int(sample.counts.sum())
        )


def _keep_highest(
    best: Numbers, means: Means, new: Means, first: int, top: int
) -> tuple[Numbers, Means]:
    """Merge the highest means so far with those of a block of windows, for every unit."""
    width = new.shape[1]
    part = np.argpartition(-new, min(top, width) - 1, axis=1)[:, :top]
    part.sort(axis=1)  # equal means in the order of the windows
    value = np.hstack([means, np.take_along_axis(new, part, axis=1)])
    number = np.hstack([best, first + part])
    order = np.argsort(-value, axis=1, kind="stable")[:, :top]
    return np.take_along_axis(number, order, axis=1), np.take_along_axis(value, order, axis=1)


class FreeEnergyTerms(NamedTuple):
    """``F(v) = -bias - sum_j softplus_j`` of windows, term by term."""

    bias: Float64[np.ndarray, " N"]  # sum_i b[v_i]
    softplus: Float64[np.ndarray, "N H"]

    def total(self) -> Float64[np.ndarray, " N"]:
        """The free energy of every window."""
        return -self.bias - self.softplus.sum(axis=1)


def free_energy_terms(rbm: WordRepRBM, v: Words) -> FreeEnergyTerms:
    """The terms of the free energy of windows v, in double precision."""
    inputs = evaluate_in_double(WordRepRBM.hidden_input, rbm, v)
    return FreeEnergyTerms(rbm.b.astype(np.float64)[v].sum(axis=1), np.logaddexp(0.0, inputs))
