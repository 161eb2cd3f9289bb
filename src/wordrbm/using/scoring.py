"""How likely sentences are, and which of their words cost most.

    score of a sentence = mean of F(v) over its windows, the lower the likelier
    cost of a word      = mean of -log P(word | rest of the window), over the windows that hold it

Both are exact. A cost is O(K H) for each window that holds the word; without costs nothing here
depends on K.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.processors import cores
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.precise import asked, dense_in_double, one_blas_thread
from wordrbm.using.windows import windows_of
from wordrbm.using.words import Sentence, decode, ids_of, several, whole_number, words_of


class Costly(NamedTuple):
    """A word of a sentence, its place from 0, and how surprising it is, in nats."""

    position: int
    word: str
    nats: float


class Score(NamedTuple):
    """One sentence as the model sees it, unknown words as `<unk>`."""

    tokens: list[str]
    windows: int
    free_energy: float | None  # the mean over the windows, none if there is no window
    total: float  # the sum over the windows
    costly: list[Costly]  # the words that cost most, the costliest first


def score(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence], costly: int = 3
) -> Iterator[Score]:
    """The score of every sentence, one by one as they are asked for; `costly=0` is fast."""
    most = whole_number("count of costly words", costly, 0)
    return (_one(rbm, vocabulary, sentence, most) for sentence in several(sentences))


def word_costs(rbm: WordRepRBM, v: Words) -> Float64[np.ndarray, " T"]:
    """The cost of every word of a sentence, from all its windows in order."""
    N, n = v.shape
    with one_blas_thread():
        surprise = -cloze_log_probability(dense_in_double(rbm), v, threads=cores())
    total, held = np.zeros(N + n - 1), np.zeros(N + n - 1)
    for i in range(n):
        total[i : i + N] += surprise[:, i]
        held[i : i + N] += 1
    return total / held


def _one(rbm: WordRepRBM, vocabulary: Vocabulary, sentence: Sentence, most: int) -> Score:
    ids = ids_of(vocabulary, words_of(sentence))
    tokens = decode(vocabulary, ids[None])[0]
    v = windows_of(ids, rbm.positions)
    if not len(v):
        return Score(tokens, 0, None, 0.0, [])
    energies = asked(WordRepRBM.free_energy, rbm, v)
    worst = _costliest(tokens, word_costs(rbm, v), most) if most else []
    return Score(tokens, len(v), float(energies.mean()), float(energies.sum()), worst)


def _costliest(tokens: list[str], cost: Float64[np.ndarray, " T"], most: int) -> list[Costly]:
    order = np.argsort(-cost, kind="stable")[:most]
    return [Costly(int(t), tokens[t], float(cost[t])) for t in order]
