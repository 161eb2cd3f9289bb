"""Documents as word ids, for training and testing and unlabelled, with folds for cross-validation.

Without a test set, a fifth of each class is held out, by a fixed seed. Documents of one film,
author or site resemble each other: folds that split such groups overestimate the accuracy on
documents of other groups. With groups given, no group is in two folds.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from wordrbm.classification.documents import (
    DocumentIds,
    DocumentNumbers,
    Labels,
    TokenizedDocuments,
    tokenize_documents,
    tokenize_labelled,
)
from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.formats import iter_documents
from wordrbm.text.labelled import LabelledFiles, find_labelled
from wordrbm.text.reader import STRICT, check_encoding_errors
from wordrbm.text.vocabulary import Vocabulary

FOLDS, INNER_FOLDS = 3, 5
TEST_FOLDS = 5  # one of so many is the test set, where there is none
MIN_WORDS = 3
SEED = 0
CLASS = "{}"  # stands for the class in a file name


class DocumentSet(NamedTuple):
    """Tokenized documents, and the index of each one's class; unlabelled ones have -1."""

    tokenized: TokenizedDocuments
    label: Labels

    def __len__(self) -> int:
        return len(self.label)

    def select(self, numbers: DocumentNumbers) -> "DocumentSet":
        """The documents with these numbers."""
        words, documents = self.tokenized.words, self.tokenized.documents.select(numbers)
        return DocumentSet(TokenizedDocuments(words, documents), self.label[numbers])

    def encode(self, vocabulary: Vocabulary, n: int) -> DocumentIds:
        """Documents as ids; one shorter than a window is filled up with the unknown word."""
        return self.tokenized.encode(vocabulary).pad(n)


def concat_ids(first: DocumentIds, second: DocumentIds) -> DocumentIds:
    """The documents of both, those of the first in front."""
    offsets = np.append(first.offsets, first.offsets[-1] + second.offsets[1:])
    return DocumentIds(np.append(first.ids, second.ids), offsets)


def concat_tokenized(first: TokenizedDocuments, second: TokenizedDocuments) -> TokenizedDocuments:
    """The documents of both, over the words of both."""
    index = {word: k for k, word in enumerate(first.words)}
    ids = np.array([index.setdefault(word, len(index)) for word in second.words], np.int32)
    renumbered = DocumentIds(ids[second.documents.ids], second.documents.offsets)
    return TokenizedDocuments(list(index), concat_ids(first.documents, renumbered))


class Dataset(NamedTuple):
    """All documents of an experiment."""

    classes: tuple[str, ...]
    train: DocumentSet
    test: DocumentSet
    unlabelled: DocumentSet | None
    fold: Labels  # of the training documents
    inner_fold: Labels | None  # inside the fold; None where documents or groups are too few
    digest: str  # SHA-256 of the labelled documents and their folds
    unlabelled_digest: str

    def fitted(self, fold: int | None) -> Labels:
        """Indices of the documents that models without a fold are fitted on; None is no fold."""
        return np.flatnonzero(self.fold != fold)

    def scored(self, fold: int | None) -> Labels:
        """Indices of the training documents that models without a fold score: all if None."""
        return np.flatnonzero((self.fold == fold) | (fold is None))


class ReadOptions(NamedTuple):
    """How files are read; `out` is a folder of results that is not."""

    field: str = "text"
    encoding_errors: str = STRICT
    out: Path | None = None
    groups: str | None = None  # file name of the groups of a class's documents


def read_data(folder: Path, options: ReadOptions = ReadOptions(), *, unlabelled: bool) -> Dataset:  # noqa: B008
    """Read all documents under a folder, unlabelled ones only if requested.

    Empty documents are left out of the training set and kept in the test set.
    """
    check_encoding_errors(options.encoding_errors)
    files = find_labelled(folder, options.out)
    classes = tuple(sorted(files.train))
    train, group = _read_train(folder, files, classes, options)
    if files.test:
        test = DocumentSet(*tokenize_labelled(files.test, options.field, options.encoding_errors))
        _check_enough(folder, test, classes, 1, "testing")
    else:
        rest = assign_folds(train.label, group, TEST_FOLDS) > 0
        test, train = train.select(np.flatnonzero(~rest)), train.select(np.flatnonzero(rest))
        group = None if group is None else group[rest]
    fold = assign_folds(train.label, group, FOLDS)
    more = _read_unlabelled(folder, files, options) if unlabelled else None
    return Dataset(
        classes, train, test, more, fold, assign_inner_folds(train.label, group, fold),
        _digest(classes, fold.tobytes(), train, test), _digest((), b"", more) if more else "",
    )  # fmt: skip


def _read_train(
    folder: Path, files: LabelledFiles, classes: tuple[str, ...], options: ReadOptions
) -> tuple[DocumentSet, Labels | None]:
    """The training documents that have words, and their groups if there are any."""
    labelled = tokenize_labelled(files.train, options.field, options.encoding_errors)
    documents = DocumentSet(*labelled)
    nonempty = documents.tokenized.documents.nonempty()
    train = documents.select(nonempty)
    _check_enough(folder, train, classes, TEST_FOLDS, "training")
    if options.groups is None:
        return train, None
    counts = np.bincount(documents.label, minlength=len(classes)).tolist()
    return train, read_groups(folder, options.groups, classes, counts)[nonempty]


def _read_unlabelled(folder: Path, files: LabelledFiles, options: ReadOptions) -> DocumentSet:
    if not files.unlabelled:
        raise WordRBMError(
            f"{folder} holds no unlabelled documents; put them in a folder or file named `unsup` "
            "beside the classes, or leave out --pretrain-unlabelled and --self-training."
        )
    texts = iter_documents(files.unlabelled, options.field, options.encoding_errors)
    tokenized = tokenize_documents(texts, keep_digits=True)
    return DocumentSet(tokenized, np.full(len(tokenized.documents), -1))


def _check_enough(
    folder: Path, documents: DocumentSet, classes: tuple[str, ...], least: int, purpose: str
) -> None:
    counts = np.bincount(documents.label, minlength=len(classes))
    if counts.min() < least:
        raise WordRBMError(
            f"{folder} has {counts.min()} documents of class {classes[int(counts.argmin())]} for "
            f"{purpose} where {least} or more with words are needed; add some, or leave the class "
            "out."
        )
    if len(np.unique(documents.tokenized.documents.ids)) < MIN_WORDS and purpose == "training":
        raise WordRBMError(
            f"{folder} has fewer than {MIN_WORDS} different words for training; give more text."
        )


def _digest(classes: tuple[str, ...], fold: bytes, *sets: DocumentSet) -> str:
    digest = hashlib.sha256(json.dumps(classes).encode())
    digest.update(fold)
    for tokenized, label in sets:
        digest.update("\n".join(tokenized.words).encode())
        for array in (tokenized.documents.ids, tokenized.documents.offsets, label):
            digest.update(array.tobytes())
    return digest.hexdigest()


def assign_folds(label: Labels, group: Labels | None, folds: int) -> Labels:
    """The fold of every document: classes in equal parts, a group in one fold alone."""
    if group is None:
        stratified = StratifiedKFold(folds, shuffle=True, random_state=SEED)
        return _fold_index(test for _, test in stratified.split(label, label))
    too_few = WordRBMError(
        f"--groups leaves one of {folds} folds without documents of a class; the groups are too "
        "few or too large, give finer ones."
    )
    if len(np.unique(group)) < folds:
        raise too_few
    grouped = StratifiedGroupKFold(folds, shuffle=True, random_state=SEED)
    fold = _fold_index(test for _, test in grouped.split(label, label, group))
    if len(np.unique(fold * len(label) + label)) < folds * len(np.unique(label)):
        raise too_few
    return fold


def assign_inner_folds(label: Labels, group: Labels | None, fold: Labels) -> Labels | None:
    """A fold of every document inside its own fold, for nested cross-validation.

    A group is in one inner fold alone. None if a fold without one of them would lack a class.
    """
    groups = np.arange(len(label)) if group is None else np.unique(group, return_inverse=True)[1]
    inner = np.random.default_rng(SEED).permutation(groups.max() + 1)[groups] % INNER_FOLDS
    rests = (label[(fold == f) & (inner != k)] for f in range(FOLDS) for k in range(INNER_FOLDS))
    classes = len(np.unique(label))
    return inner if all(len(np.unique(rest)) == classes for rest in rests) else None


def _fold_index(parts: Iterable[Labels]) -> Labels:
    parts = list(parts)
    fold = np.empty(sum(map(len, parts)), np.int64)
    for index, part in enumerate(parts):
        fold[part] = index
    return fold


def restore_order(parts: Sequence[Any], fold: Labels) -> Any:
    """Rows given fold by fold, in the order of the documents."""
    return np.concatenate(parts)[np.argsort(np.argsort(fold, kind="stable"))]


def read_groups(data: Path, pattern: str, classes: tuple[str, ...], counts: list[int]) -> Labels:
    """The group of every document: equal lines, of whichever class, are one group."""
    if CLASS not in pattern:
        raise WordRBMError(
            f"--groups is {pattern!r} where a file name with {CLASS} in the place of the class was "
            f"expected, as train_urls_{CLASS}.txt."
        )
    groups = list[str]()
    for name, expected in zip(classes, counts, strict=True):
        path = data / pattern.replace(CLASS, name)
        if not path_status(path).is_file:
            raise WordRBMError(
                f"{path} is no file; give the groups of all classes, or no --groups."
            )
        lines = "".join(iter_documents([path])).removesuffix("\n").split("\n")
        if len(lines) != expected:
            raise WordRBMError(
                f"{path} has {len(lines)} lines for {expected} documents of class {name}; give one "
                "line for each, in their order."
            )
        groups += [line.strip() for line in lines]
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)
