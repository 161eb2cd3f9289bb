"""Document completion: the perplexity of the second half of documents given the first, exact.

    P(w | v) = exp(b_w) prod_j (1 + s_j (exp(c_j + W_jw) - 1)) / the sum over all w

with ``s_j = P(h_j = 1 | v)``. It needs no log Z. Each document counts once, its words equally; the
words of the second half are scored one by one, each given the first half alone.
"""

from typing import Any

import numpy as np
from jaxtyping import Float64
from scipy import sparse

from wordrbm.errors import InvalidInput
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array, Probability

UNITS = 8  # hidden units whose factors are multiplied before a logarithm is taken


def split_halves(counts: Any, seed: int = 1) -> tuple[Any, Any]:
    """The words of every document at even places of a random order, and those at odd places.

    Documents of one word have no second half and are left out; counts are rounded to whole words.
    """
    rng = np.random.default_rng(seed)
    halves: tuple[list[Array], list[Array]] = ([], [])
    for row in range(counts.shape[0]):
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        times = np.rint(counts.data[entries]).astype(np.int64)
        words = rng.permutation(np.repeat(counts.indices[entries], times))
        if words.size > 1:
            for half, start in zip(halves, (0, 1), strict=True):
                half.append(words[start::2])
    if not halves[0]:
        raise InvalidInput("No document has two words; give documents that have.")
    first, second = (_as_counts(half, counts.shape[1]) for half in halves)
    return first, second


def _as_counts(documents: list[Array], K: int) -> Any:
    offsets = np.append(0, np.cumsum([len(words) for words in documents]))
    words = np.concatenate(documents)
    counts = sparse.csr_matrix((np.ones(words.size), words, offsets), (len(documents), K))
    counts.sum_duplicates()
    return counts


def next_word_scores(
    model: ReplicatedSoftmaxRBM, mean: Float64[np.ndarray, " H"], growth: Float64[np.ndarray, "H K"]
) -> Float64[np.ndarray, " K"]:
    """``log P(w | v)`` of all words; `mean` is P(h | v), `growth` is ``exp(c_j + W_jw) - 1``."""
    scores = model.b.astype(np.float64)
    for first in range(0, len(mean), UNITS):
        units = slice(first, first + UNITS)
        scores += np.log(np.prod(1.0 + mean[units, None] * growth[units], axis=0))
    return scores - np.logaddexp.reduce(scores)


def completion_perplexity(model: ReplicatedSoftmaxRBM, first: Any, second: Any) -> float:
    """``exp(-mean_t mean_i log P(w_i | first half of t))`` over the words of the second halves."""
    weights = model.topic_weights().astype(np.float64) + model.c[:, None]
    growth, means = np.expm1(weights), model.hidden_mean(first)
    scores = [
        _mean_score(next_word_scores(model, mean, growth), second[row])
        for row, mean in enumerate(means)
    ]
    return float(np.exp(-np.mean(scores)))


def frequency_perplexity(frequency: Probability, second: Any) -> float:
    """The same of word frequencies, which do not look at the first half."""
    scores = [_mean_score(np.log(frequency), second[row]) for row in range(second.shape[0])]
    return float(np.exp(-np.mean(scores)))


def _mean_score(scores: Array, document: Any) -> float:
    return float((scores[document.indices] * document.data).sum() / document.data.sum())
