"""A model that climbs by steps that shorten where much was climbed before.

    theta += rate gradient / sqrt(sum of squares so far)                         [Duchi et al. 2011]

with one sum, of mean squares, for each row of D, each bias of a word, U and c: words are read in
batches of very different number. Of a table only the rows that are named are read or written.

References
    J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float32

from wordrbm.estimators.learning import copied
from wordrbm.kernels.apart import sum_rows
from wordrbm.models import Gradient, WordRepRBM

LEAST = 1e-8  # squares that are there from the beginning


@final
@dataclass(frozen=True, eq=False)
class Climber:
    """A model that changes in place, and the summed squares of what each of its parts was told."""

    rbm: WordRepRBM
    squares: dict[str, Float32[np.ndarray, " R"]]

    @classmethod
    def of(cls, rbm: WordRepRBM) -> "Climber":
        """A copy of a model, nothing climbed yet."""
        sizes = {"D": len(rbm.b), "b": len(rbm.b), "U": 1, "c": 1}
        squares = {name: np.full(size, LEAST, np.float32) for name, size in sizes.items()}
        return cls(copied(rbm), squares)

    def climb(self, gradient: Gradient, rate: float) -> None:
        """A step."""
        for name, value in gradient.dense.items():
            self.squares[name] += np.square(value).mean()
            parameter = self.rbm.parameters()[name]
            parameter += (rate / np.sqrt(self.squares[name])) * value
        words, row = np.unique(gradient.rows["D"].number, return_inverse=True)
        for name, (_, values) in gradient.rows.items():
            total = np.zeros((len(words), values.shape[1]), np.float32)
            sum_rows(row, values, total)
            self.squares[name][words] += np.square(total).mean(axis=1)
            step = np.float32(rate) / np.sqrt(self.squares[name][words])
            self.rbm.table(name)[words] += step[:, None] * total
