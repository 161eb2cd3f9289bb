"""The classes of documents: what they are called, and the number of each document's own."""

from typing import Any

import numpy as np
from jaxtyping import Int64
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from wordrbm.estimators.refused import Refused
from wordrbm.shapes import Array


def classes_of(
    y: Any, ends: Int64[np.ndarray, " N"], least: int
) -> tuple[Array, Int64[np.ndarray, " N"]]:
    """The classes in order, and the number of each document's.

    Every class must have `least` documents that hold a word; `ends` is where each one ends.
    """
    documents = len(ends)
    if y is None:
        raise Refused("No classes were given, requires y to be passed, but the target y is None.")
    _refuse_gaps(y)
    given = column_or_1d(y, warn=True)
    if len(given) != documents:
        raise Refused(f"{documents} documents and {len(given)} classes were given; give as many.")
    check_classification_targets(given)
    classes, label = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise Refused(f"{len(classes)} class was found in y; a classifier needs two or more.")
    count = np.bincount(label, np.diff(ends, prepend=0) > 0, minlength=len(classes))
    if count.min() < least:
        raise Refused(
            f"Class {classes[count.argmin()]!s} has {count.min():.0f} documents with words where "
            f"at least {least} are needed; give more, or use fewer folds, or None."
        )
    return classes, label.astype(np.int64)


def _refuse_gaps(y: Any) -> None:
    """Classes that are missing, or of several types, are told by their place."""
    values = list(y) if np.ndim(y) == 1 else []
    texts = [isinstance(value, str) for value in values]
    for number, value in enumerate(values):
        if value is None or type(value).__name__ == "NAType" or value != value:
            raise Refused(f"The class of document {number} is {value!r}; give every one a class.")
        if texts[number] != texts[0]:
            raise Refused(
                f"The class of document {number} is {value!r}, that of the first {values[0]!r}; "
                "give names or numbers, not both."
            )
