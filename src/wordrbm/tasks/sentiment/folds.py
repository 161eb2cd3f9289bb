"""Which part of the training documents each one belongs to, for cross-validation.

Documents of one film, author or site resemble each other. Where new documents will be of others,
folds that cut through such groups promise too much: a machine that knows a name by heart is right
in the other folds, and nowhere else. With groups given, no group is in two folds.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from jaxtyping import Int64
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.formats import iter_documents

SEED, PARTS = 0, 5
HERE = "{}"  # where the name of the class is in a pattern

Numbers = Int64[np.ndarray, " N"]


def fold_at_random(label: Numbers, folds: int) -> Numbers:
    """The fold of every document, each class in equal parts."""
    cut = StratifiedKFold(folds, shuffle=True, random_state=SEED)
    return _numbered(here for _, here in cut.split(label, label))


def fold_by_group(label: Numbers, group: Numbers, folds: int) -> Numbers:
    """The fold of every document, a group in one alone, each class in parts about equal."""
    few = WordRBMError(
        f"--groups leaves one of {folds} folds without documents of a class; the groups are too "
        "few or too large, give finer ones."
    )
    if len(np.unique(group)) < folds:
        raise few
    cut = StratifiedGroupKFold(folds, shuffle=True, random_state=SEED)
    fold = _numbered(here for _, here in cut.split(label, label, group))
    if len(np.unique(fold * len(label) + label)) < folds * len(np.unique(label)):
        raise few
    return fold


def parts_of_folds(label: Numbers, group: Numbers | None, fold: Numbers) -> Numbers | None:
    """The part of its own fold that each document is in, a group in one alone.

    None if the rest of a fold would lack a class without one of its parts.
    """
    groups = np.arange(len(label)) if group is None else np.unique(group, return_inverse=True)[1]
    part = np.random.default_rng(SEED).permutation(groups.max() + 1)[groups] % PARTS
    rests = (label[(fold == f) & (part != p)] for f in np.unique(fold) for p in range(PARTS))
    classes = len(np.unique(label))
    return part if all(len(np.unique(rest)) == classes for rest in rests) else None


def _numbered(parts: Iterable[Numbers]) -> Numbers:
    parts = list(parts)
    fold = np.empty(sum(map(len, parts)), np.int64)
    for number, here in enumerate(parts):
        fold[here] = number
    return fold


def read_groups(data: Path, pattern: str, classes: tuple[str, ...], count: list[int]) -> Numbers:
    """The group of every document: equal lines, of whichever class, are one group."""
    if HERE not in pattern:
        raise WordRBMError(
            f"--groups is {pattern!r} where a file name with {HERE} in the place of the class was "
            f"expected, as train_urls_{HERE}.txt."
        )
    lines = list[str]()
    for name, expected in zip(classes, count, strict=True):
        path = data / pattern.replace(HERE, name)
        if not path_status(path).is_file:
            raise WordRBMError(
                f"{path} is no file; give the groups of all classes, or no --groups."
            )
        found = "".join(iter_documents([path])).removesuffix("\n").split("\n")
        if len(found) != expected:
            raise WordRBMError(
                f"{path} has {len(found)} lines for {expected} documents of class {name}; give one "
                "line for each, in their order."
            )
        lines += [line.strip() for line in found]
    return np.unique(lines, return_inverse=True)[1].astype(np.int64)
