"""The classes of documents: what they are called, and the number of each document's own."""

from typing import Any

import numpy as np
from jaxtyping import Int64
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wordrbm.estimators.refused import Refused
from wordrbm.shapes import Array


def classes_of(y: Any, documents: int, least: int) -> tuple[Array, Int64[np.ndarray, " N"]]:
    """The classes in order, and the number of each document's; every class has `least` or more."""
    if y is None:
        raise Refused("No classes were given, requires y to be passed, but the target y is None.")
    given = column_or_1d(y, warn=True)
    if len(given) != documents:
        raise Refused(f"{documents} documents and {len(given)} classes were given; give as many.")
    check_classification_targets(given)
    classes, label, count = np.unique(given, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise Refused(f"{len(classes)} class was found in y; a classifier needs two or more.")
    if count.min() < least:
        few = classes[count.argmin()]
        raise Refused(
            f"Class {few!s} has {count.min()} documents where {least} folds need at least {least}; "
            "give more, or use fewer folds, or None."
        )
    return classes, label.astype(np.int64)
