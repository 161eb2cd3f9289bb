"""What is said of a token in numbers: vectors of the words around it, hidden units of its window.

Vectors are scaled so that all their numbers have a given standard deviation, and stand for the five
words at -2 .. 2; hidden units are of the window whose middle the token is, if there is one inside
the sentence [Dahl 2012, section 6.2; Turian et al. 2010].
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float32

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.attributes import REACH
from wordrbm.text.tokenizer import normalize_token
from wordrbm.text.vocabulary import UNKNOWN
from wordrbm.using.features import hidden
from wordrbm.using.words import is_blank


def row_of(word: str, vectors: Vectors) -> int | None:
    """The row of a word: as it is, as other programs may have it, or as the tokeniser has it."""
    for spelt in (word, word.lower(), normalize_token(word)):
        if (row := vectors.index.get(spelt)) is not None:
            return row
    return None


def tokens(words: Sequence[str]) -> list[str]:
    """Words as a model reads them; what would be a blank elsewhere is an unknown word here."""
    return [UNKNOWN if is_blank(word) else word for word in map(normalize_token, words)]


def coverage(sentences: Sequence[Sequence[str]], vectors: Vectors) -> float:
    """The share of tokens whose word has a vector."""
    known = [row_of(word, vectors) is not None for words in sentences for word in words]
    return sum(known) / max(len(known), 1)


def spread(vectors: Vectors) -> float:
    """The standard deviation of all numbers of all vectors; they must differ."""
    found = float(np.std(vectors.matrix, dtype=np.float64))
    if not 1e-30 < found < 1e30:
        raise WordRBMError(
            f"The vectors have a standard deviation of {found:g}, which cannot be scaled; give "
            "vectors whose numbers differ, of a usual size."
        )
    return found


def around(
    sentences: Sequence[Sequence[str]], vectors: Vectors, deviation: float
) -> Float32[np.ndarray, "T F"]:
    """The vectors of the five words around every token; zeros beyond the sentence."""
    scaled = (vectors.matrix * (deviation / spread(vectors))).astype(np.float32)
    unknown, d = vectors.index.get(UNKNOWN), scaled.shape[1]
    found = []
    for words in sentences:
        padded = np.zeros((len(words) + 2 * REACH, d), np.float32)
        for t, word in enumerate(words):
            row = row_of(word, vectors)
            row = unknown if row is None else row
            if row is not None:
                padded[t + REACH] = scaled[row]
        views = [padded[k : k + len(words)] for k in range(2 * REACH + 1)]
        found.append(np.concatenate(views, axis=1))
    return np.concatenate(found)


def units(sentences: Sequence[Sequence[str]], model: TrainedModel) -> Float32[np.ndarray, "T H"]:
    """The hidden means of the window around every token; zeros where none fits."""
    n, H = model.rbm.positions, model.rbm.c.size
    read = [tokens(words) for words in sentences]
    found = []
    for words, means in zip(read, hidden(model.rbm, model.vocabulary, read), strict=True):
        own = np.zeros((len(words), H), np.float32)
        own[n // 2 : n // 2 + len(means)] = means
        found.append(own)
    return np.concatenate(found)
