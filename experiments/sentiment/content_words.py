"""Documents without punctuation and their most frequent words.

The free energies of a document count every word n times, most of them words that say nothing about
its class. Maas et al. leave out the 50 most frequent ones; exclamation and question marks stay.
"""

import numpy as np

from experiments.sentiment.data import Dataset, DocumentSet
from wordrbm.classification.documents import DocumentIds, TokenizedDocuments, offsets_from

EXPRESSIVE_MARKS = {"!", "?"}


def without_frequent(data: Dataset, count: int) -> Dataset:
    """All documents without punctuation and the most frequent training words; 0 changes nothing."""
    if not count:
        return data
    words = frequent_words(data.train.tokenized, count)

    def shorten(documents: DocumentSet) -> DocumentSet:
        return DocumentSet(drop_words(documents.tokenized, words), documents.label)

    unlabelled = None if data.unlabelled is None else shorten(data.unlabelled)
    return data._replace(
        train=shorten(data.train), test=shorten(data.test), unlabelled=unlabelled
    )  # fmt: skip


def frequent_words(tokenized: TokenizedDocuments, count: int) -> frozenset[str]:
    """The most frequent words, punctuation aside."""
    times = np.bincount(tokenized.documents.ids, minlength=len(tokenized.words))
    times = np.where([is_mark(word) for word in tokenized.words], 0, times)
    return frozenset(tokenized.words[k] for k in np.argsort(-times, kind="stable")[:count].tolist())


def is_mark(word: str) -> bool:
    """Whether a token is punctuation that says little about a class."""
    return word not in EXPRESSIVE_MARKS and not any(map(str.isalnum, word))


def drop_words(tokenized: TokenizedDocuments, words: frozenset[str]) -> TokenizedDocuments:
    """Documents without some words and without punctuation."""
    documents = tokenized.documents
    stays = np.array([word not in words and not is_mark(word) for word in tokenized.words])
    stays = stays[documents.ids]
    number = np.repeat(np.arange(len(documents)), documents.lengths)
    lengths = np.bincount(number[stays], minlength=len(documents))
    ids = DocumentIds(documents.ids[stays], offsets_from(lengths))
    return TokenizedDocuments(tokenized.words, ids)
