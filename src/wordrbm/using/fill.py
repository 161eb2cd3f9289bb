"""Fill the blanks of a text: probabilities normalised exactly over all K words.

Blanks that share no window are independent of each other. Blanks that
share a window, or are linked by blanks that do, form a group. If all joint fillings of every
group can be weighed the other blanks are summed out (`marginals.py`), else they are taken as
read (`reading.py`); the answer says which. What a text longer than a window means is said in
`context.py`.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int32

from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.marginals import can_be_summed, marginals
from wordrbm.using.markov import TextModel
from wordrbm.using.precise import BLANK
from wordrbm.using.reading import as_read, refuse_long_readings
from wordrbm.using.words import TextWithBlanks, ids_of, whole_number, words_and_blanks

SUMMED_OUT, AS_READ = "summed out", "as read"


class Blank(NamedTuple):
    """One blank: its place among the words from 0, the likeliest words, and P(`<unk>`)."""

    position: int
    words: list[tuple[str, float]]  # the unknown word is not among them
    unknown: float


class Filled(NamedTuple):
    """The answer: the text with its likeliest filling, and each blank by itself."""

    reading: str
    others: str  # what was done with the other blanks of a group: "summed out" or "as read"
    blanks: list[Blank]


def fill(rbm: WordRepRBM, vocabulary: Vocabulary, text: TextWithBlanks, count: int = 10) -> Filled:
    """The `count` likeliest words of every blank, and the likeliest filling of them all."""
    count = whole_number("count of words", count, 1)
    words = words_and_blanks(text)
    ids = checked_text(rbm, vocabulary, words)
    groups = _groups(np.flatnonzero(ids == BLANK).tolist(), rbm.positions)
    summed = all(can_be_summed(len(vocabulary), len(group)) for group in groups)
    if not summed:
        refuse_long_readings(len(vocabulary), max(map(len, groups)))
    model, blanks = TextModel.of(rbm, vocabulary), list[Blank]()
    for group in groups:
        found = (marginals if summed else as_read)(model, ids, group)
        for position, probability, word in zip(group, *found, strict=True):
            blanks.append(_blank(vocabulary, position, probability, count))
            words[position] = vocabulary.words[word]
    return Filled(" ".join(map(str, words)), SUMMED_OUT if summed else AS_READ, blanks)


def checked_text(
    rbm: WordRepRBM, vocabulary: Vocabulary, words: list[str | None]
) -> Int32[np.ndarray, " T"]:
    """The ids of a text with blanks, if it has a blank and fills a window."""
    if None not in words:
        raise WordRBMError("The text has no blank; put ___ where a word is to be found.")
    if len(words) < rbm.positions:
        raise WordRBMError(
            f"The text has {len(words)} words, blanks included, and a window of this model has "
            f"{rbm.positions}; add more words, or ___ for those that are not known."
        )
    return ids_of(vocabulary, words)


def _groups(blanks: list[int], n: int) -> list[list[int]]:
    """Blanks that share a window with the one before stand in one group."""
    groups = [[blanks[0]]]
    for before, blank in pairwise(blanks):
        if blank - before < n:
            groups[-1].append(blank)
        else:
            groups.append([blank])
    return groups


def _blank(
    vocabulary: Vocabulary, position: int, probability: Float64[np.ndarray, " K"], count: int
) -> Blank:
    order = np.argsort(-probability, kind="stable")
    best = order[order != 0][:count]
    words = [(vocabulary.words[k], float(probability[k])) for k in best]
    return Blank(position, words, float(probability[0]))
