"""The documents of an experiment as word numbers: for training, for testing, and unlabelled ones.

Where there is no part for testing, a fifth of each class is set aside, by a fixed seed. Every
training document has a fold: cross-validation tries it on models that have not seen it.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.classification.documents import TokenizedDocuments, tokenize_documents
from wordrbm.errors import WordRBMError
from wordrbm.tasks.sentiment.folds import (
    fold_at_random,
    fold_by_group,
    parts_of_folds,
    read_groups,
)
from wordrbm.tasks.sentiment.variant import FOLDS
from wordrbm.text.formats import iter_documents
from wordrbm.text.labelled import FilesByClass, LabelledFiles, find_labelled
from wordrbm.text.reader import ENCODING_ERRORS, STRICT

ASIDE = 5  # one document of so many is for testing
LEAST_WORDS = 3


class Part(NamedTuple):
    """Documents, and the number of each one's class."""

    read: TokenizedDocuments
    label: Int64[np.ndarray, " N"]

    def __len__(self) -> int:
        return len(self.label)

    def tokens(self) -> Iterator[list[str]]:
        """The words of every document."""
        return self.read.tokens()

    def chosen(self, number: Int64[np.ndarray, " M"]) -> "Part":
        """Some of the documents."""
        return Part(self.read.select(number), self.label[number])


class Data(NamedTuple):
    """All there is; the unlabelled documents have the class -1."""

    classes: tuple[str, ...]
    train: Part
    test: Part
    unlabelled: Part | None
    fold: Int64[np.ndarray, " N"]  # of the training documents
    part: Int64[np.ndarray, " N"] | None  # of its fold that each is in, if they are enough
    digest: str  # a SHA-256 of the labelled documents and their folds
    more_digest: str  # and of the unlabelled ones


class Reading(NamedTuple):
    """How files are read, and which folder is not: that of the results."""

    field: str = "text"
    encoding_errors: str = STRICT
    out: Path | None = None
    groups: str | None = None  # files that say which documents must stay together


def read_data(folder: Path, *, unlabelled: bool, how: Reading = Reading()) -> Data:  # noqa: B008
    """Read everything under a folder, the unlabelled documents only if they are asked for.

    Empty documents teach nothing: only those for testing are kept.
    """
    if how.encoding_errors not in ENCODING_ERRORS:
        raise WordRBMError(
            f"--encoding-errors is {how.encoding_errors!r}; use {' or '.join(ENCODING_ERRORS)}."
        )
    found = find_labelled(folder, how.out)
    classes = tuple(sorted(found.train))
    train, group = _training(folder, found, classes, how)
    if found.test:
        test = _part(found.test, classes, how)
        _refuse_few(folder, test, classes, 1, "testing")
    else:
        aside = _fold(train.label, group, ASIDE) == 0
        test, train = train.chosen(np.flatnonzero(aside)), train.chosen(np.flatnonzero(~aside))
        group = None if group is None else group[~aside]
    fold = _fold(train.label, group, FOLDS)
    more = _unlabelled(folder, found, how) if unlabelled else None
    digests = _digest(classes, fold, train, test), _digest((), None, more) if more else ""
    part = parts_of_folds(train.label, group, fold)
    return Data(classes, train, test, more, fold, part, *digests)


def _training(
    folder: Path, found: LabelledFiles, classes: tuple[str, ...], how: Reading
) -> tuple[Part, Int64[np.ndarray, " N"] | None]:
    """The documents that have words, and their groups if there are any."""
    part = _part(found.train, classes, how)
    kept = part.read.documents.nonempty()
    train, group = part.chosen(kept), None
    _refuse_few(folder, train, classes, ASIDE, "training")
    if how.groups is not None:
        count = np.bincount(part.label, minlength=len(classes)).tolist()
        group = read_groups(folder, how.groups, classes, count)[kept]
    return train, group


def _fold(
    label: Int64[np.ndarray, " N"], group: Int64[np.ndarray, " N"] | None, folds: int
) -> Int64[np.ndarray, " N"]:
    return fold_at_random(label, folds) if group is None else fold_by_group(label, group, folds)


def _part(files: FilesByClass, classes: tuple[str, ...], how: Reading) -> Part:
    label: list[int] = []

    def texts() -> Iterator[str]:
        for number, name in enumerate(classes):
            for text in iter_documents(files[name], how.field, how.encoding_errors):
                label.append(number)
                yield text

    return Part(tokenize_documents(texts()), np.array(label, np.int64))


def _digest(
    classes: tuple[str, ...], fold: Int64[np.ndarray, " N"] | None, *parts: Part
) -> str:  # fmt: skip
    found = hashlib.sha256(json.dumps(classes).encode())
    found.update(b"" if fold is None else fold.tobytes())
    for part in parts:
        found.update("\n".join(part.read.words).encode())
        documents = part.read.documents
        for numbers in (documents.ids, documents.offsets[1:], part.label):
            found.update(numbers.tobytes())
    return found.hexdigest()


def _unlabelled(folder: Path, found: LabelledFiles, how: Reading) -> Part:
    if not found.unlabelled:
        raise WordRBMError(
            f"{folder} holds no unlabelled documents; put them in a folder or file named `unsup` "
            "beside the classes, or leave out --unlabelled and --guess."
        )
    texts = tokenize_documents(iter_documents(found.unlabelled, how.field, how.encoding_errors))
    return Part(texts, np.full(len(texts), -1))


def _refuse_few(
    folder: Path, part: Part, classes: tuple[str, ...], least: int, purpose: str
) -> None:
    count = np.bincount(part.label, minlength=len(classes))
    if count.min() < least:
        few = classes[int(count.argmin())]
        raise WordRBMError(
            f"{folder} has {count.min()} documents of class {few} for {purpose} where {least} or "
            "more with words are needed; add some, or leave the class out."
        )
    if len(np.unique(part.read.documents.ids)) < LEAST_WORDS and purpose == "training":
        raise WordRBMError(
            f"{folder} has fewer than {LEAST_WORDS} different words for training; give more text."
        )
