"""Word vectors in the formats of word2vec and GloVe, which other programs read and write.

Text: a line ``K d`` (GloVe has none), then ``word x1 .. xd`` a line; nine digits are written,
enough to give every float32 back. Binary: the same first line, then each word, a space and d
little-endian float32. All are written, text is read.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.vectors import Vectors
from wordrbm.storage import atomic_write, path_status
from wordrbm.text.reader import open_text

_SIZES = re.compile(r"(\d{1,12}) (\d{1,6})")


def _text_lines(vectors: Vectors) -> Iterator[bytes]:
    for word, vector in zip(vectors.words, vectors.matrix.tolist(), strict=True):
        yield f"{word} {' '.join(f'{x:.9g}' for x in vector)}\n".encode()


def _binary_records(vectors: Vectors) -> Iterator[bytes]:
    for word, vector in zip(vectors.words, vectors.matrix.astype("<f4"), strict=True):
        yield word.encode() + b" " + vector.tobytes() + b"\n"


FORMATS: dict[str, Callable[[Vectors], Iterator[bytes]]] = {
    "word2vec": _text_lines,
    "word2vec-binary": _binary_records,
    "glove": _text_lines,
}


def write_word2vec(vectors: Vectors, path: Path, format: str) -> None:
    """Write the vectors in one of `FORMATS`, whole or not at all."""
    spaced = next((word for word in vectors.words if not word or word.split() != [word]), None)
    if spaced is not None:
        raise WordRBMError(
            f"The word {spaced!r} has white space in it, which {format} files cannot hold; "
            "remove it from the text and train again."
        )
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        if format != "glove":
            file.write(f"{len(vectors)} {vectors.matrix.shape[1]}\n".encode())
        file.writelines(FORMATS[format](vectors))


def read_word2vec(path: Path) -> Vectors:
    """Read all vectors of a text file, compressed or not; of a repeated word the first."""
    if not path_status(path).is_file:
        raise WordRBMError(f"{path} is no file; give vectors as text, a word a line.")
    rows: dict[str, np.ndarray] = {}
    expected, size, last = None, 0, 0
    with open_text(path) as reader:
        for line in reader.lines():
            text, last = line.text.rstrip(" "), line.number
            if line.number == 1 and (sizes := _SIZES.fullmatch(text)):
                expected, size = int(sizes[1]), int(sizes[2])
                continue
            size = size or text.count(" ")
            word, *numbers = text.rsplit(" ", size) if size else [text]
            rows.setdefault(word, _parse_vector(path, line.number, numbers, size))
    if not rows:
        raise WordRBMError(f"{path} holds no vector; give a word and its numbers a line.")
    if expected is not None and expected != last - 1:
        raise WordRBMError(
            f"{path} has {last - 1} vectors where its first line says {expected}; take a whole "
            "file."
        )
    return Vectors(tuple(rows), np.stack(list(rows.values())))


def _parse_vector(path: Path, line: int, numbers: list[str], size: int) -> np.ndarray:
    try:
        vector = np.array(numbers, np.float32)
    except ValueError:
        vector = np.empty(0, np.float32)
    if not size or len(vector) != size or not np.isfinite(vector).all():
        raise WordRBMError(
            f"{path}, line {line} is no word with {size or 'some'} finite numbers; give vectors as "
            "text, a word and its numbers a line, with single spaces."
        )
    return vector
