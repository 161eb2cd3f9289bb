"""Several blanks at once when their joint fillings are too many: read the text, then look again.

The reading is the best joint filling found by coordinate ascent: each step fills one blank with
its most likely word given all others, exactly over K, and is taken only if the score of the text
strictly rises, so the ascent ends. It climbs from several starts, all at once, and may miss the
best filling; the probabilities are exact, given the other blanks as read.
"""

from itertools import cycle

import numpy as np
from jaxtyping import Int

from wordrbm.errors import WordRBMError
from wordrbm.using.context import log_weight, normalised, word_log_weights
from wordrbm.using.marginals import Found
from wordrbm.using.markov import TextModel, Texts, factors_around

STARTS = 8
FEW = 5  # blanks that are always read, and
MOST_WORDS = 3_000_000  # K m^2: beyond it, a reading takes minutes


def refuse_long_readings(K: int, blanks: int) -> None:
    """Stop if reading so many blanks at once would take minutes: it costs K H for each pair."""
    if blanks > FEW and K * blanks**2 > MOST_WORDS:
        raise WordRBMError(
            f"{blanks} blanks stand next to each other, too many for a vocabulary of {K:,} words; "
            f"leave at most {FEW} within reach of each other and fill the others first."
        )


def as_read(model: TextModel, text: Int[np.ndarray, " T"], blanks: list[int]) -> Found:
    """The probability of every word at each blank, the other blanks filled as read."""
    read = reading(model, text, blanks)
    probability = [normalised(word_log_weights(model, read[None], blank)[0]) for blank in blanks]
    return Found(np.array(probability), read[blanks])


def reading(
    model: TextModel, text: Int[np.ndarray, " T"], blanks: list[int]
) -> Int[np.ndarray, " T"]:
    """The text with its blanks filled by the best joint filling that was found."""
    texts = _starts(model, text, blanks)
    unchanged = 0  # steps in a row
    for blank in cycle(blanks):
        climbed = _step(model, texts, blanks, blank)
        unchanged = unchanged + 1 if np.array_equal(climbed, texts) else 0
        if unchanged == len(blanks):
            break
        texts = np.unique(climbed, axis=0)  # starts that met go on as one
    factors = factors_around(blanks, model.n, text.size)
    return texts[log_weight(model, texts, factors).argmax()]


def _step(model: TextModel, texts: Texts, blanks: list[int], blank: int) -> Texts:
    """Every text with one blank filled anew, where that makes it likelier."""
    tried = _best_filled(model, texts, blank)
    # Both from one function of the text: rounding cannot make it go round in circles.
    factors = factors_around(blanks, model.n, texts.shape[1])
    better = log_weight(model, tried, factors) > log_weight(model, texts, factors)
    return np.where(better[:, None], tried, texts)


def _starts(model: TextModel, text: Int[np.ndarray, " T"], blanks: list[int]) -> Texts:
    """Each blank in turn takes its likeliest words, then the others follow one by one."""
    share = -(-STARTS // len(blanks))
    starts = []
    for blank in blanks[:STARTS]:
        best = np.argsort(-word_log_weights(model, text[None], blank)[0], kind="stable")[:share]
        texts = np.tile(text, (len(best), 1))
        texts[:, blank] = best
        for other in blanks:
            texts = texts if other == blank else _best_filled(model, texts, other)
        starts.append(texts)
    return np.unique(np.concatenate(starts), axis=0)


def _best_filled(model: TextModel, texts: Texts, blank: int) -> Texts:
    filled = texts.copy()
    filled[:, blank] = word_log_weights(model, texts, blank).argmax(axis=1)
    return filled
