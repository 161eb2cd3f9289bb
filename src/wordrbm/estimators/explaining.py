"""Which n-grams of a document pull it to which class.

The logits of a document are a mean over its windows (`layer.py`), so each window has its share. A
word's pull is a share of its windows' pulls: an n-th of each window that it stands in.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.estimators.class_models import ClassModels, texts_of
from wordrbm.estimators.documents import read
from wordrbm.estimators.layer import Layer
from wordrbm.estimators.views import View


class Pull(NamedTuple):
    """An n-gram, where it begins, and how far it pulls to each class."""

    words: tuple[str, ...]
    begin: int
    pull: tuple[float, ...]


class Explanation(NamedTuple):
    """A document's words, the probability of each class, and what pulls to it."""

    tokens: tuple[str, ...]
    probability: Float64[np.ndarray, " C"]
    words: Float64[np.ndarray, "T C"]
    windows: Float64[np.ndarray, "W C"]
    n: int

    def strongest(self, c: int, count: int) -> list[Pull]:
        """The n-grams that pull most to class c, no two of which overlap."""
        found: list[Pull] = []
        taken = np.zeros(len(self.windows) + self.n, bool)
        for k in np.argsort(-self.windows[:, c], kind="stable").tolist():
            if len(found) == count or self.windows[k, c] <= 0:
                break
            if not taken[k : k + self.n].any():
                taken[k : k + self.n] = True
                words = self.tokens[k : k + self.n]
                found.append(Pull(words, k, tuple(self.windows[k].tolist())))
        return found


def explain(models: ClassModels, view: View, layer: Layer, document: object) -> Explanation:
    """Take a document apart: a str, or a list of tokens."""
    found = read([document])
    tokens = tuple(found.words[k] for k in found.ids.tolist())
    texts, C = texts_of(found, models.models[0].vocabulary, models.n), len(models.models)
    probability = layer.probabilities(view.of_texts(models, texts))[0]
    if not tokens:
        return Explanation((), probability, np.zeros((0, C)), np.zeros((0, C)), models.n)
    windows = layer.pulls(view.of_windows(models, texts.ids))
    words = np.zeros((len(texts.ids), C))
    for i in range(models.n):
        words[i : i + len(windows)] += windows / models.n
    return Explanation(tokens, probability, words[: len(tokens)], windows, models.n)
