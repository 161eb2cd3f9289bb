"""Free energies of windows, scores of sentences, and the surprisal of every word.

    F(v) = -log sum_h exp(-E(v, h)),   log P(v) = -F(v) - log Z
    free energy of a sentence = mean of F(v) over its windows, the lower the likelier
    total                     = sum of F over its windows, less that of their overlaps
    surprisal of a word       = -log P(word | rest of the sentence)

with the P(text) of `text_model.py`: minus the total is log P(sentence) up to a constant that
depends only on its length. A surprisal is O(K H) for each window that holds the word; without
surprisals only the mean word, computed once, depends on K.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Float64, Int

from wordrbm.errors import WordRBMError
from wordrbm.inference.features import sliding_windows
from wordrbm.inference.inputs import (
    Sentence,
    check_int,
    check_iterable,
    decode_windows,
    token_ids,
    tokens_of,
)
from wordrbm.inference.precision import BLANK, MEAN_WORD, evaluate_in_double
from wordrbm.inference.text_model import Ids, TextModel, factors_covering, vocabulary_parts
from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import logits_from_input
from wordrbm.shapes import Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import available_cores, one_blas_thread

WORDS_PER_BLOCK = 64  # words of a text whose surprisals are computed at a time

WindowsLike: TypeAlias = Int[np.ndarray, "N n"] | Iterable[Sentence]
LogSums: TypeAlias = tuple[Float64[np.ndarray, " P"], Float64[np.ndarray, " P"]]


class WordSurprisal(NamedTuple):
    """A word of a sentence, its position from 0, and its surprisal in nats."""

    position: int
    word: str
    nats: float


class Score(NamedTuple):
    """The score of one sentence; out-of-vocabulary words are `<unk>`."""

    tokens: list[str]
    windows: int
    free_energy: float | None  # the mean over the windows, None without a window
    total: float  # the sum over the windows, less their overlaps
    surprising: list[WordSurprisal]  # the most surprising words, highest surprisal first


class _PositionInputs(NamedTuple):
    """R factors that hold a word of a block at one position of their window."""

    weight: Float64[np.ndarray, "P R"]  # in the score of each word of the block
    hidden_input: Float64[np.ndarray, "R H"]  # from the other words of the window


def free_energy(
    rbm: WordRepRBM, vocabulary: Vocabulary, windows: WindowsLike
) -> Float64[np.ndarray, " N"]:
    """``F(v)`` of every window, given as ids (N, n) or as texts of exactly n words."""
    if isinstance(windows, np.ndarray) and windows.dtype.kind not in "OUT":
        v = check_window_ids(windows, rbm.positions, len(vocabulary))
    else:
        v = _windows_from_texts(rbm.positions, vocabulary, check_iterable(windows))
    return evaluate_in_double(WordRepRBM.free_energy, rbm, v)


def check_window_ids(windows: Any, n: int, K: int) -> Words:
    """Return windows of ids as an array, which must be (N, n) with ids below K."""
    try:
        v = np.asarray(windows)
    except ValueError:  # rows of different lengths
        v = np.empty(0)
    if v.dtype.kind not in "iu" or v.ndim != 2 or v.shape[1] != n:
        raise WordRBMError(
            f"An array of {v.dtype} {v.shape} was found where windows of word ids were expected; "
            f"give an integer array (N, {n})."
        )
    if v.size and (v.min() < 0 or v.max() >= K):
        raise WordRBMError(
            f"Word ids from {v.min()} to {v.max()} were found; the vocabulary of this model has "
            f"the ids 0 to {K - 1}."
        )
    return v


def _windows_from_texts(n: int, vocabulary: Vocabulary, texts: Iterable[Sentence]) -> Words:
    rows = [token_ids(vocabulary, tokens_of(text)) for text in texts]
    for number, row in enumerate(rows):
        if row.size != n:
            raise WordRBMError(
                f"Window {number} has {row.size} words; a window of this model has {n}, so cut "
                "the text, or score whole sentences instead."
            )
    return np.array(rows, np.int32).reshape(len(rows), n)


def score_sentences(
    rbm: WordRepRBM, vocabulary: Vocabulary, sentences: Iterable[Sentence], top_words: int = 3
) -> Iterator[Score]:
    """Iterate over the scores of the sentences, lazily; `top_words=0` is much faster."""
    top_words = check_int("count of surprising words", top_words, 0)
    sentences = check_iterable(sentences)
    model = TextModel.from_rbm(rbm, vocabulary)
    return (_score(model, vocabulary, sentence, top_words) for sentence in sentences)


def _score(model: TextModel, vocabulary: Vocabulary, sentence: Sentence, top_words: int) -> Score:
    ids = token_ids(vocabulary, tokens_of(sentence))
    tokens = decode_windows(vocabulary, ids[None])[0]
    v = sliding_windows(ids, model.n)
    if not len(v):
        return Score(tokens, 0, None, 0.0, [])
    mean, total = text_free_energy(model, v)
    surprising = []
    if top_words:
        surprisal = word_surprisals(model, ids)
        order = np.argsort(-surprisal, kind="stable")[:top_words]
        surprising = [WordSurprisal(int(t), tokens[t], float(surprisal[t])) for t in order]
    return Score(tokens, len(v), mean, total, surprising)


def text_free_energy(model: TextModel, v: Words) -> tuple[float, float]:
    """Return the mean of F over the windows of a text, and their sum less that of the overlaps."""
    energies = evaluate_in_double(WordRepRBM.free_energy, model.rbm, v)
    if len(v) == 1 or model.n == 1:
        return float(energies.mean()), float(energies.sum())
    overlaps = np.stack([v[:-1], v[1:]])
    overlaps[0, :, 0] = overlaps[1, :, -1] = MEAN_WORD
    flat = overlaps.reshape(-1, model.n)
    shared = evaluate_in_double(WordRepRBM.free_energy, model.rbm, flat, model.mean_vector)
    return float(energies.mean()), float(energies.sum() - shared.sum() / 2)


def word_surprisals(model: TextModel, ids: Ids) -> Float64[np.ndarray, " T"]:
    """``-log P(word | rest of the text)`` of every word of a text, in nats."""
    # Blocks of a fixed size, so that the digits do not depend on the number of threads.
    starts = range(0, ids.size, WORDS_PER_BLOCK)
    blocks = [range(first, min(first + WORDS_PER_BLOCK, ids.size)) for first in starts]
    with one_blas_thread(), ThreadPoolExecutor(available_cores()) as pool:
        if len(blocks) == 1:  # a short text: threads share the vocabulary
            return _block_surprisals(model, ids, blocks[0], pool.map)
        return np.concatenate(
            list(pool.map(lambda block: _block_surprisals(model, ids, block, map), blocks))
        )


def _block_surprisals(
    model: TextModel, ids: Ids, block: range, run: Callable[..., Iterable[LogSums]]
) -> Float64[np.ndarray, " P"]:
    """Compute surprisals for a block of words, with one pass over the vocabulary.

    Factors in which a word has the same window position share their products with the
    vocabulary, which is taken in blocks, so memory does not grow with K. `run` is `map`, over
    parts of the vocabulary.
    """
    inputs = [_position_inputs(model, ids, block, i) for i in range(model.n)]
    sums = partial(_part_log_sums, model, inputs, ids[block.start : block.stop])
    parts = list(run(sums, vocabulary_parts(model.rbm.b.size)))
    log_total = reduce(np.logaddexp, [log_total for log_total, _ in parts])
    return log_total - reduce(np.maximum, [log_score for _, log_score in parts])


def _part_log_sums(
    model: TextModel, inputs: list[_PositionInputs], targets: Ids, part: slice
) -> LogSums:
    """For each word: the log-sum of scores over a part of the vocabulary, and its own, or -inf."""
    by_position = [
        logits_from_input(model.rbm, x.hidden_input, i, part) for i, x in enumerate(inputs)
    ]
    log_total, log_score = np.full((2, targets.size), -np.inf)
    for vocabulary_block in zip(*by_position, strict=True):
        words = vocabulary_block[0][0]
        scores = reduce(np.add, [
            factors.weight @ logits
            for factors, (_, logits) in zip(inputs, vocabulary_block, strict=True)
        ])  # fmt: skip
        log_total = np.logaddexp(log_total, _log_sum(scores))
        inside = np.flatnonzero((words.start <= targets) & (targets < words.stop))
        log_score[inside] = scores[inside, targets[inside] - words.start]
    return log_total, log_score


def _log_sum(scores: Float64[np.ndarray, "P k"]) -> Float64[np.ndarray, " P"]:
    """``log sum_k exp(scores[p, k])``."""
    top = scores.max(axis=1)
    return top + np.log(np.exp(scores - top[:, None]).sum(axis=1))


def _position_inputs(model: TextModel, ids: Ids, block: range, i: int) -> _PositionInputs:
    """Collect the factors that hold a word of the block at position i of their window."""
    n, T = model.n, ids.size
    pairs = [
        (word, factor)
        for word, position in enumerate(block)
        for factor in factors_covering([position], n, T)
        if position - factor.start == i
    ]
    v = np.array([factor.words(ids[None], n)[0] for _, factor in pairs]).reshape(-1, n)
    v[:, i] = BLANK
    rbm, v = model.restrict_to_words(v.astype(ids.dtype))
    weight = np.zeros((len(block), len(pairs)))
    for column, (word, factor) in enumerate(pairs):
        weight[word, column] = factor.weight
    return _PositionInputs(weight, rbm.hidden_input(v))
