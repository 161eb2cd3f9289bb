"""Vectors in the formats of word2vec, which every other program reads.

Text: a line ``K d``, then ``word x1 .. xd`` a line, nine digits, enough to give every float back.
Binary: the same first line, then each word, a space and d little-endian float32.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from wordrbm.artifacts.vectors import Vectors
from wordrbm.errors import WordRBMError
from wordrbm.storage import atomic_write


def text_lines(vectors: Vectors) -> Iterator[bytes]:
    """The lines of a word2vec text file."""
    for word, vector in zip(vectors.words, vectors.matrix.tolist(), strict=True):
        yield f"{word} {' '.join(f'{x:.9g}' for x in vector)}\n".encode()


def binary_records(vectors: Vectors) -> Iterator[bytes]:
    """The records of a word2vec binary file."""
    for word, vector in zip(vectors.words, vectors.matrix.astype("<f4"), strict=True):
        yield word.encode() + b" " + vector.tobytes() + b"\n"


FORMATS: dict[str, Callable[[Vectors], Iterator[bytes]]] = {
    "word2vec": text_lines,
    "word2vec-binary": binary_records,
}


def export(vectors: Vectors, path: Path, form: str) -> None:
    """Write the vectors in one of `FORMATS`, whole or not at all."""
    if form not in FORMATS:
        raise WordRBMError(f"Format {form!r} is not known; use one of {', '.join(FORMATS)}.")
    spaced = next((word for word in vectors.words if not word or word.split() != [word]), None)
    if spaced is not None:
        raise WordRBMError(
            f"The word {spaced!r} has white space in it, which the word2vec formats cannot hold; "
            "remove it from the text and train again."
        )
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        file.write(f"{len(vectors)} {vectors.matrix.shape[1]}\n".encode())
        file.writelines(FORMATS[form](vectors))
