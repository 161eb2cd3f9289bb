"""What is said of a token in numbers: vectors of the words around it, hidden units of its window.

Vectors are scaled so that all their numbers have a given standard deviation, and stand for the five
words at -2 .. 2; hidden units are of the window whose middle the token is, if there is one inside
the sentence [Dahl 2012, section 6.2; Turian et al. 2010].
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float32

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.tasks.tagging.attributes import REACH
from wordrbm.text.tokens import normalise
from wordrbm.text.vocabulary import UNKNOWN
from wordrbm.using.features import hidden

SPELT = {
    "-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]",
}  # fmt: skip


def as_in_text(word: str) -> str:
    """A word of a treebank as the tokeniser would have given it."""
    spelt = SPELT.get(word.upper(), word) if word.startswith("-") else word
    return normalise(spelt.replace("\\/", "/").replace("\\*", "*"))


def coverage(sentences: Sequence[Sequence[str]], vectors: Vectors) -> float:
    """The share of tokens whose word has a vector."""
    known = [as_in_text(word) in vectors for words in sentences for word in words]
    return sum(known) / max(len(known), 1)


def around(
    sentences: Sequence[Sequence[str]], vectors: Vectors, deviation: float
) -> Float32[np.ndarray, "T F"]:
    """The vectors of the five words around every token; zeros beyond the sentence."""
    scaled = vectors.matrix * np.float32(deviation / vectors.matrix.std())
    d = scaled.shape[1]
    unknown = vectors.index.get(UNKNOWN)
    found = []
    for words in sentences:
        padded = np.zeros((len(words) + 2 * REACH, d), np.float32)
        for t, word in enumerate(words):
            row = vectors.index.get(as_in_text(word), unknown)
            if row is not None:
                padded[t + REACH] = scaled[row]
        views = [padded[k : k + len(words)] for k in range(2 * REACH + 1)]
        found.append(np.concatenate(views, axis=1))
    return np.concatenate(found)


def units(sentences: Sequence[Sequence[str]], model: TrainedModel) -> Float32[np.ndarray, "T H"]:
    """The hidden means of the window around every token; zeros where none fits."""
    n, H = model.rbm.positions, model.rbm.c.size
    tokens = [[as_in_text(word) for word in words] for words in sentences]
    found = []
    for words, means in zip(tokens, hidden(model.rbm, model.vocabulary, tokens), strict=True):
        own = np.zeros((len(words), H), np.float32)
        own[n // 2 : n // 2 + len(means)] = means
        found.append(own)
    return np.concatenate(found)
