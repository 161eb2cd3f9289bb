"""Averages of the parameters over the last updates: the model that is evaluated and saved.

While the rates are high, every update changes the energy of a window by some tenths of a nat, and
the parameters of one moment put too much mass on whatever was raised last. Their average over the
last few percent of the updates does not. Weights rise as a power of the update (polynomial-decay
averaging), so the average does not depend on the length of the run, and a row is brought up to
date only when it is in a gradient: nothing costs O(K). Parameters are sampled every few updates.

Reference
    O. Shamir, T. Zhang. Stochastic gradient descent for non-smooth optimization. ICML 2013.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, final

import numpy as np
from jaxtyping import Int64

from wordrbm.kernels.averaging import STRIDE, average_all, average_dense, average_rows
from wordrbm.models import AbstractRBM, Gradient
from wordrbm.shapes import Array

Model = TypeVar("Model", bound=AbstractRBM)


@final
@dataclass(frozen=True, eq=False)
class Averages:
    """The averages of a model's parameters, which change in place as it learns."""

    power: int  # weights rise as this power of the update: the last 1 / power of them count most
    value: dict[str, Array]  # by the parameter's name, of the shape of `AbstractRBM.table`
    tables: tuple[str, ...]  # parameters with sparse gradients, whose rows are averaged lazily
    covered: Int64[np.ndarray, " R"]  # the sample up to which the average of each row counts

    @classmethod
    def start(cls, model: AbstractRBM, tables: Sequence[str], power: int) -> "Averages":
        """The averages before the first update; a model's tables all have the same rows."""
        value = {name: model.table(name).copy() for name in model.parameters()}
        covered = np.zeros(len(model.table(tables[0])), np.int64)
        return cls(power, value, tuple(tables), covered)

    def model(self, model: Model, step: int) -> Model:
        """The model of the averages after `step` updates, O(K)."""
        values = {name: x.copy() for name, x in self.value.items()}
        for name in self.tables:
            table, average = model.table(name), self.value[name]
            average_all(table, average, self.covered, step // STRIDE, self.power, values[name])
        if step < STRIDE:  # nothing was sampled yet
            values = {name: model.table(name).copy() for name in values}
        shaped = {name: model.shaped(name, x) for name, x in values.items()}
        return replace(model, **shaped)  # type: ignore[type-var]

    def before_step(self, model: AbstractRBM, gradients: Sequence[Gradient], step: int) -> None:
        """Bring the averages of the gradients' rows up to `step` updates, before they change."""
        tables = tuple(model.table(name) for name in self.tables)
        averages = tuple(self.value[name] for name in self.tables)
        for gradient in gradients:
            number = gradient.rows[self.tables[0]].number
            average_rows(0, 1, number, tables, averages, self.covered, step // STRIDE, self.power)

    def after_step(self, model: AbstractRBM, step: int) -> None:
        """Take the dense parameters after `step` updates into their averages, if it is time."""
        for name in self.value.keys() - set(self.tables) if step % STRIDE == 0 else ():
            flat = model.table(name).reshape(-1)
            average_dense(flat, self.value[name].reshape(-1), step // STRIDE, self.power)
