"""Word vectors in the formats of other libraries.

word2vec, word2vec-binary, glove   a file for gensim and many others
safetensors                        a file: `vectors` (K, d) float32; metadata `words`, a JSON list
model2vec                          a folder for model2vec and sentence-transformers
spacy                              a folder for `spacy.load`

A file or a folder appears under its name when it is complete.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from wordrbm.errors import WordRBMError
from wordrbm.io.static_model import write_static_model
from wordrbm.io.vectors import Vectors
from wordrbm.io.word2vec import FORMATS as TEXT_FORMATS
from wordrbm.io.word2vec import write_word2vec
from wordrbm.storage import atomic_write, fsync, path_status, write_errors

Writer = Callable[[Vectors, Path], None]


def write_vectors(vectors: Vectors, path: Path, format: str) -> None:
    """Write the vectors in one of `FORMATS`, whole or not at all."""
    if format not in FORMATS:
        raise WordRBMError(f"Format {format!r} is not known; use one of {', '.join(FORMATS)}.")
    FORMATS[format](vectors, path)


def _write_safetensors(vectors: Vectors, path: Path) -> None:
    matrix = np.ascontiguousarray(vectors.matrix, np.float32)
    words = json.dumps(vectors.words, ensure_ascii=False)
    with atomic_write(path) as temporary:
        save_file({"vectors": matrix}, temporary, metadata={"words": words})


def _write_model2vec(vectors: Vectors, path: Path) -> None:
    with _new_folder(path) as folder:
        write_static_model(vectors, folder)


def _write_spacy(vectors: Vectors, path: Path) -> None:
    if find_spec("spacy") is None:
        raise WordRBMError(
            "The spacy format is written by spaCy, which is not installed; run pip install "
            "'wordrbm[spacy]', or choose another --format."
        )
    import spacy
    from spacy.vectors import Vectors as SpacyVectors

    with _new_folder(path) as folder:
        pipeline = spacy.blank("en")
        strings = pipeline.vocab.strings
        words = vectors.words[1:]  # without the unknown word: spaCy has zeros for it
        rows = np.ascontiguousarray(vectors.matrix[1:], np.float32)
        table = SpacyVectors(strings=strings, data=rows, keys=[strings.add(x) for x in words])
        for word, row in _capitalized(words).items():
            table.add(strings.add(word), row=row)
        pipeline.vocab.vectors = table
        pipeline.to_disk(folder)


def _capitalized(words: tuple[str, ...]) -> dict[str, int]:
    """The row of every word with a capital or in capitals, which spaCy looks up as they are."""
    known = set(words)
    forms = {form: k for k, x in enumerate(words) for form in (x.capitalize(), x.upper())}
    return {form: k for form, k in forms.items() if form not in known}


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder to write to; on leaving, it becomes `path`, which must be new."""
    if path_status(path).is_file or path_status(path).is_folder:
        raise WordRBMError(f"{path} already exists; give the name of a new folder as --out.")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with write_errors(path):
        try:
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):
                fsync(file)
            os.replace(temporary, path)
            fsync(path.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


FORMATS: dict[str, Writer] = {
    **{name: partial(write_word2vec, format=name) for name in TEXT_FORMATS},
    "safetensors": _write_safetensors,
    "model2vec": _write_model2vec,
    "spacy": _write_spacy,
}
