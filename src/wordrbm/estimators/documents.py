"""Documents as they are given: read once, checked one by one, as tokens.

A document is a `str`, split as the training text of any model is, or a list of tokens. No window
crosses documents. Words are counted while the documents are read, so they may come from a
generator: what stays in memory is an integer for every token and the words.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int, Int64

from wordrbm.errors import WordRBMError
from wordrbm.estimators.refused import Refused
from wordrbm.inference import inputs
from wordrbm.text.tokenizer import normalize_token, tokenize
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary
from wordrbm.text.windows import Windows


class Read(NamedTuple):
    """All documents as one stream of provisional ids, numbered as the words were first seen."""

    words: list[str]
    ids: Int[np.ndarray, " T"]
    ends: Int64[np.ndarray, " S"]  # where each document ends in the stream


def tokens_of(X: Any) -> Iterator[list[str]]:
    """The tokens of every document, one by one as they are asked for."""
    return (_tokens(document, number) for number, document in enumerate(several(X)))


def several(X: Any) -> Iterable[Any]:
    """The documents as they are, unless they are only one: a str is a list of letters to Python."""
    try:
        return inputs.check_iterable(X, "documents")
    except WordRBMError as error:
        raise Refused(str(error)) from None


def read(X: Any) -> Read:
    """Read all documents, once."""
    number: defaultdict[str, int] = defaultdict(count().__next__)
    ids, ends = array("i"), array("q")
    for tokens in tokens_of(X):
        ids.extend(number[token] for token in tokens)
        ends.append(len(ids))
    return Read(list(number), np.array(ids, np.int32), np.array(ends, np.int64))


def chosen(read: Read, number: Int64[np.ndarray, " M"]) -> Read:
    """Some of the documents."""
    begin, end = np.append(0, read.ends[:-1])[number], read.ends[number]
    parts = [read.ids[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    ids = np.concatenate([read.ids[:0], *parts])
    return Read(read.words, ids, np.cumsum(end - begin))


def joined(one: Read, other: Read) -> Read:
    """The documents of one and then of the other; words keep the numbers that `one` gave them."""
    number = {word: k for k, word in enumerate(one.words)}
    renamed = np.array([number.setdefault(word, len(number)) for word in other.words], np.int32)
    ids = np.concatenate([one.ids, renamed[other.ids]])
    return Read(list(number), ids, np.concatenate([one.ends, other.ends + one.ids.size]))


def vocabulary_of(read: Read, size: int, min_count: int) -> Vocabulary:
    """The most frequent words, equal counts in code point order, and the unknown word."""
    counts = np.bincount(read.ids, minlength=len(read.words)).tolist()
    seen = zip(read.words, counts, strict=True)
    kept = [row for row in seen if row[1] >= min_count and row[0] != UNKNOWN]
    ranked = sorted(kept, key=lambda row: (-row[1], row[0]))[:size]
    return Vocabulary.build(ranked, read.ids.size - sum(times for _, times in ranked))


def windows_of(read: Read, vocabulary: Vocabulary, n: int) -> Windows:
    """Every window of n words in a document; there must be one."""
    runs = np.stack([np.append(0, read.ends)[:-1], read.ends, np.zeros_like(read.ends)], axis=1)
    ids = vocabulary.ids(read.words)[read.ids]
    windows = Windows.of(ids, runs, n)
    if not len(windows):
        raise Refused(
            f"None of the {len(read.ends)} documents has {n} words; use a smaller window or longer "
            "documents."
        )
    return windows


def text_tags(tags: Any) -> Any:
    """scikit-learn's tags of an estimator whose input is a column of documents."""
    tags.input_tags.string = True
    tags.input_tags.one_d_array = True
    tags.input_tags.two_d_array = False
    tags.transformer_tags.preserves_dtype = []
    return tags


def _tokens(document: Any, number: int) -> list[str]:
    if isinstance(document, str):
        return tokenize(document)
    if isinstance(document, Iterable) and not isinstance(document, bytes | Mapping | Set):
        tokens = list(document)
        if all(isinstance(token, str) and not inputs.is_blank(token) for token in tokens):
            return [normalize_token(token) for token in tokens]
    raise Refused(
        f"Document {number} is {inputs.short_repr(document)}; a document is a str or a list of "
        "tokens that are str and no blanks."
    )
