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
    size: Callable[[ClassModels], int]


def compared(energies: Float[np.ndarray, "N C *U"]) -> Features:
    """What is compared: the difference of two classes, of more each one's from their mean."""
    if energies.shape[1] == 2:
        found = energies[:, :1] - energies[:, 1:]
    else:
        found = energies - energies.mean(axis=1, keepdims=True)
    return found.reshape(len(found), int(np.prod(found.shape[1:])))


def comparisons(classes: int) -> int:
    """How many numbers that gives of one energy."""
    return 1 if classes == 2 else classes


def _whole_texts(models: ClassModels, texts: Texts) -> Features:
    return compared(models.energies(texts))


def _whole_windows(models: ClassModels, ids: Int32[np.ndarray, " t"]) -> Features:
    return compared(models.window_energies(ids))


def _whole_size(models: ClassModels) -> int:
    return comparisons(len(models.models))


def _units_texts(models: ClassModels, texts: Texts) -> Features:
    return compared(models.units(texts))


def _units_windows(models: ClassModels, ids: Int32[np.ndarray, " t"]) -> Features:
    return compared(models.window_units(ids))


def _units_size(models: ClassModels) -> int:
    return comparisons(len(models.models)) * models.middle.shape[1]


# Named functions: a fitted classifier is passed between processes.
WHOLE = View("whole", _whole_texts, _whole_windows, _whole_size)
BY_UNIT = View("by unit", _units_texts, _units_windows, _units_size)
VIEWS = {view.name: view for view in (WHOLE, BY_UNIT)}
