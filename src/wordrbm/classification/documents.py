"""Documents as word ids: tokenized once, then encoded by a vocabulary; with classes, from disk.

A document is a `str`, tokenized as the training text of any model is, or a list of tokens. No
window crosses documents. Documents may come from a generator: what stays in memory is an integer
for every token, and the distinct words.

Documents of a classifier keep their digits: 9/10 and 2/10 are words of their own, if each occurs
often enough. Other numbers are looked up with their digits masked, as #/#.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np
from jaxtyping import Float64, Int32, Int64

from wordrbm.errors import InvalidInput, WordRBMError
from wordrbm.inference import inputs
from wordrbm.text.formats import DEFAULT_FIELD, iter_documents
from wordrbm.text.labelled import FilesByClass, find_labelled, find_test_set
from wordrbm.text.reader import STRICT, check_encoding_errors
from wordrbm.text.tokenizer import mask_digits, normalize_token, tokenize
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary
from wordrbm.text.windows import Windows

Ids: TypeAlias = Int32[np.ndarray, " t"]  # the words of a document
Labels: TypeAlias = Int64[np.ndarray, " N"]  # the number of each document's class
DocumentNumbers: TypeAlias = Int64[np.ndarray, " _"]  # which documents
Counts: TypeAlias = Int64[np.ndarray, " _"]  # of words or windows, or sums of them
ClassScores: TypeAlias = Float64[np.ndarray, "N C"]  # a number for each document and class


@final
@dataclass(frozen=True, eq=False)
class DocumentIds:
    """Documents as ids, end to end: document k is ``ids[offsets[k] : offsets[k + 1]]``."""

    ids: Int32[np.ndarray, " T"]
    offsets: Int64[np.ndarray, " O"]  # N + 1 of them

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> Ids:
        return self.ids[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[number] for number in range(len(self)))

    @property
    def lengths(self) -> Counts:
        """Words of each document."""
        return np.diff(self.offsets)

    def nonempty(self) -> DocumentNumbers:
        """The numbers of the documents that have words."""
        return np.flatnonzero(self.lengths)

    def select(self, numbers: DocumentNumbers) -> "DocumentIds":
        """The documents with these numbers, in this order."""
        ids = np.concatenate([self.ids[:0], *(self[number] for number in numbers.tolist())])
        return DocumentIds(ids, offsets_from(self.lengths[numbers]))

    def pad(self, n: int) -> "DocumentIds":
        """Documents of fewer than n words filled up with the unknown word, 0; empty ones stay."""
        lengths = self.lengths
        missing = np.where(lengths > 0, np.maximum(n - lengths, 0), 0)
        ids = np.insert(self.ids, np.repeat(self.offsets[1:], missing), 0)
        return DocumentIds(ids, offsets_from(lengths + missing))

    def windows(self, n: int, numbers: DocumentNumbers | None = None) -> Windows:
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

    def tokens(self) -> Iterator[list[str]]:
        """The tokens of every document."""
        return ([self.words[k] for k in ids.tolist()] for ids in self.documents)

    def vocabulary(self, size: int, min_count: int, excluded: Set[str] = frozenset()) -> Vocabulary:
        """The most frequent words, equal counts in code point order, and the unknown word.

        A word with digits that is too rare counts for the one that has them masked.
        """
        counts = np.bincount(self.documents.ids, minlength=len(self.words)).tolist()
        times = Counter(dict(zip(self.words, counts, strict=True)))
        usual = _masked_counts(times, {word for word in times if times[word] >= min_count})
        frequent = [
            row
            for row in _ranked(usual)
            if row[1] >= min_count and row[0] != UNKNOWN and row[0] not in excluded
        ]
        words = {word for word, _ in frequent[:size]}
        total = _masked_counts(times, words)
        rest = sum(count for word, count in total.items() if word not in words)
        return Vocabulary.build([row for row in _ranked(total) if row[0] in words], rest)

    def encode(self, vocabulary: Vocabulary) -> DocumentIds:
        """The documents as ids of a vocabulary, 0 for an out-of-vocabulary word."""
        known = (word if word in vocabulary.index else mask_digits(word) for word in self.words)
        return DocumentIds(vocabulary.ids(known)[self.documents.ids], self.documents.offsets)


def _masked_counts(times: Mapping[str, int], words: Set[str]) -> Counter[str]:
    """How often words occur, where all others have their digits masked."""
    total = Counter[str]()
    for word, frequency in times.items():
        total[word if word in words else mask_digits(word)] += frequency
    return total


def _ranked(times: Mapping[str, int]) -> list[tuple[str, int]]:
    """Words by falling frequency, equal ones in code point order."""
    return sorted(times.items(), key=lambda row: (-row[1], row[0]))


def offsets_from(lengths: Counts) -> Counts:
    """Where documents of these lengths begin and end when laid end to end."""
    return np.append(0, np.cumsum(lengths))


def tokenize_documents(X: Any, *, keep_digits: bool = False) -> TokenizedDocuments:
    """Tokenize all documents, reading each once."""
    index: defaultdict[str, int] = defaultdict(count().__next__)
    ids, offsets = array("i"), array("q", [0])
    for tokens in iter_tokens(X, keep_digits=keep_digits):
        ids.extend(index[token] for token in tokens)
        offsets.append(len(ids))
    documents = DocumentIds(np.array(ids, np.int32), np.array(offsets, np.int64))
    return TokenizedDocuments(list(index), documents)


def iter_tokens(X: Any, *, keep_digits: bool = False) -> Iterator[list[str]]:
    """Yield the tokens of every document."""
    documents = inputs.check_iterable(X, "documents")
    return (_tokens(document, number, keep_digits) for number, document in enumerate(documents))


def _tokens(document: Any, number: int, keep_digits: bool) -> list[str]:
    if isinstance(document, str):
        return tokenize(document, keep_digits=keep_digits)
    if isinstance(document, Iterable) and not isinstance(document, bytes | Mapping | Set):
        tokens = list(document)
        if all(isinstance(token, str) and not inputs.is_blank(token) for token in tokens):
            return [normalize_token(token, keep_digits=keep_digits) for token in tokens]
    raise InvalidInput(
        f"Document {number} is {short_repr(document)}; a document is a str or a list of "
        "tokens that are str and no blanks."
    )


class LabelledDocuments(NamedTuple):
    """Documents as ids, the class of each, and the vocabulary of the ids."""

    documents: DocumentIds
    label: Labels
    vocabulary: Vocabulary

    def select(self, numbers: DocumentNumbers) -> "LabelledDocuments":
        """The documents with these numbers."""
        documents, label = self.documents.select(numbers), self.label[numbers]
        return self._replace(documents=documents, label=label)


class LabelledTokens(NamedTuple):
    """Tokenized documents, and the number of each one's class."""

    tokenized: TokenizedDocuments
    label: Labels


class LabelledSets(NamedTuple):
    """The documents of all classes for training, and for testing if there are any."""

    classes: tuple[str, ...]
    train: LabelledTokens
    test: LabelledTokens | None

    def class_counts(self) -> dict[str, int]:
        """Training documents with words, by class."""
        label = self.train.label[self.train.tokenized.documents.nonempty()]
        return {name: int((label == c).sum()) for c, name in enumerate(self.classes)}

    def encode(self, n: int, min_count: int, folds: int) -> LabelledDocuments:
        """Training documents as ids; too few documents of a class, or no words, are refused."""
        fewest, name = min((documents, name) for name, documents in self.class_counts().items())
        if fewest < folds:
            raise WordRBMError(
                f"Class {name} has {fewest} documents with words where {folds} or more are needed "
                "for cross-validation; add some, or use fewer --folds."
            )
        tokenized, label = self.train
        vocabulary = tokenized.vocabulary(len(tokenized.words) + 1, min_count)
        if len(vocabulary) < 2:
            raise WordRBMError(f"No word occurs {min_count} times; use a smaller --min-count.")
        return LabelledDocuments(tokenized.encode(vocabulary).pad(n), label, vocabulary)


def read_labelled(
    data: Path,
    test: Path | None = None,
    *,
    out: Path | None = None,
    field: str = DEFAULT_FIELD,
    encoding_errors: str = STRICT,
) -> LabelledSets:
    """Read the documents of every class under `data`, and those of `test` or else of `data`/test.

    The layouts are those of `wordrbm.text.labelled`; the output folder `out` is no class.
    """
    check_encoding_errors(encoding_errors)
    files = find_labelled(data, out)
    test_files = files.test if test is None else find_test_set(test, files.train)
    return LabelledSets(
        tuple(sorted(files.train)),
        tokenize_labelled(files.train, field, encoding_errors),
        tokenize_labelled(test_files, field, encoding_errors) if test_files else None,
    )


def tokenize_labelled(files: FilesByClass, field: str, encoding_errors: str) -> LabelledTokens:
    """Tokenize the documents of files, class by class in the order of their names; digits stay."""
    label: list[int] = []

    def texts() -> Iterator[str]:
        for number, name in enumerate(sorted(files)):
            for text in iter_documents(files[name], field, encoding_errors):
                label.append(number)
                yield text

    tokenized = tokenize_documents(texts(), keep_digits=True)
    return LabelledTokens(tokenized, np.array(label, np.int64))
