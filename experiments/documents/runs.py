"""The replicated softmax and LDA on the same counts, as jobs whose results are kept."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from experiments.cache import Job, Record, ResultCache, ResultKey
from experiments.documents import study
from experiments.documents.counts import Newsgroups, damped
from experiments.documents.lda import (
    LdaSpec,
    TopicMixture,
    infer_centred_roots,
    infer_topics,
    train_lda,
)
from experiments.documents.table import documents_report
from experiments.tables import Report
from wordrbm.analysis.coherence import topic_coherence, topic_diversity
from wordrbm.inference.similarity import document_vectors
from wordrbm.inference.topics import BY_DOCUMENTS, word_scores
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array
from wordrbm.threads import SharedProgress
from wordrbm.training.document_trainer import DocumentSettings, DocumentTrainer, word_frequencies

TOP_WORDS = 10  # of a topic, whose coherence is measured
VALIDATION = 1000
LDA_RELEVANCE = 0.8  # weight of the probability in the order of words chosen for LDA


class Splits(NamedTuple):
    """Damped counts: those that models are trained on, validation, all training posts, test."""

    train: Any
    validation: Any
    all_train: Any
    test: Any
    train_group: Array | None = None  # by which retrieval is measured
    test_group: Array | None = None

    @classmethod
    def of(cls, sets: Newsgroups) -> "Splits":
        """Split the validation posts from the training ones."""
        counts = damped(sets.train)
        train, validation = study.split_validation(counts, min(VALIDATION, counts.shape[0] // 10))
        test = damped(sets.test)
        return cls(train, validation, counts, test, sets.train_group, sets.test_group)


def describe(splits: Splits, train_words: float, test_words: float) -> Record:
    """What the table tells of the documents; words are counted before they are damped."""
    return {
        "documents trained on": splits.train.shape[0],
        "tested": splits.test.shape[0],
        "train words": int(train_words),
        "test words": int(test_words),
    }


def train_rbm(settings: DocumentSettings, splits: Splits, particles: int) -> Record:
    """Train one seed; its parameters, CPU seconds of updates, and validation perplexity."""
    began = time.process_time()
    for trainer in DocumentTrainer.start(splits.train, settings).train(splits.train):
        state = trainer
    seconds, model = time.process_time() - began, state.model()
    return {
        "cpu_seconds": seconds,
        **study.measure_perplexity(model, splits.train, splits.validation, particles),
        **study.measure_completion(model, splits.validation, by_length=particles > 0),
        **{name: getattr(model, name) for name in ("D", "U", "b", "c")},
    }


def test_rbm(record: Record, splits: Splits, particles: int) -> Record:
    """The measures of a trained model on the test documents."""
    model = ReplicatedSoftmaxRBM(*(np.asarray(record[name]) for name in ("D", "U", "b", "c")))
    frequency = word_frequencies(splits.train)
    plain = model.hidden_mean(splits.all_train), model.hidden_mean(splits.test)
    vectors = (document_vectors(model, frequency, x) for x in (splits.all_train, splits.test))
    return {
        **study.measure_perplexity(model, splits.train, splits.test, particles),
        **study.measure_completion(model, splits.test, by_length=particles > 0),
        **_top_words("probability", word_scores(model, frequency, "probability"), splits),
        **_top_words("lift", word_scores(model, frequency, "lift"), splits),
        **_top_words("choice", word_scores(model, frequency, BY_DOCUMENTS, splits.train), splits),
        **_retrieval("plain_precision", plain, splits),
        **_retrieval("precision", tuple(vectors), splits),
    }


def tune_lda(spec: LdaSpec, splits: Splits) -> Record:
    """Train LDA; its topics, CPU seconds, and the completion of the validation documents."""
    began = time.process_time()
    mixture = train_lda(spec, splits.train)
    seconds = time.process_time() - began
    first, second = study.split_halves(splits.validation)
    topics = study.mixture(infer_topics(mixture, first), mixture.phi)
    completion = study.completion_perplexity(topics, second)
    return {"cpu_seconds": seconds, "completion": completion, **mixture._asdict()}


def test_lda(record: Record, splits: Splits) -> Record:
    """The measures of trained LDA on the test documents."""
    mixture = TopicMixture(record["phi"], record["alpha"])
    first, second = study.split_halves(splits.test)
    topics = study.mixture(infer_topics(mixture, first), mixture.phi)
    q, log_phi = word_frequencies(splits.train), np.log(mixture.phi)
    shares = infer_topics(mixture, splits.all_train), infer_topics(mixture, splits.test)
    vectors = infer_centred_roots(mixture, q, splits.all_train, splits.test)
    return {
        "completion": study.completion_perplexity(topics, second),
        **_top_words("probability", log_phi, splits),
        **_top_words("lift", log_phi - np.log(q), splits),
        **_top_words("choice", log_phi - (1 - LDA_RELEVANCE) * np.log(q), splits),
        **_retrieval("plain_precision", shares, splits),
        **_retrieval("precision", vectors, splits),
    }


def _top_words(order: str, score: Array, splits: Splits) -> Record:
    """Mean NPMI of the words with the highest scores in each topic, in the training posts.

    And which share of these words are distinct.
    """
    top = np.argsort(-score, axis=1, kind="stable")[:, :TOP_WORDS]
    return {
        f"coherence_by_{order}": float(topic_coherence(top, splits.all_train).mean()),
        f"distinct_by_{order}": topic_diversity(top),
    }


def _retrieval(name: str, vectors: tuple[Array, ...], splits: Splits) -> Record:
    """Precision by the cosine of vectors of the training posts and of the test posts."""
    if splits.train_group is None or splits.test_group is None:
        return {}
    train, test = vectors
    found = study.retrieval_precision(train, splits.train_group, test, splits.test_group)
    return {name: found.by_share, f"{name}_by_recall": found.by_recall}


class Study(NamedTuple):
    """Documents, what the table tells of them, and what is trained."""

    splits: Splits
    known: Record
    seeds: int
    settings: DocumentSettings
    specs: list[LdaSpec]
    particles: int


def run_study(plan: Study, cache: ResultCache, progress: SharedProgress) -> Report:
    """Train, choose on validation documents, test what was chosen, and write the table."""
    splits, known, seeds, base, specs, particles = plan
    digest = [int(known["train words"]), int(known["test words"])]
    settings = [base.model_copy(update={"seed": seed}) for seed in range(1, seeds + 1)]
    rbm = {
        ResultKey.of(f"rbm seed {x.seed}", data=digest, particles=particles, **x.model_dump()): x
        for x in settings
    }
    lda = {ResultKey.of(f"lda {x.package}", data=digest, spec=list(x)): x for x in specs}
    jobs: dict[ResultKey, Job] = {
        **{key: partial(train_rbm, x, splits, particles) for key, x in rbm.items()},
        **{key: partial(tune_lda, spec, splits) for key, spec in lda.items()},
    }
    _compute(cache, jobs, progress)
    chosen = {name: _best(cache, lda, name) for name in dict.fromkeys(x.package for x in specs)}
    tests: dict[ResultKey, Job] = {
        **{_tested(x): partial(test_rbm, cache.require(x), splits, particles) for x in rbm},
        **{_tested(x): partial(test_lda, cache.require(x), splits) for x in chosen.values()},
    }
    _compute(cache, tests, progress)
    rows = {key.name: {"validation": cache.require(key), **cache.require(_tested(key))}
            for key in [*rbm, *chosen.values()]}  # fmt: skip
    record = {**known, "word frequencies": study.unigram_perplexity(splits.train, splits.test)}
    return documents_report(record, rows, {key.name: lda[key] for key in chosen.values()})


def _tested(key: ResultKey) -> ResultKey:
    return ResultKey.of(f"{key.name} tested", trained=key.digest)


def _best(cache: ResultCache, lda: Mapping[ResultKey, LdaSpec], package: str) -> ResultKey:
    keys = [key for key, spec in lda.items() if spec.package == package]
    return min(keys, key=lambda key: float(cache.require(key)["completion"]))


def _compute(cache: ResultCache, jobs: Mapping[ResultKey, Job], progress: SharedProgress) -> None:
    cache.compute({key: job for key, job in jobs.items() if cache.load(key) is None}, 1, progress)
