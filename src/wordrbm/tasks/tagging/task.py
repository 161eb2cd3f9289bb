"""The sentences of a tagging task: for training, for choosing, for testing.

    DATA/train.txt, DATA/test.txt      the columns of the shared tasks, .gz or not
    DATA/dev.txt or DATA/valid.txt     for choosing, if they are there

Sentences for choosing that are in the training file too, as in a published partition of it, are
taken out of it. Without any, a ninth of the training sentences is chosen, by a fixed seed; at most
a thousand.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.tasks.tagging.columns import Sentence, read_columns

SEED, SHARE, MOST = 0, 9, 1000
ENDINGS = ("", ".txt", ".gz", ".txt.gz")
CHOOSING = ("dev", "valid", "validation", "testa")

Sentences = list[Sentence]


class Task(NamedTuple):
    """The three parts; the final tagger learns from the first two."""

    train: Sentences
    valid: Sentences
    test: Sentences

    @property
    def both(self) -> Sentences:
        """What the final tagger learns from."""
        return self.train + self.valid

    def digest(self) -> str:
        """A SHA-256 of everything."""
        found = hashlib.sha256()
        for part in self:
            for sentence in part:
                found.update("\n".join("\t".join(column) for column in sentence.columns).encode())
                found.update(b"\n\n")
            found.update(b"\f")
        return found.hexdigest()


def read_task(folder: Path, validation: Path | None = None) -> Task:
    """Read a folder; `validation` is a file to choose by, in place of the folder's own."""
    train = read_columns(_file(folder, "train"))
    columns = len(train[0].columns)
    if columns < 2:
        raise WordRBMError(
            f"{_file(folder, 'train')} has one column; give words first and labels last."
        )
    test = read_columns(_file(folder, "test"), columns)
    own = next((path for name in CHOOSING if (path := _found(folder, name))), None)
    if path := validation or own:
        valid = read_columns(path, columns)
        train = without(train, valid)
    else:
        train, valid = cut(train)
    if not train:
        raise WordRBMError(
            f"{folder} has no sentence left for training; give more, or fewer to choose by."
        )
    return Task(train, valid, test)


def without(train: Sentences, valid: Sequence[Sentence]) -> Sentences:
    """The training sentences less those for choosing, each taken out as often as it is there."""
    taken, kept = Counter(valid), []
    for sentence in train:
        if taken[sentence]:
            taken[sentence] -= 1
        else:
            kept.append(sentence)
    return kept


def cut(sentences: Sentences) -> tuple[Sentences, Sentences]:
    """Training sentences in two, at random."""
    count = min(MOST, len(sentences) // SHARE)
    if not count:
        raise WordRBMError(
            f"{len(sentences)} training sentences cannot be cut in two; give {SHARE} or more, or a "
            "file to choose by."
        )
    chosen = set(np.random.default_rng(SEED).permutation(len(sentences))[:count].tolist())
    train = [one for number, one in enumerate(sentences) if number not in chosen]
    return train, [sentences[number] for number in sorted(chosen)]


def _file(folder: Path, name: str) -> Path:
    path = _found(folder, name)
    if path is None:
        raise WordRBMError(
            f"{folder} holds no {name}.txt; give a folder with train.txt and test.txt, a token a "
            "line, its label in the last column."
        )
    return path


def _found(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}{ending}" for ending in ENDINGS)
    return next((path for path in paths if path_status(path).is_file), None)
