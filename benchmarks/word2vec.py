"""Windows a second over the words a second of gensim's word2vec, on the same text.

Skip-gram, 50 numbers a word, two words to either side, 5 negative samples, 2 workers, against 2
threads; both have the whole vocabulary of the corpus. `words` are those handed over: with its
usual ``sample=1e-3`` word2vec then leaves out most of the frequent ones, with ``sample=0`` it
reads them all. Only training is timed.
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.ratios import Figure, Measure, alternate, middle, ratio
from benchmarks.running import ENDLESS, of_corpus, seconds, updating
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import TRAIN

LONGEST = 10_000  # words in a sentence: gensim leaves out what is beyond
SAMPLES = {"sample=1e-3, as shipped": 1e-3, "sample=0, every word": 0.0}
GOALS = {"sample=1e-3, as shipped": "≥ 0.4"}


def measure(effort: Effort) -> dict[str, Figure]:
    """Ours over theirs, for both ways of sampling."""
    prepared = corpora.large()
    sentences = list(sentences_of(prepared, effort.words))
    with tempfile.TemporaryDirectory() as folder, updating(of_corpus(prepared), threads=2) as run:
        measures: dict[str, Measure] = {"wordrbm": lambda: run(effort.updates) / ENDLESS.batch_size}
        chosen = {}
        for name, sample in SAMPLES.items():
            feeds = seconds_per_word(prepared, sentences, sample, Path(folder) / "sentences.txt")
            chosen[name] = min(feeds, key=lambda feed: feeds[feed]())
            measures[name] = feeds[chosen[name]]
        rounds = alternate(measures, effort.rounds)
    ours = f"{1 / middle(rounds, 'wordrbm'):,.0f} windows/s"
    return {
        name: ratio(
            rounds, name, "wordrbm", goal=GOALS.get(name, ""),
            note=f"{ours} over {1 / middle(rounds, name):,.0f} words/s, by {chosen[name]}",
        )
        for name in SAMPLES
    }  # fmt: skip


def sentences_of(prepared: PreparedCorpus, words: int) -> Iterator[list[str]]:
    """The first words of the training part, cut into sentences that word2vec reads whole."""
    spelling = prepared.vocabulary.words
    for start, end, part in prepared.spans.tolist():
        for first in range(start, end if part == TRAIN else start, LONGEST):
            ids = prepared.ids[first : min(first + LONGEST, end, first + words)].tolist()
            yield [spelling[k] for k in ids]
            words -= len(ids)
            if not words:
                return


def seconds_per_word(
    prepared: PreparedCorpus, sentences: list[list[str]], sample: float, file: Path
) -> dict[str, Measure]:
    """The two ways to hand over sentences: as lists of words, or as a file it reads by itself."""
    given = sum(map(len, sentences))
    file.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences))
    feeds = {
        "lists of words": {"corpus_iterable": sentences, "total_examples": len(sentences)},
        "corpus_file": {"corpus_file": str(file), "total_words": given},
    }
    train = partial(untrained(prepared, sample).train, epochs=1)
    return {name: _timed(partial(train, **feed), given) for name, feed in feeds.items()}


def _timed(work: Callable[[], object], words: int) -> Measure:
    return lambda: seconds(work) / words


def untrained(prepared: PreparedCorpus, sample: float) -> Any:
    """word2vec with the vocabulary of the corpus, before its first word."""
    from gensim.models import Word2Vec

    counts = dict(zip(prepared.vocabulary.words, prepared.vocabulary.counts.tolist(), strict=True))
    model = Word2Vec(
        vector_size=ENDLESS.dimension, window=2, negative=5, sg=1, workers=2, min_count=1,
        sample=sample, seed=ENDLESS.seed,
    )  # fmt: skip
    model.build_vocab_from_freq(counts)
    return model
