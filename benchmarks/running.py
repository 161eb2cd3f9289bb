"""A training run that can be timed a few updates at a time.

Made-up text visits words by Zipf's law, ``q(k) ~ 1 / k``, so that frequent rows stay in the cache
and rare ones are fetched from far away, as in real text; the pool of proposals draws from the
same law.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

import numpy as np

from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.sampling import PooledMetropolis, Transition
from wordrbm.shapes import Probability, Words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.windows import ShuffledBatches
from wordrbm.training import TrainingSettings, start, train
from wordrbm.training.settings import PRESETS

WINDOWS = 2**20  # of made-up text, visited again and again
ENDLESS = TrainingSettings(windows=10**9)
PAPER = TrainingSettings(**PRESETS["paper"], windows=10**9)

Updates = Callable[[int], float]  # makes so many updates and gives the seconds of one
Operator = Callable[[Probability], Transition]


class Text(NamedTuple):
    """What a run reads: how often each word comes, and any stretch of the endless visit."""

    q: Probability
    batches: Callable[[int, int], Words]


def made_up(K: int, n: int = ENDLESS.window) -> Text:
    """Windows of independent words, the k-th as frequent as one over k."""
    q = 1.0 / np.arange(1, K + 1)
    q /= q.sum()
    v = np.random.default_rng(2).choice(K, size=(WINDOWS, n), p=q).astype(np.int32)
    return Text(q, lambda first, size: v[(first + np.arange(size)) % WINDOWS])


def of_corpus(prepared: PreparedCorpus, settings: TrainingSettings = ENDLESS) -> Text:
    """The training part of a prepared corpus, in the order a run reads it."""
    windows = prepared.windows(settings.window, "train")
    return Text(prepared.vocabulary.probability(), ShuffledBatches(windows, settings.seed))


def fresh(text: Text, settings: TrainingSettings = ENDLESS) -> WordRepRBM:
    """A model before its first update."""
    return init_wordrep(
        np.random.default_rng(settings.seed),
        n=settings.window,
        H=settings.hidden,
        d=settings.dimension,
        word_probability=text.q,
        hidden_bias=settings.hidden_bias,
    )


def pooled(q: Probability) -> PooledMetropolis:
    """The operator as shipped."""
    return PooledMetropolis.from_probability(q, steps=ENDLESS.mh_steps)


@contextmanager
def updating(
    text: Text,
    operator: Operator = pooled,
    threads: int = 1,
    settings: TrainingSettings = ENDLESS,
) -> Iterator[Updates]:
    """A run, by default with default settings, its first update made: that one compiles."""
    model = fresh(text, settings)
    state = start(model, text.batches, settings)
    run = train(model, operator(text.q), text.batches, settings, state, q=text.q, threads=threads)
    with closing(run):  # type: ignore[type-var]  # a generator, which the signature does not tell
        next(run)
        yield lambda count: seconds(lambda: [next(run) for _ in range(count)]) / count


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
