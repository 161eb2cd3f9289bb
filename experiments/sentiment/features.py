"""Features of documents: n-grams, topics, and free energies pooled over windows or per unit.

bnc: every word of a document counts once, the vector has length one [Maas et al. 2011]. LSA are the
leading singular vectors of tf-idf, LDA the topics of each document. NB-SVM multiplies an n-gram by
the log-ratio of its frequencies in documents of a class and of the others,

    r_f = log (a + n_f) / sum (a + n)  -  log (a + m_f) / sum (a + m)

with n and m the documents of the class and of the others that hold f, a = 1 [Wang & Manning 2012].
Class models with the same initial model keep its hidden units, so a unit's term of the free energy
(`unit_energies`) differs between classes as far as the classes do.

References
    A. Maas et al. Learning word vectors for sentiment analysis. ACL 2011.
    S. Wang, C. Manning. Baselines and bigrams: simple, good sentiment and topic classification.
    ACL 2012.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from jaxtyping import Float32, Float64
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import StandardScaler, normalize

from experiments.sentiment.data import Dataset
from wordrbm.classification.calibration import contrast
from wordrbm.classification.class_models import ClassModels, OnDocument, unit_energies
from wordrbm.classification.documents import DocumentIds

TOPICS, SEED = 50, 0
FREQUENT = 50  # documents that hold a word, for topics and the smaller bag of words
MAX_NGRAM, MIN_DOCUMENTS = 3, 2  # up to trigrams, in two documents or more
SMOOTHING = 1.0
TANH_WIDTH = 4.0  # nats of difference from which on more of it counts for less
TOP_FRACTION = 0.1

WindowEnergies = Float64[np.ndarray, "W C"]
Pooled = Float64[np.ndarray, " C"]


class TrainTest(NamedTuple):
    """Features of the training and of the test documents."""

    train: Any
    test: Any


class NgramFeatures(NamedTuple):
    """Counts that several rows share."""

    words: Mapping[int, TrainTest]  # bnc, by the minimum number of documents that hold a word
    ngrams: TrainTest
    unlabelled: Any = None  # n-grams of the unlabelled documents, for self-training


def ngram_features(data: Dataset, *, unlabelled: bool = False) -> NgramFeatures:
    """Count words and n-grams once; features are those of the training documents."""
    words = {count: _count(data, 1, count) for count in (1, FREQUENT)}
    bnc = {count: TrainTest(*map(normalize, counts)) for count, counts in words.items()}
    more = (
        [data.unlabelled.tokenized.tokens()] if unlabelled and data.unlabelled is not None else []
    )
    train, test, *others = _count(data, MAX_NGRAM, MIN_DOCUMENTS, *more)
    return NgramFeatures(bnc, TrainTest(train, test), *others)


def _count(data: Dataset, n: int, min_documents: int, *more: Iterable[list[str]]) -> list[Any]:
    least = min(min_documents, _frequent(data))
    train, test = data.train.tokenized.tokens(), data.test.tokenized.tokens()
    return count_ngrams(n, least, train, test, *more)


def _frequent(data: Dataset) -> int:
    """`FREQUENT`, or less where documents are few."""
    return max(1, min(FREQUENT, len(data.train) // 100))


def count_ngrams(n: int, min_documents: int, *sets: Iterable[list[str]]) -> list[Any]:
    """Binary matrices of 1- to n-grams; the first set of documents defines the columns."""
    counter = CountVectorizer(
        analyzer=lambda tokens: list_ngrams(tokens, n), binary=True, min_df=min_documents,
        dtype=np.float32,
    )  # fmt: skip
    first, *others = sets
    return [counter.fit_transform(first), *(counter.transform(tokens) for tokens in others)]


def list_ngrams(tokens: list[str], n: int) -> list[str]:
    """All 1- to n-grams of some tokens, a space between two words."""
    grams = list(tokens)
    for size in range(2, n + 1):
        grams.extend(map(" ".join, zip(*(tokens[k:] for k in range(size)), strict=False)))
    return grams


class NaiveBayesWeights(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features times their log-ratio between two classes, every document at length one."""

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the ratios; y is true for one class and false for the other, or 1 and 0."""
        positive = np.asarray(y).astype(bool)
        inside, outside = (
            SMOOTHING + np.asarray(X[rows].sum(axis=0)).ravel() for rows in (positive, ~positive)
        )
        ratio = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
        self.ratio_ = ratio.astype(np.float32)
        return self

    def transform(self, X: Any) -> Any:
        """The weighted documents."""
        return normalize(X @ sparse.diags(self.ratio_))


def word_counts(data: Dataset) -> TrainTest:
    """How often each frequent word is in each document."""
    counter = CountVectorizer(analyzer=lambda tokens: tokens, min_df=_frequent(data))
    train = counter.fit_transform(data.train.tokenized.tokens())
    return TrainTest(train, counter.transform(data.test.tokenized.tokens()))


def lsa(counts: TrainTest) -> TrainTest:
    """Leading singular vectors of tf-idf, standardised."""
    tfidf = TfidfTransformer(sublinear_tf=True).fit(counts.train)
    svd = TruncatedSVD(_topics(counts), random_state=SEED)
    return _reduce(TrainTest(*map(tfidf.transform, counts)), svd)


def lda(counts: TrainTest) -> TrainTest:
    """Topic proportions, standardised."""
    topics = LatentDirichletAllocation(
        _topics(counts), learning_method="online", random_state=SEED, batch_size=512
    )
    return _reduce(counts, topics)


def _reduce(features: TrainTest, decomposition: Any) -> TrainTest:
    train = decomposition.fit_transform(features.train)
    scaler = StandardScaler().fit(train)
    test = decomposition.transform(features.test)
    return TrainTest(scaler.transform(train), scaler.transform(test))


def _topics(counts: TrainTest) -> int:
    return int(min(TOPICS, *np.subtract(counts.train.shape, 1)))


def tanh_mean(deviation: WindowEnergies) -> Pooled:
    """Mean of tanh: a few windows with great differences do not decide alone."""
    return np.asarray(np.tanh(deviation / TANH_WIDTH).mean(axis=0))


def top_decile_mean(deviation: WindowEnergies) -> Pooled:
    """Mean of the highest tenth, class by class: the windows that fit it least."""
    count = max(1, round(TOP_FRACTION * len(deviation)))
    return np.asarray(np.sort(deviation, axis=0)[-count:].mean(axis=0))


MEAN, TANH, TOP = "mean", "tanh", "top decile"
POOLINGS: Mapping[str, Callable[[WindowEnergies], Pooled]] = {TANH: tanh_mean, TOP: top_decile_mean}


def pool_windows(energies: WindowEnergies) -> dict[str, Pooled]:
    """Energies of a document's windows, pooled: the mean, and functions of the deviations.

    The deviation is from the mean over classes: which class a window fits, not how rare it is.
    """
    deviation = energies - energies.mean(axis=1, keepdims=True)
    pooled = {name: pool(deviation) for name, pool in POOLINGS.items()}
    return {MEAN: energies.mean(axis=0), **pooled}


def pooled_energies(
    models: ClassModels, documents: DocumentIds, check_stop: OnDocument
) -> dict[str, Float64[np.ndarray, "N C"]]:
    """The centred free energies of every document by pooling; 0 where a document is empty."""
    shape = len(documents), len(models.models)
    energies = {name: np.zeros(shape) for name in (MEAN, *POOLINGS)}
    for number in documents.nonempty().tolist():
        check_stop()
        for name, pooled in pool_windows(models.window_energies(documents[number])).items():
            energies[name][number] = pooled
    return energies


def unit_contrasts(
    models: ClassModels,
    centers: Float64[np.ndarray, "C H+1"],
    documents: DocumentIds,
    check_stop: OnDocument,
) -> Float32[np.ndarray, "N F"]:
    """The contrasts of every centred term of the free energy; 0 where a document is empty."""
    energies = np.zeros((len(documents), *centers.shape), np.float32)
    for number in documents.nonempty().tolist():
        check_stop()
        terms = [unit_energies(model.rbm, documents[number]) for model in models.models]
        energies[number] = np.stack(terms) - centers
    return contrast(energies)
