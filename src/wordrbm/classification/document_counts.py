"""Documents as word counts, for topic models: a csr matrix with a row for each document.

Column k counts word k + 1 of the vocabulary; the unknown word, 0, is not counted. Words that tell
nothing of a topic are left out of the vocabulary: those of most documents, and tokens without a
letter.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, final
from zipfile import BadZipFile

import numpy as np
from pydantic import Field
from scipy import sparse

from wordrbm.classification.documents import DocumentIds, TokenizedDocuments
from wordrbm.errors import InvalidInput, WordRBMError
from wordrbm.settings import StrictSettings
from wordrbm.storage import read_errors
from wordrbm.text.corpus import SPLITS, PreparedCorpus, Split
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary

COUNTS_SUFFIX = ".npz"
MIN_WORDS = 2  # of a vocabulary that topics can tell apart


@final
class WordSelection(StrictSettings):
    """Which words of documents are counted."""

    vocabulary_size: int = Field(default=100_000, ge=2)
    min_count: int = Field(default=2, ge=1)  # occurrences of a word
    max_share: float = Field(default=1.0, gt=0, le=1)  # of the documents that may have a word
    letters: bool = False  # whether a word must have a letter


class CountedDocuments(NamedTuple):
    """Counts (N, K) as a csr matrix, and the vocabulary of K words and the unknown word."""

    counts: Any
    vocabulary: Vocabulary


def select_words(tokenized: TokenizedDocuments, selection: WordSelection) -> Vocabulary:
    """The most frequent of the words that count; none at all is refused."""
    documents = tokenized.documents
    width, rows = len(tokenized.words), np.repeat(np.arange(len(documents)), documents.lengths)
    pairs = np.unique(rows * max(width, 1) + documents.ids)
    share = np.bincount(pairs % max(width, 1), minlength=width) / max(len(documents), 1)
    common = [word for word, s in zip(tokenized.words, share, strict=True)
              if s > selection.max_share]  # fmt: skip
    signs = [word for word in tokenized.words if not any(map(str.isalpha, word))]
    excluded = frozenset(common + (signs if selection.letters else []))
    size, least = selection.vocabulary_size, selection.min_count
    vocabulary = tokenized.vocabulary(size, least, excluded)
    if len(vocabulary) <= MIN_WORDS:
        raise InvalidInput(_too_few_words(len(tokenized.words), len(vocabulary) - 1, selection))
    return vocabulary


def _too_few_words(all_words: int, left: int, selection: WordSelection) -> str:
    """What was found where hardly a word is left, and what to do."""
    if not all_words:
        return "No document has a word; give documents with text."
    return (
        f"Of {all_words:,} words {left} occur {selection.min_count} times or more and in at most "
        f"{selection.max_share:.0%} of the documents, and a topic needs {MIN_WORDS}; give more "
        "documents, a smaller min_count or a larger max_share."
    )


def count_words(documents: DocumentIds, K: int) -> Any:
    """Counts (N, K) of documents whose ids run from 0, the unknown word, to K."""
    known = documents.ids > 0
    rows = np.repeat(np.arange(len(documents)), documents.lengths)[known]
    shape, ones = (len(documents), K), np.ones(rows.size)
    return sparse.coo_matrix((ones, (rows, documents.ids[known] - 1)), shape).tocsr()


def count_corpus(corpus: PreparedCorpus, split: Split) -> CountedDocuments:
    """Counts of a prepared corpus; each span of the split is a document."""
    spans = corpus.spans[corpus.spans[:, 2] == SPLITS[split]]
    lengths = spans[:, 1] - spans[:, 0]
    parts = [corpus.ids[start:end] for start, end in spans[:, :2].tolist()]
    ids = np.concatenate(parts) if parts else np.empty(0, np.int32)
    documents = DocumentIds(ids, np.append(0, np.cumsum(lengths)))
    vocabulary = corpus.vocabulary
    return CountedDocuments(count_words(documents, len(vocabulary) - 1), vocabulary)


def read_counts(path: Path, words: Sequence[str] | None = None) -> CountedDocuments:
    """Read a matrix that ``scipy.sparse.save_npz`` wrote; columns without words are numbered."""
    try:
        with read_errors(path):
            counts = sparse.csr_matrix(sparse.load_npz(path), dtype=np.float64)
        counts.check_format(full_check=True)
        counts.sum_duplicates()
        if not np.isfinite(counts.data).all() or (counts.data < 0).any():
            raise ValueError("a count is negative or not finite")
    except (ValueError, KeyError, EOFError, NotImplementedError, BadZipFile) as error:
        raise WordRBMError(
            f"{path} holds no matrix of counts; write one with scipy.sparse.save_npz, a row for "
            "each document, no count negative."
        ) from error
    check_whole(counts, str(path))
    if counts.shape[1] < MIN_WORDS:
        raise WordRBMError(
            f"{path} has {counts.shape[1]} columns, words; topics need {MIN_WORDS} or more."
        )
    if words is None:
        words = [str(column) for column in range(counts.shape[1])]
    if len(words) != counts.shape[1] or len(set(words) | {UNKNOWN}) != len(words) + 1:
        raise WordRBMError(
            f"{path} has {counts.shape[1]:,} columns and {len(words):,} words were given; give a "
            "word for each column, all of them different."
        )
    total = np.rint(np.asarray(counts.sum(axis=0)).reshape(-1)).astype(int).tolist()
    vocabulary = Vocabulary.build(zip(words, total, strict=True), 0)
    return CountedDocuments(counts, vocabulary)


def check_whole(counts: Any, name: str) -> None:
    """Refuse counts with fractions: a document has a whole number of words."""
    fractions = counts.data[counts.data != np.rint(counts.data)]
    if fractions.size:
        raise InvalidInput(
            f"{name} holds {fractions[0]:g}, which is no whole number of words; give counts, not "
            "shares or tf-idf weights."
        )


def take_log_counts(counts: Any) -> Any:
    """Counts replaced by ``round(log(1 + n))``, at least 1: a repeated word counts less."""
    changed = counts.copy()
    changed.data = np.where(
        changed.data > 0, np.maximum(np.floor(0.5 + np.log1p(changed.data)), 1.0), 0.0
    )
    return changed
