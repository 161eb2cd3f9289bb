"""Fill the blanks of a text: probabilities normalised exactly over all K words.

Blanks that share no window are independent. Blanks that share a window, or are linked by blanks
that do, form a group. P(text) is that of `text_model.py`.

    "marginal"  every joint assignment of the m blanks of a group is scored, at a cost of K^m H:
                P(x_p = k | text) = sum over assignments of the other blanks of P(all | text)
    "map"       where these are too many, the best joint assignment (MAP) is sought by coordinate
                ascent; the probabilities of a blank are exact given the others at their MAP words

Coordinate ascent replaces one blank at a time by its likeliest word given all others, if the score
of the text strictly rises, so it ends. It runs from several starts and may miss the best.
"""

from itertools import cycle, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import (
    TextWithBlanks,
    check_int,
    ids_with_blanks,
    tokens_with_blanks,
)
from wordrbm.inference.precision import BLANK
from wordrbm.inference.text_model import (
    Ids,
    LogScores,
    TextModel,
    Texts,
    factors_covering,
    softmax,
    text_log_score,
    word_log_scores,
)
from wordrbm.inference.whitening import expected_row
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary

MARGINAL, MAP = "marginal", "map"
MAX_ASSIGNMENTS = 4_000_000  # of the blanks of a group: seconds of work
MAX_ARRAY_SIZE = 2**20  # numbers in one array: 8 MB
ASCENT_STARTS = 8
BLANKS_ALWAYS_FILLED = 5  # whatever the vocabulary
MAX_ASCENT_COST = 3_000_000  # K m^2: beyond it, coordinate ascent takes minutes

Assignments: TypeAlias = Int[np.ndarray, "B p"]  # of p blanks, as word ids


class Blank(NamedTuple):
    """One blank: its position among the words from 0, the likeliest words, and P(`<unk>`)."""

    position: int
    words: list[tuple[str, float]]  # without the unknown word
    unknown: float


class Filled(NamedTuple):
    """A filled text: the text with its likeliest words, the method, and each blank by itself."""

    text: str
    method: str  # "marginal" or "map": how the other blanks of a group were treated
    blanks: list[Blank]


class BlankPosterior(NamedTuple):
    """A group of m blanks: P of every word at each, and the best joint assignment."""

    probability: Float64[np.ndarray, "m K"]
    best: Int[np.ndarray, " m"]


class TextPosterior(NamedTuple):
    """The tokens of a text, None at its m blanks, and what the model says of every blank."""

    tokens: list[str | None]
    method: str  # "marginal" or "map"
    positions: list[int]
    probability: Float64[np.ndarray, "m K"]
    best: Int[np.ndarray, " m"]  # the words of the likeliest joint assignment


def fill(rbm: WordRepRBM, vocabulary: Vocabulary, text: TextWithBlanks, count: int = 10) -> Filled:
    """Return the `count` likeliest words of every blank, and the likeliest joint assignment."""
    count = check_int("count of words", count, 1)
    posterior = text_posterior(TextModel.from_rbm(rbm, vocabulary), vocabulary, text)
    tokens, blanks = list(posterior.tokens), list[Blank]()
    for position, probability, word in zip(*posterior[2:], strict=True):
        blanks.append(likeliest_words(vocabulary, position, probability, count))
        tokens[position] = vocabulary.words[word]
    return Filled(" ".join(map(str, tokens)), posterior.method, blanks)


def text_posterior(model: TextModel, vocabulary: Vocabulary, text: TextWithBlanks) -> TextPosterior:
    """Return the probability of all K words at every blank of a text."""
    tokens = tokens_with_blanks(text)
    ids = ids_with_blanks(vocabulary, tokens, model.n)
    groups = blank_groups(np.flatnonzero(ids == BLANK).tolist(), model.n)
    K, largest_group = len(vocabulary), max(map(len, groups))
    exact = largest_group == 1 or K**largest_group <= MAX_ASSIGNMENTS
    if not exact:
        check_blank_count(K, largest_group)
    infer = exact_marginals if exact else map_probabilities
    probability, best = zip(*(infer(model, ids, group) for group in groups), strict=True)
    positions = [position for group in groups for position in group]
    method = MARGINAL if exact else MAP
    return TextPosterior(
        tokens, method, positions, np.concatenate(probability), np.concatenate(best)
    )


def blank_groups(blanks: list[int], n: int) -> list[list[int]]:
    """Group blanks that share a window with the one before."""
    groups = [[blank] for blank in blanks[:1]]
    for previous, blank in pairwise(blanks):
        if blank - previous < n:
            groups[-1].append(blank)
        else:
            groups.append([blank])
    return groups


def likeliest_words(
    vocabulary: Vocabulary, position: int, probability: Float64[np.ndarray, " K"], count: int
) -> Blank:
    """Return the `count` likeliest words at a blank, without the unknown word."""
    order = np.argsort(-probability, kind="stable")
    best = order[order != 0][:count]
    words = [(vocabulary.words[k], float(probability[k])) for k in best]
    return Blank(position, words, float(probability[0]))


def exact_marginals(model: TextModel, text: Ids, blanks: list[int]) -> BlankPosterior:
    """Return P of every word at each blank, all other blanks summed out.

    The last blank is scored for all K words at once; the assignments of those before it are
    enumerated in blocks, so memory is bounded.
    """
    K, m = model.rbm.b.size, len(blanks)
    place_values = K ** np.arange(m - 2, -1, -1)  # an assignment has its words as digits to base K
    log_sums = np.full((m, K), -np.inf)
    highest, best = -np.inf, np.zeros(m, np.int64)
    block = max(1, MAX_ARRAY_SIZE // max(K, model.rbm.c.size))
    for first in range(0, K ** (m - 1), block):
        index = np.arange(first, min(first + block, K ** (m - 1)))
        assignments = index[:, None] // place_values % K
        scores = _joint_log_scores(model, text, blanks, assignments)
        _add_to_log_sums(log_sums, assignments, scores)
        top = np.unravel_index(scores.argmax(), scores.shape)
        if scores[top] > highest:
            highest, best = scores[top], np.append(assignments[top[0]], top[1])
    log_total = np.logaddexp.reduce(log_sums, axis=1, keepdims=True)
    return BlankPosterior(np.exp(log_sums - log_total), best)


def _joint_log_scores(
    model: TextModel, text: Ids, blanks: list[int], assignments: Assignments
) -> LogScores:
    """Score each assignment of the p blanks before the last, for every word at the last."""
    texts: Texts = np.tile(text, (len(assignments), 1))
    texts[:, blanks[:-1]] = assignments
    factors = factors_covering(blanks, model.n, text.size)
    without_last = [factor for factor in factors if not factor.holds(blanks[-1], model.n)]
    elsewhere = text_log_score(model, texts, without_last)
    return word_log_scores(model, texts, blanks[-1]) + elsewhere[:, None]


def _add_to_log_sums(
    log_sums: Float64[np.ndarray, "m K"], assignments: Assignments, scores: LogScores
) -> None:
    """Add the joint scores to the log-sum of every word at every blank."""
    log_sums[-1] = np.logaddexp(log_sums[-1], np.logaddexp.reduce(scores, axis=0))
    row_sums = np.logaddexp.reduce(scores, axis=1)
    for blank, words in enumerate(assignments.T):
        np.logaddexp.at(log_sums[blank], words, row_sums)


def check_blank_count(K: int, blanks: int) -> None:
    """Raise if coordinate ascent over so many blanks takes minutes: it costs K H for each pair."""
    if blanks > BLANKS_ALWAYS_FILLED and K * blanks**2 > MAX_ASCENT_COST:
        raise WordRBMError(
            f"{blanks} blanks stand next to each other, too many for a vocabulary of {K:,} words; "
            f"leave at most {BLANKS_ALWAYS_FILLED} within reach of each other and fill the others "
            "first."
        )


def map_probabilities(model: TextModel, text: Ids, blanks: list[int]) -> BlankPosterior:
    """Return P of every word at each blank, given the other blanks at their MAP words."""
    filled = coordinate_ascent(model, text, blanks)
    scores = np.concatenate([word_log_scores(model, filled[None], blank) for blank in blanks])
    return BlankPosterior(softmax(scores), filled[blanks])


def coordinate_ascent(model: TextModel, text: Ids, blanks: list[int]) -> Ids:
    """Return the text with the best joint assignment that coordinate ascent reaches."""
    texts = _ascent_starts(model, text, blanks)
    unchanged_steps = 0  # in a row
    for blank in cycle(blanks):
        improved = _ascent_step(model, texts, blanks, blank)
        unchanged_steps = unchanged_steps + 1 if np.array_equal(improved, texts) else 0
        if unchanged_steps == len(blanks):
            break
        texts = np.unique(improved, axis=0)  # starts that reached one text continue as one
    factors = factors_covering(blanks, model.n, text.size)
    return texts[text_log_score(model, texts, factors).argmax()]


def _ascent_step(model: TextModel, texts: Texts, blanks: list[int], blank: int) -> Texts:
    """Refill one blank of every text, where that makes it likelier."""
    candidates = _fill_best(model, texts, blank)
    # Both from one function of the text: rounding cannot make the ascent cycle.
    factors = factors_covering(blanks, model.n, texts.shape[1])
    better = text_log_score(model, candidates, factors) > text_log_score(model, texts, factors)
    return np.where(better[:, None], candidates, texts)


def _ascent_starts(model: TextModel, text: Ids, blanks: list[int]) -> Texts:
    """Give each blank in turn its likeliest words, then fill the others one by one."""
    words_per_blank = -(-ASCENT_STARTS // len(blanks))
    starts = []
    for blank in blanks[:ASCENT_STARTS]:
        scores = word_log_scores(model, text[None], blank)[0]
        best = np.argsort(-scores, kind="stable")[:words_per_blank]
        texts = np.tile(text, (len(best), 1))
        texts[:, blank] = best
        for next_blank in blanks:
            texts = texts if next_blank == blank else _fill_best(model, texts, next_blank)
        starts.append(texts)
    return np.unique(np.concatenate(starts), axis=0)


def _fill_best(model: TextModel, texts: Texts, blank: int) -> Texts:
    filled = texts.copy()
    filled[:, blank] = word_log_scores(model, texts, blank).argmax(axis=1)
    return filled


def infer_vector(
    rbm: WordRepRBM, vocabulary: Vocabulary, text: TextWithBlanks
) -> Float64[np.ndarray, " d"]:
    """Return the expected row of D at the one blank of a text, ``sum_k P(x = k | text) D[k]``.

    It serves as the vector of an out-of-vocabulary word: the mean of the vectors of all words,
    weighted by how well each would fit. `<unk>` has its own, D[0], free of the context.
    """
    ids = ids_with_blanks(vocabulary, tokens_with_blanks(text), rbm.positions)
    blanks = np.flatnonzero(ids == BLANK)
    if blanks.size != 1:
        raise WordRBMError(
            f"The text has {blanks.size} blanks and a vector can be expected for one; fill the "
            "others first."
        )
    model = TextModel.from_rbm(rbm, vocabulary)
    scores = word_log_scores(model, ids[None], int(blanks[0]))
    return expected_row(rbm.D, softmax(scores)[0])
