"""The documents of an experiment as word numbers: for training, for testing, and unlabelled ones.

Where there is no part for testing, a fifth of each class is set aside, by a fixed seed.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.errors import WordRBMError
from wordrbm.estimators.documents import Read, chosen, read
from wordrbm.text.decoding import DECODERS
from wordrbm.text.labelled import Files, Labelled, documents, find_labelled
from wordrbm.text.settings import STRICT

ASIDE = 5  # one document of so many is for testing
SEED, LEAST_WORDS = 0, 3


class Part(NamedTuple):
    """Documents, and the number of each one's class."""

    read: Read
    label: Int64[np.ndarray, " N"]

    def __len__(self) -> int:
        return len(self.label)

    def tokens(self) -> Iterator[list[str]]:
        """The words of every document."""
        begin, words = 0, self.read.words
        for end in self.read.ends.tolist():
            yield [words[k] for k in self.read.ids[begin:end].tolist()]
            begin = end

    def chosen(self, number: Int64[np.ndarray, " M"]) -> "Part":
        """Some of the documents."""
        return Part(chosen(self.read, number), self.label[number])


class Data(NamedTuple):
    """All there is; the unlabelled documents have the class -1."""

    classes: tuple[str, ...]
    train: Part
    test: Part
    unlabelled: Part | None
    digest: str  # a SHA-256 of the labelled documents
    more_digest: str  # and of the unlabelled ones


class Reading(NamedTuple):
    """How files are read, and which folder is not: that of the results."""

    field: str = "text"
    encoding_errors: str = STRICT
    out: Path | None = None


def read_data(folder: Path, *, unlabelled: bool, how: Reading = Reading()) -> Data:  # noqa: B008
    """Read everything under a folder, the unlabelled documents only if they are asked for.

    Empty documents teach nothing: only those for testing are kept.
    """
    if how.encoding_errors not in DECODERS:
        raise WordRBMError(
            f"--encoding-errors is {how.encoding_errors!r}; use {' or '.join(DECODERS)}."
        )
    found = find_labelled(folder, how.out)
    classes = tuple(sorted(found.train))
    train = _part(found.train, classes, how)
    train = train.chosen(np.flatnonzero(np.diff(train.read.ends, prepend=0)))
    _refuse_few(folder, train, classes, ASIDE, "training")
    if found.test:
        test = _part(found.test, classes, how)
        _refuse_few(folder, test, classes, 1, "testing")
    else:
        train, test = _set_aside(train)
    more = _unlabelled(folder, found, how) if unlabelled else None
    digests = _digest(classes, train, test), _digest((), more) if more else ""
    return Data(classes, train, test, more, *digests)


def _part(files: Files, classes: tuple[str, ...], how: Reading) -> Part:
    label: list[int] = []

    def texts() -> Iterator[str]:
        for number, name in enumerate(classes):
            for text in documents(files[name], how.field, how.encoding_errors):
                label.append(number)
                yield text

    return Part(read(texts()), np.array(label, np.int64))


def _digest(classes: tuple[str, ...], *parts: Part) -> str:
    found = hashlib.sha256(json.dumps(classes).encode())
    for part in parts:
        found.update("\n".join(part.read.words).encode())
        for numbers in (part.read.ids, part.read.ends, part.label):
            found.update(numbers.tobytes())
    return found.hexdigest()


def _unlabelled(folder: Path, found: Labelled, how: Reading) -> Part:
    if not found.unlabelled:
        raise WordRBMError(
            f"{folder} holds no unlabelled documents; put them in a folder or file named `unsup` "
            "beside the classes, or leave out --unlabelled."
        )
    texts = read(documents(found.unlabelled, how.field, how.encoding_errors))
    return Part(texts, np.full(len(texts.ends), -1))


def _set_aside(part: Part) -> tuple[Part, Part]:
    shuffled = np.random.default_rng(SEED).permutation(len(part))
    order = shuffled[np.argsort(part.label[shuffled], kind="stable")]  # class after class
    for_test = np.arange(len(order)) % ASIDE == ASIDE - 1
    return part.chosen(np.sort(order[~for_test])), part.chosen(np.sort(order[for_test]))


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
    if len(np.unique(part.read.ids)) < LEAST_WORDS and purpose == "training":
        raise WordRBMError(
            f"{folder} has fewer than {LEAST_WORDS} different words for training; give more text."
        )
