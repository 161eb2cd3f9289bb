"""Counted n-grams as generative class models of reviews: docs/decisions.md, 36.

    PYTHONPATH=. python runs/class_counts.py DATA [--min-count 50]

DATA holds the Large Movie Review data as `runs/sentiment.sh` expects it. A third of the films is
held out. Naive Bayes over 1- to 3-grams, with counts and binary; and a trigram language model of
each class, interpolated Kneser-Ney. About two minutes on one core.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from experiments.sentiment.data import Dataset, ReadOptions, read_data
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordrbm.classification.documents import DocumentIds, Labels
from wordrbm.likelihood.trigram_counts import NgramOrder
from wordrbm.shapes import Array

MIN_SEEN = 2  # times, of a bigram or trigram in naive Bayes
HALF = 0.5  # added to the number of words that a word was seen after


class Ngrams(NamedTuple):
    """The n-grams of documents as numbers in base K, and the document of each."""

    key: Array
    document: Array

    def distinct(self) -> "Ngrams":
        """Every n-gram once a document."""
        order = np.lexsort((self.key, self.document))
        key, document = self.key[order], self.document[order]
        is_new = np.ones(len(key), np.bool_)
        is_new[1:] = (key[1:] != key[:-1]) | (document[1:] != document[:-1])
        return Ngrams(key[is_new], document[is_new])


def list_keys(documents: DocumentIds, n: int, K: int) -> Ngrams:
    """All n-grams inside documents."""
    ids = documents.ids.astype(np.int64)
    document = np.repeat(np.arange(len(documents)), documents.lengths)
    count = len(ids) - n + 1
    key = sum(ids[i : i + count] * K ** (n - 1 - i) for i in range(n))
    inside = document[:count] == document[n - 1 :]
    return Ngrams(np.asarray(key)[inside], document[:count][inside])


def log_ratios(train: Ngrams, label: Labels, test: Ngrams, least: int, documents: int) -> Array:
    """The sum of naive Bayes log-ratios of each test document's n-grams."""
    keys, index = np.unique(train.key, return_inverse=True)
    counts = [np.bincount(index, label[train.document] == c, len(keys)) for c in range(2)]
    seen = counts[0] + counts[1] >= least
    zero, one = (np.log((x + 1.0) / (x[seen] + 1.0).sum()) for x in counts)
    ratio = np.where(seen, one - zero, 0.0)
    found = np.minimum(np.searchsorted(keys, test.key), len(keys) - 1)
    known = keys[found] == test.key
    return np.bincount(test.document[known], ratio[found[known]], documents)


def kneser_ney(documents: DocumentIds, numbers: Labels, K: int) -> Callable[[Array], Array]:
    """``log P(w_3 | w_1, w_2)`` of trigrams, by the counts of some documents."""
    trigrams = NgramOrder.of(documents.windows(3, numbers), K)
    grams, counts = np.unique(trigrams.grams % (K * K), return_counts=True)
    contexts, starts, followers = np.unique(grams // K, return_index=True, return_counts=True)
    sums = np.add.reduceat(counts, starts)
    bigrams = NgramOrder(K, grams, counts, contexts, sums, followers)
    unigrams = np.bincount(grams % K, minlength=K) + HALF
    q = unigrams / unigrams.sum()

    def log_probability(key: Array) -> Array:
        word, context = key % K, key // K
        lower = bigrams.interpolate(context % K, word, q[word])
        return np.asarray(np.log(trigrams.interpolate(context, word, lower)))

    return log_probability


def accuracy(data: Dataset, held_out: Labels, score: Array) -> float:
    """Accuracy of a threshold, fitted on other films of the held-out documents."""
    assert data.inner_fold is not None
    split, label = PredefinedSplit(data.inner_fold[held_out]), data.train.label[held_out]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1000.0))
    return float(np.mean(cross_val_predict(model, score[:, None], label, cv=split) == label))


def print_naive_bayes(data: Dataset, documents: DocumentIds, K: int) -> None:
    """Naive Bayes over words; words and bigrams; words, bigrams and trigrams."""
    fitted, held_out = data.fitted(0), data.scored(0)
    train, test = documents.select(fitted), documents.select(held_out)
    total = {"counts": np.zeros(len(test)), "binary": np.zeros(len(test))}
    for n in (1, 2, 3):
        counted = list_keys(train, n, K), list_keys(test, n, K)
        binary = counted[0].distinct(), counted[1].distinct()
        for kind, (a, b) in {"counts": counted, "binary": binary}.items():
            least = MIN_SEEN if n > 1 else 1
            total[kind] += log_ratios(a, data.train.label[fitted], b, least, len(test))
            print(f"naive Bayes, to {n}-grams, {kind}: {accuracy(data, held_out, total[kind]):.4f}")


def print_kneser_ney(data: Dataset, documents: DocumentIds, K: int) -> None:
    """A trigram language model of each class, and the log-likelihood of held-out words."""
    fitted, held_out = data.fitted(0), data.scored(0)
    label, test = data.train.label, list_keys(documents.select(held_out), 3, K)
    models = [kneser_ney(documents, fitted[label[fitted] == c], K) for c in range(2)]
    scores = np.stack([model(test.key) for model in models])
    score = np.bincount(test.document, scores[1] - scores[0]) / np.bincount(test.document)
    own = label[held_out][test.document]
    means = [scores[c, np.arange(len(own))].mean() for c in (own, 1 - own)]
    print(f"Kneser-Ney trigrams: {accuracy(data, held_out, score):.4f}")
    print(f"nats a word, own class {means[0]:.3f}, other class {means[1]:.3f}")


def main() -> None:
    """Count the reviews outside fold 0, and classify those inside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--min-count", type=int, default=50)
    args = parser.parse_args()
    data = read_data(args.data, ReadOptions(groups="train_urls_{}.txt.gz"), unlabelled=False)
    tokenized = data.train.tokenized
    vocabulary = tokenized.vocabulary(len(tokenized.words), args.min_count)
    documents = tokenized.encode(vocabulary).pad(3)
    print_naive_bayes(data, documents, len(vocabulary))
    print_kneser_ney(data, documents, len(vocabulary))


if __name__ == "__main__":
    main()
