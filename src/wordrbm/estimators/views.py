"""What the last layer sees of a document: its energies compared, whole or unit by unit.

    whole          F_0 - F_1 of two classes; of more, each one's from their mean
    unit by unit   the same of every term of the energies (`unit_energies.py`)

Both are means over windows, so a layer over them weighs windows as it weighs documents.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int32

from wordrbm.estimators.class_models import ClassModels, Texts

Features = Float[np.ndarray, "N F"]


class View(NamedTuple):
    """What is seen of documents, of the windows of one, and how many numbers that is."""

    name: str
    of_texts: Callable[[ClassModels, Texts], Features]
    of_windows: Callable[[ClassModels, Int32[np.ndarray, " t"]], Features]
    terms: Callable[[ClassModels], int]

    def size(self, models: ClassModels) -> int:
        """How many features there are."""
        classes = len(models.models)
        return self.terms(models) * (1 if classes == 2 else classes)


def compared(energies: Float[np.ndarray, "N C *U"]) -> Features:
    """What is compared: the difference of two classes, of more each one's from their mean."""
    if energies.shape[1] == 2:
        found = energies[:, :1] - energies[:, 1:]
    else:
        found = energies - energies.mean(axis=1, keepdims=True)
    return found.reshape(len(found), int(np.prod(found.shape[1:])))


WHOLE = View(
    "whole",
    lambda models, texts: compared(models.energies(texts)),
    lambda models, ids: compared(models.window_energies(ids)),
    lambda models: 1,
)
BY_UNIT = View(
    "by unit",
    lambda models, texts: compared(models.units(texts)),
    lambda models, ids: compared(models.window_units(ids)),
    lambda models: models.middle.shape[1],
)
VIEWS = {view.name: view for view in (WHOLE, BY_UNIT)}
