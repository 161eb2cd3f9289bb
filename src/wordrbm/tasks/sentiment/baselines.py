"""What class models are compared with: bags of words and n-grams, and documents as topics.

LSA are the leading singular vectors of tf-idf, LDA the topics of each document; both of as many
numbers as a word vector has [as in Maas et al. 2011]. All of them go to the same linear machine.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import StandardScaler

from wordrbm.tasks.sentiment.bags import bags, unit_length
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import (
    NB_PENALTIES,
    PENALTIES,
    Chosen,
    Labels,
    Sides,
    choose,
    nb_svm,
    svm,
)

TOPICS, SEED = 50, 0
FREQUENT = 50  # documents that hold a word, for topics and a small bag
NGRAMS, RARE = 3, 2  # up to trigrams, in two documents or more


class Bags(NamedTuple):
    """The bags that several rows share."""

    words: Mapping[int, Sides]  # bnc, by the fewest documents that a word is in
    ngrams: Sides
    more: Any = None  # n-grams of the unlabelled documents, if their classes are to be guessed


def bags_of(data: Data, *, guess: bool = False) -> Bags:
    """Count everything once; which features there are, the training documents say."""
    words = {least: Sides(*_counted(data, 1, least)) for least in (1, FREQUENT)}
    lengths = {least: Sides(*map(unit_length, sides)) for least, sides in words.items()}
    more = [data.unlabelled.tokens()] if guess and data.unlabelled is not None else []
    train, test, *others = _counted(data, NGRAMS, RARE, *more)
    return Bags(lengths, Sides(train, test), *others)


def bnc(bag: Bags, labels: tuple[Labels, Labels], fold: Labels) -> Chosen:
    """Words, each once, at length one."""
    candidates = [({"least": float(least)}, sides) for least, sides in bag.words.items()]
    return choose(svm, candidates, PENALTIES, labels, fold)


def nb_ngrams(bag: Bags, labels: tuple[Labels, Labels], fold: Labels) -> Chosen:
    """Words and n-grams weighed by naive Bayes."""
    return choose(nb_svm, [({}, bag.ngrams)], NB_PENALTIES, labels, fold)


def lsa(counts: Sides, data: Data, fold: Labels) -> Chosen:
    """Singular vectors of tf-idf."""
    weigh = TfidfTransformer(sublinear_tf=True).fit(counts.train)
    turn = TruncatedSVD(_topics(counts), random_state=SEED)
    return _dense(counts, weigh.transform, turn, data, fold)


def lda(counts: Sides, data: Data, fold: Labels) -> Chosen:
    """Topics."""
    topics = LatentDirichletAllocation(
        _topics(counts), learning_method="online", random_state=SEED, batch_size=512
    )
    return _dense(counts, lambda x: x, topics, data, fold)


def _dense(
    counts: Sides, weigh: Callable[[Any], Any], turn: Any, data: Data, fold: Labels
) -> Chosen:
    train = turn.fit_transform(weigh(counts.train))
    even = StandardScaler().fit(train)
    sides = Sides(even.transform(train), even.transform(turn.transform(weigh(counts.test))))
    return choose(svm, [({}, sides)], PENALTIES, (data.train.label, data.test.label), fold)


def counts_of(data: Data) -> Sides:
    """How often each frequent word is in each document."""
    counter = CountVectorizer(analyzer=lambda tokens: tokens, min_df=_least(data))
    return Sides(counter.fit_transform(data.train.tokens()), counter.transform(data.test.tokens()))


def _counted(data: Data, n: int, least: int, *more: Iterator[list[str]]) -> list[Any]:
    return bags(n, min(least, _least(data)), data.train.tokens(), data.test.tokens(), *more)


def _least(data: Data) -> int:
    """Few documents have no word in many of them."""
    return max(1, min(FREQUENT, len(data.train) // 100))


def _topics(counts: Sides) -> int:
    return int(min(TOPICS, *np.subtract(counts.train.shape, 1)))
