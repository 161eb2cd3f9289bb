"""CoNLL column files: one token a line, its label in the last column, blank lines after sentences.

    DATA/train.txt                     required; every file may also be compressed (.gz, .zst)
    DATA/dev.txt or DATA/valid.txt     for model selection, if present
    DATA/test.txt                      if present

Columns are separated by spaces or tabs; every line has as many as the first. A line that starts
with `-DOCSTART-` is no token. Development sentences that are also in the training file, as in a
published partition of it, are removed from training. Without a development file, a ninth of the
training sentences, at most 1,000, is drawn with a fixed seed.
"""

import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.reader import TextReader, open_text

FIELD = re.compile("[^ \t]+")
DOCUMENT = "-DOCSTART-"
SUFFIXES = ("", ".txt", ".gz", ".txt.gz", ".zst", ".txt.zst")
TRAIN, DEV, TEST = ("train",), ("dev", "valid", "validation", "testa"), ("test",)
AS_FIRST = "every token has as many as the first, and a blank line ends a sentence"
SEED, DEV_FRACTION, MAX_DEV = 0, 9, 1000  # one in DEV_FRACTION


class Sentence(NamedTuple):
    """The tokens of a sentence, column by column; the last column holds the labels, if any."""

    columns: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The first column."""
        return self.columns[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """The last column."""
        return self.columns[-1]


Sentences = list[Sentence]


class Splits(NamedTuple):
    """Sentences for training, model selection and testing; `test` may be empty."""

    train: Sentences
    dev: Sentences
    test: Sentences

    @property
    def train_and_dev(self) -> Sentences:
        """The sentences that the final tagger is fitted to."""
        return self.train + self.dev

    def digest(self) -> str:
        """SHA-256 of all sentences, as hexadecimal."""
        sha = hashlib.sha256()
        for split in self:
            for sentence in split:
                sha.update("\n".join("\t".join(column) for column in sentence.columns).encode())
                sha.update(b"\n\n")
            sha.update(b"\f")
        return sha.hexdigest()


def read_splits(data: Path, dev: Path | None = None, test: Path | None = None) -> Splits:
    """Read a folder, or a training file alone; `dev` and `test` replace the folder's own files."""
    train_file = data if path_status(data).is_file else _find(data, TRAIN)
    if train_file is None:
        is_folder = path_status(data).is_folder
        fault = "holds no train.txt" if is_folder else "is neither a file nor a folder"
        raise WordRBMError(
            f"{data} {fault}; give a training file or a folder with train.txt, one token a line, "
            "its label in the last column."
        )
    train = read_conll(train_file)
    columns = len(train[0].columns)
    if columns < 2:
        raise WordRBMError(f"{train_file} has one column; give words first and labels last.")
    test = test or _find(data, TEST)
    reason = f"{train_file} has {columns}; give files with the columns of the training file"
    test_sentences = read_conll(test, columns, reason) if test else []
    dev = dev or _find(data, DEV)
    if dev:
        dev_sentences = read_conll(dev, columns, reason)
        train = remove_overlap(train, dev_sentences)
    else:
        train, dev_sentences = split_dev(train)
    if not train:
        raise WordRBMError(
            f"{data} has no sentence left for training once those of {dev} are removed; give more "
            "training sentences, or fewer for development."
        )
    return Splits(train, dev_sentences, test_sentences)


def _find(folder: Path, names: tuple[str, ...]) -> Path | None:
    """The first file of a folder that has one of the names."""
    paths = (folder / f"{name}{suffix}" for name in names for suffix in SUFFIXES)
    return next((path for path in paths if path_status(path).is_file), None)


def remove_overlap(train: Sentences, dev: Sentences) -> Sentences:
    """Training sentences without those of `dev`, each removed as often as it occurs there."""
    to_remove, remaining = Counter(dev), []
    for sentence in train:
        if to_remove[sentence]:
            to_remove[sentence] -= 1
        else:
            remaining.append(sentence)
    return remaining


def split_dev(sentences: Sentences) -> tuple[Sentences, Sentences]:
    """Split training sentences at random, with a fixed seed, into training and development."""
    count = min(MAX_DEV, len(sentences) // DEV_FRACTION)
    if not count:
        raise WordRBMError(
            f"{len(sentences)} training sentences are too few to set some aside for development; "
            f"give {DEV_FRACTION} or more, or a development file."
        )
    chosen = set(np.random.default_rng(SEED).permutation(len(sentences))[:count].tolist())
    train = [sentence for index, sentence in enumerate(sentences) if index not in chosen]
    return train, [sentences[index] for index in sorted(chosen)]


def read_conll(path: Path, columns: int | None = None, reason: str = AS_FIRST) -> Sentences:
    """Read the sentences of a file with `columns` columns, or as many as its first line has.

    `reason` is the part of the error message that says why this number is expected.
    """
    if not path_status(path).is_file:
        raise WordRBMError(f"{path} is not a file; give one with one token a line.")
    with open_text(path) as reader:
        return _parse(reader, columns, reason)


def read_conll_stream(
    stream: BinaryIO, columns: int, reason: str = AS_FIRST, name: str = "standard input"
) -> Sentences:
    """Read the sentences of a pipe; all of it is read before the first is returned.

    `name` stands for the pipe in error messages.
    """
    return _parse(TextReader(Path(name), io.BytesIO(stream.read())), columns, reason)


def _parse(reader: TextReader, columns: int | None, reason: str) -> Sentences:
    groups = groupby(_rows(reader, columns, reason), key=bool)
    sentences = [Sentence(tuple(zip(*rows, strict=True))) for is_token, rows in groups if is_token]
    if not sentences:
        raise WordRBMError(f"{reader.path} holds no token; give one token a line.")
    return sentences


def _rows(reader: TextReader, columns: int | None, reason: str) -> Iterator[list[str]]:
    """The columns of every line; none where no token is, which ends a sentence."""
    for line in reader.lines():
        row = FIELD.findall(line.text)
        if not row or row[0] == DOCUMENT:
            yield []
            continue
        columns = columns or len(row)
        if len(row) != columns:
            raise WordRBMError(
                f"{reader.path}, line {line.number} has {len(row)} "
                f"column{'s' * (len(row) != 1)} where {columns} were expected: {reason}."
            )
        yield row
