"""The free energy of windows: lower is likelier, differences are log-ratios of probability.

    F(v) = -log sum_h exp(-E(v, h)),   log P(v) = -F(v) - log Z

Windows come as ids, an integer array (N, n), or as texts of exactly n words each.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.precise import asked
from wordrbm.using.words import Sentence, ids_of, several, words_of

GivenWindows: TypeAlias = Int[np.ndarray, "N n"] | Iterable[Sentence]


def free_energy(
    rbm: WordRepRBM, vocabulary: Vocabulary, windows: GivenWindows
) -> Float64[np.ndarray, " N"]:
    """``F(v)`` of every window."""
    if isinstance(windows, np.ndarray) and windows.dtype.kind not in "OUT":
        v = checked_ids(windows, rbm.positions, len(vocabulary))
    else:
        v = _from_texts(rbm, vocabulary, several(windows))
    return asked(WordRepRBM.free_energy, rbm, v)


def checked_ids(windows: Any, n: int, K: int) -> Words:
    """The ids, if they are whole windows of words of this vocabulary."""
    try:
        v = np.asarray(windows)
    except ValueError:  # rows of different lengths
        v = np.empty(0)
    if v.dtype.kind not in "iu" or v.ndim != 2 or v.shape[1] != n:
        raise WordRBMError(
            f"An array of {v.dtype} {v.shape} was found where windows of word ids were expected; "
            f"give an integer array (N, {n})."
        )
    if v.size and not (v.min() >= 0 and v.max() < K):
        raise WordRBMError(
            f"Word ids from {v.min()} to {v.max()} were found; the vocabulary of this model has "
            f"the ids 0 to {K - 1}."
        )
    return v


def _from_texts(rbm: WordRepRBM, vocabulary: Vocabulary, texts: Iterable[Sentence]) -> Words:
    n = rbm.positions
    rows = [ids_of(vocabulary, words_of(text)) for text in texts]
    for number, row in enumerate(rows):
        if row.size != n:
            raise WordRBMError(
                f"Window {number} has {row.size} words; a window of this model has {n}, so cut "
                "the text, or score whole sentences instead."
            )
    return np.array(rows, np.int32).reshape(len(rows), n)
