"""Latent Dirichlet allocation by three packages, on the same counts as the replicated softmax.

Topics and priors are each package's own. The topics of a new document are inferred alike for all
of them, by collapsed variational inference (CVB0) with the topics fixed, so that the packages are
compared by what they learnt:

    gamma_wk ~ phi_kw (alpha_k + n_k - gamma_wk),   n_k = sum_w n_w gamma_wk

References
    A. Asuncion, M. Welling, P. Smyth, Y. W. Teh. On smoothing and inference for topic models. 2009.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from wordrbm.shapes import Array

SWEEPS = 60  # of the inference of a document


class TopicMixture(NamedTuple):
    """Topics as distributions over words, and the prior of their shares in a document."""

    phi: Array  # T x K
    alpha: Array  # T


class LdaSpec(NamedTuple):
    """A package and how it is trained; alpha is the sum over topics, eta that of one word."""

    package: str
    topics: int
    alpha: float
    eta: float
    passes: int


def infer_topics(mixture: TopicMixture, counts: Any) -> Array:
    """``E[theta | document]`` for every row of counts."""
    shares = np.empty((counts.shape[0], mixture.alpha.size))
    phi = np.ascontiguousarray(mixture.phi.T)
    for row in range(counts.shape[0]):
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        times, words = counts.data[entries, None], phi[counts.indices[entries]]
        gamma = words / words.sum(axis=1, keepdims=True)
        for _ in range(SWEEPS):
            total = (times * gamma).sum(axis=0)
            gamma = words * (mixture.alpha + np.maximum(total - gamma, 0.0))
            gamma /= gamma.sum(axis=1, keepdims=True)
        weight = mixture.alpha + (times * gamma).sum(axis=0)
        shares[row] = weight / weight.sum()
    return shares


def infer_centred_roots(
    mixture: TopicMixture, frequency: Array, train: Any, test: Any
) -> tuple[Array, Array]:
    """Roots of ``E[theta | document]`` less their means in the training documents.

    Words count ``q^-1/2`` times, in proportion. Validation documents chose this for cosines.
    """
    weight = np.asarray(frequency) ** -0.5
    weight *= train.sum() / (train @ weight).sum()
    shares = (infer_topics(mixture, counts.multiply(weight).tocsr()) for counts in (train, test))
    roots, others = (np.sqrt(x) for x in shares)
    mean = roots.mean(axis=0)
    return roots - mean, others - mean


def train_lda(spec: LdaSpec, counts: Any) -> TopicMixture:
    """Train a package on counts."""
    trainers: dict[str, Callable[[LdaSpec, Any], TopicMixture]] = {
        "scikit-learn": _train_sklearn,
        "gensim": _train_gensim,
        "tomotopy": _train_tomotopy,
    }
    return trainers[spec.package](spec, counts)


def _train_sklearn(spec: LdaSpec, counts: Any) -> TopicMixture:
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(
        spec.topics, doc_topic_prior=spec.alpha / spec.topics, topic_word_prior=spec.eta,
        learning_method="online", batch_size=256, max_iter=spec.passes, random_state=1,
    ).fit(counts)  # fmt: skip
    alpha = np.full(spec.topics, spec.alpha / spec.topics)
    return TopicMixture(_normalized(model.components_), alpha)


def _train_gensim(spec: LdaSpec, counts: Any) -> TopicMixture:
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    model = LdaModel(
        Sparse2Corpus(counts, documents_columns=False), num_topics=spec.topics,
        id2word={k: str(k) for k in range(counts.shape[1])}, alpha="auto", eta=spec.eta,
        passes=spec.passes, chunksize=1000, iterations=50, eval_every=None, random_state=1,
    )  # fmt: skip
    return TopicMixture(np.asarray(model.get_topics(), np.float64), np.asarray(model.alpha))


def _train_tomotopy(spec: LdaSpec, counts: Any) -> TopicMixture:
    import tomotopy

    model = tomotopy.LDAModel(k=spec.topics, alpha=spec.alpha / spec.topics, eta=spec.eta, seed=1)
    for row in range(counts.shape[0]):
        entries = slice(counts.indptr[row], counts.indptr[row + 1])
        times = np.rint(counts.data[entries]).astype(int)
        words = np.repeat(counts.indices[entries], times)
        if words.size:
            model.add_doc([str(word) for word in words])
    model.burn_in = 100
    model.train(spec.passes, workers=1)
    phi = np.full((spec.topics, counts.shape[1]), 1e-12)  # words of no document have none
    columns = [int(word) for word in model.used_vocabs]
    for topic in range(spec.topics):
        phi[topic, columns] = model.get_topic_word_dist(topic)
    return TopicMixture(_normalized(phi), np.asarray(model.alpha, np.float64))


def _normalized(weights: Array) -> Array:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)
