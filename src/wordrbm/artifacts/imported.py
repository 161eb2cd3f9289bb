"""Vectors of other programs: a word and its numbers a line, as word2vec and GloVe write them.

A first line of two whole numbers is ``K d``; every other line has d numbers after its word.
"""

import re
from pathlib import Path

import numpy as np

from wordrbm.artifacts.vectors import Vectors
from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.reader import open_text

_SIZES = re.compile(r"(\d{1,12}) (\d{1,6})")


def read_vectors(path: Path) -> Vectors:
    """All vectors of a text file, compressed or not; of a word that comes twice the first."""
    if not path_status(path).is_file:
        raise WordRBMError(f"{path} is no file; give vectors as text, a word a line.")
    rows: dict[str, np.ndarray] = {}
    count, size, last = None, 0, 0
    with open_text(path) as reader:
        for line in reader.lines():
            text, last = line.text.rstrip(" "), line.number
            if line.number == 1 and (sizes := _SIZES.fullmatch(text)):
                count, size = int(sizes[1]), int(sizes[2])
                continue
            size = size or text.count(" ")
            word, *numbers = text.rsplit(" ", size) if size else [text]
            rows.setdefault(word, _numbers(path, line.number, numbers, size))
    if not rows:
        raise WordRBMError(f"{path} holds no vector; give a word and its numbers a line.")
    if count is not None and count != last - 1:
        raise WordRBMError(
            f"{path} has {last - 1} vectors where its first line says {count}; take a whole file."
        )
    return Vectors(tuple(rows), np.stack(list(rows.values())))


def _numbers(path: Path, line: int, numbers: list[str], size: int) -> np.ndarray:
    try:
        found = np.array(numbers, np.float32)
    except ValueError:
        found = np.empty(0, np.float32)
    if not size or len(found) != size or not np.isfinite(found).all():
        raise WordRBMError(
            f"{path}, line {line} is no word with {size or 'some'} finite numbers; give vectors as "
            "text, a word and its numbers a line, with single spaces."
        )
    return found
