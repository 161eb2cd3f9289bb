"""Documents as word ids: tokenized once, then encoded by a vocabulary.

A document is a `str`, tokenized as the training text of any model is, or a list of tokens. No
window crosses documents. Documents may come from a generator: what stays in memory is an integer
for every token, and the distinct words.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import count
from typing import Any, final

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.errors import InvalidInput
from wordrbm.inference import inputs
from wordrbm.text.tokenizer import normalize_token, tokenize
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary
from wordrbm.text.windows import Windows


@final
@dataclass(frozen=True, eq=False)
class DocumentIds:
    """Documents as ids, end to end: document k is ``ids[offsets[k] : offsets[k + 1]]``."""

    ids: Int32[np.ndarray, " T"]
    offsets: Int64[np.ndarray, " O"]  # N + 1 of them

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> Int32[np.ndarray, " t"]:
        return self.ids[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[Int32[np.ndarray, " t"]]:
        return (self[number] for number in range(len(self)))

    @property
    def lengths(self) -> Int64[np.ndarray, " N"]:
        """Words of each document."""
        return np.diff(self.offsets)

    def nonempty(self) -> Int64[np.ndarray, " M"]:
        """The numbers of the documents that have words."""
        return np.flatnonzero(self.lengths)

    def select(self, numbers: Int64[np.ndarray, " M"]) -> "DocumentIds":
        """The documents with these numbers, in this order."""
        ids = np.concatenate([self.ids[:0], *(self[number] for number in numbers.tolist())])
        return DocumentIds(ids, offsets_from(self.lengths[numbers]))

    def concat(self, other: "DocumentIds") -> "DocumentIds":
        """These documents, followed by those of `other`."""
        offsets = np.append(self.offsets, self.offsets[-1] + other.offsets[1:])
        return DocumentIds(np.append(self.ids, other.ids), offsets)

    def pad(self, n: int) -> "DocumentIds":
        """Documents of fewer than n words filled up with the unknown word, 0; empty ones stay."""
        lengths = self.lengths
        missing = np.where(lengths > 0, np.maximum(n - lengths, 0), 0)
        ids = np.insert(self.ids, np.repeat(self.offsets[1:], missing), 0)
        return DocumentIds(ids, offsets_from(lengths + missing))

    def windows(self, n: int, numbers: Int64[np.ndarray, " M"] | None = None) -> Windows:
        """Every window of n words in all documents, or in those with these numbers."""
        starts, ends = self.offsets[:-1], self.offsets[1:]
        if numbers is not None:
            starts, ends = starts[numbers], ends[numbers]
        return Windows.of(self.ids, np.stack([starts, ends, np.zeros_like(starts)], axis=1), n)


@final
@dataclass(frozen=True, eq=False)
class TokenizedDocuments:
    """Documents as provisional ids: the index of each token in `words`, by first occurrence."""

    words: list[str]
    documents: DocumentIds

    def __len__(self) -> int:
        return len(self.documents)

    def tokens(self) -> Iterator[list[str]]:
        """The tokens of every document."""
        return ([self.words[k] for k in ids.tolist()] for ids in self.documents)

    def select(self, numbers: Int64[np.ndarray, " M"]) -> "TokenizedDocuments":
        """The documents with these numbers."""
        return TokenizedDocuments(self.words, self.documents.select(numbers))

    def concat(self, other: "TokenizedDocuments") -> "TokenizedDocuments":
        """These documents, followed by those of `other`, over the words of both."""
        index = {word: k for k, word in enumerate(self.words)}
        ids = np.array([index.setdefault(word, len(index)) for word in other.words], np.int32)
        renumbered = DocumentIds(ids[other.documents.ids], other.documents.offsets)
        return TokenizedDocuments(list(index), self.documents.concat(renumbered))

    def vocabulary(self, size: int, min_count: int) -> Vocabulary:
        """The most frequent words, equal counts in code point order, and the unknown word."""
        ids = self.documents.ids
        counts = np.bincount(ids, minlength=len(self.words)).tolist()
        frequent = [
            (word, times)
            for word, times in zip(self.words, counts, strict=True)
            if times >= min_count and word != UNKNOWN
        ]
        ranked = sorted(frequent, key=lambda row: (-row[1], row[0]))[:size]
        return Vocabulary.build(ranked, ids.size - sum(times for _, times in ranked))

    def encode(self, vocabulary: Vocabulary) -> DocumentIds:
        """The documents as ids of a vocabulary, 0 for an out-of-vocabulary word."""
        ids = vocabulary.ids(self.words)[self.documents.ids]
        return DocumentIds(ids, self.documents.offsets)


def offsets_from(lengths: Int64[np.ndarray, " N"]) -> Int64[np.ndarray, " O"]:
    """Where documents of these lengths begin and end when laid end to end."""
    return np.append(0, np.cumsum(lengths))


def tokenize_documents(X: Any) -> TokenizedDocuments:
    """Tokenize all documents, reading each once."""
    index: defaultdict[str, int] = defaultdict(count().__next__)
    ids, offsets = array("i"), array("q", [0])
    for tokens in iter_tokens(X):
        ids.extend(index[token] for token in tokens)
        offsets.append(len(ids))
    documents = DocumentIds(np.array(ids, np.int32), np.array(offsets, np.int64))
    return TokenizedDocuments(list(index), documents)


def iter_tokens(X: Any) -> Iterator[list[str]]:
    """Yield the tokens of every document."""
    documents = inputs.check_iterable(X, "documents")
    return (_tokens(document, number) for number, document in enumerate(documents))


def _tokens(document: Any, number: int) -> list[str]:
    if isinstance(document, str):
        return tokenize(document)
    if isinstance(document, Iterable) and not isinstance(document, bytes | Mapping | Set):
        tokens = list(document)
        if all(isinstance(token, str) and not inputs.is_blank(token) for token in tokens):
            return [normalize_token(token) for token in tokens]
    raise InvalidInput(
        f"Document {number} is {inputs.short_repr(document)}; a document is a str or a list of "
        "tokens that are str and no blanks."
    )
