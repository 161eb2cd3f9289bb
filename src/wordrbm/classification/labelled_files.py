"""Labelled documents on disk as training and test data of a classifier."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordrbm.classification.classifier import LabelledDocuments, Labels
from wordrbm.classification.documents import TokenizedDocuments, tokenize_documents
from wordrbm.errors import WordRBMError
from wordrbm.text.formats import DEFAULT_FIELD, iter_documents
from wordrbm.text.labelled import FilesByClass, find_labelled
from wordrbm.text.reader import STRICT, check_encoding_errors


class LabelledTokens(NamedTuple):
    """Tokenized documents, and the number of each one's class."""

    tokenized: TokenizedDocuments
    label: Labels

    def class_counts(self, classes: tuple[str, ...]) -> dict[str, int]:
        """Documents with words of each class."""
        label = self.label[self.tokenized.documents.nonempty()]
        return {name: int((label == c).sum()) for c, name in enumerate(classes)}


class LabelledSets(NamedTuple):
    """The documents of all classes for training, and for testing if there are any."""

    classes: tuple[str, ...]
    train: LabelledTokens
    test: LabelledTokens | None

    def encode(self, n: int, min_count: int, folds: int) -> LabelledDocuments:
        """Training documents as ids; too few documents of a class, or no words, are refused."""
        counts = self.train.class_counts(self.classes)
        rarest = min(counts, key=lambda name: counts[name])
        if counts[rarest] < folds:
            raise WordRBMError(
                f"Class {rarest} has {counts[rarest]} documents with words where {folds} or more "
                "are needed for cross-validation; add some, or use fewer --folds."
            )
        tokenized, label = self.train
        vocabulary = tokenized.vocabulary(len(tokenized.words) + 1, min_count)
        if len(vocabulary) < 2:
            raise WordRBMError(f"No word occurs {min_count} times; use a smaller --min-count.")
        return LabelledDocuments(tokenized.encode(vocabulary).pad(n), label, vocabulary)


def read_labelled(
    data: Path,
    test: Path | None = None,
    *,
    out: Path | None = None,
    field: str = DEFAULT_FIELD,
    encoding_errors: str = STRICT,
) -> LabelledSets:
    """Read the documents of every class under `data`, and those of `test` or else of `data`/test.

    The layouts are those of `wordrbm.text.labelled`; the output folder `out` is no class.
    """
    check_encoding_errors(encoding_errors)
    files = find_labelled(data, out)
    test_files = files.test if test is None else _test_files(test, files.train)
    return LabelledSets(
        tuple(sorted(files.train)),
        tokenize_labelled(files.train, field, encoding_errors),
        tokenize_labelled(test_files, field, encoding_errors) if test_files else None,
    )


def tokenize_labelled(files: FilesByClass, field: str, encoding_errors: str) -> LabelledTokens:
    """Tokenize the documents of files, class by class in the order of their names."""
    label: list[int] = []

    def texts() -> Iterator[str]:
        for number, name in enumerate(sorted(files)):
            for text in iter_documents(files[name], field, encoding_errors):
                label.append(number)
                yield text

    tokenized = tokenize_documents(texts())
    return LabelledTokens(tokenized, np.array(label, np.int64))


def _test_files(test: Path, train: FilesByClass) -> FilesByClass:
    """Test documents by class; a folder that has a test set of its own gives that."""
    sets = find_labelled(test)
    files = sets.test or sets.train
    if set(files) != set(train):
        raise WordRBMError(
            f"{test} has the classes {', '.join(sorted(files))}, the training documents have "
            f"{', '.join(sorted(train))}; name them alike."
        )
    return files
