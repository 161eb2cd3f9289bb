"""How likely sentences are, and which of their words cost most.

    score of a sentence = mean of F(v) over its windows, the lower the likelier
    total               = sum of F over its windows, less that of their overlaps
    cost of a word      = -log P(word | rest of the sentence)

with the P(text) of `markov.py`: minus the total is log P(sentence) up to a constant that depends
only on its length. A cost is O(K H) for each window that holds the word; without costs
only the mean word, found once, depends on K.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.markov import TextModel
from wordrbm.using.precise import MEAN_WORD, asked
from wordrbm.using.surprisal import word_surprisal
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
    total: float  # the sum over the windows, less their overlaps
    costly: list[Costly]  # the words that cost most, the costliest first


def score(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence], costly: int = 3
) -> Iterator[Score]:
    """The score of every sentence, one by one as they are asked for; `costly=0` is fast."""
    most = whole_number("count of costly words", costly, 0)
    several_sentences = several(sentences)
    model = TextModel.of(rbm, vocabulary)
    return (_one(model, vocabulary, sentence, most) for sentence in several_sentences)


def text_free_energy(model: TextModel, v: Words) -> tuple[float, float]:
    """The mean of F over the windows of a text, and their sum less that of the overlaps."""
    energies = asked(WordRepRBM.free_energy, model.rbm, v)
    if len(v) == 1 or model.n == 1:
        return float(energies.mean()), float(energies.sum())
    overlaps = np.stack([v[:-1], v[1:]])
    overlaps[0, :, 0] = overlaps[1, :, -1] = MEAN_WORD
    flat = overlaps.reshape(-1, model.n)
    shared = asked(WordRepRBM.free_energy, model.rbm, flat, model.mean_vector)
    return float(energies.mean()), float(energies.sum() - shared.sum() / 2)


def _one(model: TextModel, vocabulary: Vocabulary, sentence: Sentence, most: int) -> Score:
    ids = ids_of(vocabulary, words_of(sentence))
    tokens = decode(vocabulary, ids[None])[0]
    v = windows_of(ids, model.n)
    if not len(v):
        return Score(tokens, 0, None, 0.0, [])
    mean, total = text_free_energy(model, v)
    worst = _costliest(tokens, word_surprisal(model, ids), most) if most else []
    return Score(tokens, len(v), mean, total, worst)


def _costliest(tokens: list[str], cost: Float64[np.ndarray, " T"], most: int) -> list[Costly]:
    order = np.argsort(-cost, kind="stable")[:most]
    return [Costly(int(t), tokens[t], float(cost[t])) for t in order]
