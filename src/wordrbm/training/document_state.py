"""The state of a document trainer as named arrays, to be stored and restored.

Random streams and the order of documents are functions of the seed and the update, so arrays and
the number of the update are all of it. What follows from documents and settings alone (proposals,
rates of rows, the distribution of lengths) is not stored: a fresh trainer has it.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from wordrbm.kernels.optimizer import STRIDE
from wordrbm.models.replicated import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array
from wordrbm.training.document_trainer import DocumentTrainer

CONSTANT = {"settings", "proposals", "row_rates"}  # fields that no update changes
LEARNT = {"tempering.slope", "tempering.force"}  # the rest of it follows from the documents


def state_arrays(trainer: DocumentTrainer) -> dict[str, Array]:
    """Every array that updates change, by name; these are views of the trainer's own memory."""
    arrays: dict[str, Array] = {}
    for field in fields(trainer):
        if field.name not in CONSTANT:
            parts = _parts(getattr(trainer, field.name)).items()
            arrays |= {f"{field.name}.{name}": x for name, x in parts if isinstance(x, np.ndarray)}
    return {
        name: array
        for name, array in arrays.items()
        if not name.startswith("tempering.") or name in LEARNT
    }


def _parts(value: Any) -> dict[str, Any]:
    """The fields of a named tuple or of a dataclass."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(value._asdict()) if hasattr(value, "_asdict") else {}


def restore_state(
    fresh: DocumentTrainer, arrays: Mapping[str, Array], step: int
) -> DocumentTrainer | None:
    """A fresh trainer brought to the state after update `step`; None if the arrays are no state.

    Words of chains are ids, lengths fit them, hidden states are 0 or 1, directions -1 or 1, all
    else is finite; names, types and shapes are those of the fresh trainer.
    """
    own = state_arrays(fresh)
    if not 0 <= step <= fresh.settings.updates or own.keys() != arrays.keys():
        return None
    if any(
        arrays[name].shape != array.shape or arrays[name].dtype != array.dtype
        for name, array in own.items()
    ):
        return None
    if not (_are_chains(arrays, fresh.parameters.b.size) and _is_finite(arrays, step)):
        return None
    for name, array in own.items():
        array[...] = arrays[name]
    return replace(fresh, step=step)


def _are_chains(arrays: Mapping[str, Array], K: int) -> bool:
    words, length, h, direction = (
        arrays[f"chains.{name}"] for name in ("words", "length", "h", "direction")
    )
    is_state = bool(((words >= 0) & (words < K)).all() and np.isin(h, (0, 1)).all())
    is_state &= bool(((length >= 0) & (length <= words.shape[1])).all())
    return is_state and bool(np.isin(direction, (-1, 1)).all())


def _is_finite(arrays: Mapping[str, Array], step: int) -> bool:
    covered = arrays["averages.covered"]
    is_state = all(np.isfinite(array).all() for array in arrays.values())
    return is_state and bool(((covered >= 0) & (covered <= step // STRIDE)).all())


def continue_from(
    fresh: DocumentTrainer, model: ReplicatedSoftmaxRBM, step: int
) -> DocumentTrainer:
    """A fresh trainer that goes on from a model after update `step`; its chains begin anew."""
    for name in "DUbc":
        getattr(fresh.parameters, name)[...] = getattr(model, name)
        getattr(fresh.averages, name)[...] = getattr(model, name)
    fresh.averages.covered[...] = step // STRIDE
    return replace(fresh, step=step)
