"""`DocumentRBM`: the replicated softmax as a scikit-learn topic model.

    E(v, h) = -sum_k n_k b_k - N c . h - h . W n

Every hidden unit is a topic; `transform` gives the topics of new documents by one product.
"""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import InvalidInput
from wordrbm.estimators import parameters
from wordrbm.likelihood.length_annealing import PARTICLES, estimate_log_Z, log_probability
from wordrbm.shapes import Array
from wordrbm.training.document_trainer import (
    DocumentSettings,
    DocumentTrainer,
    document_lengths,
    word_frequencies,
)

ORDERS = ("probability", "lift")


@final
class DocumentRBM(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Topics of documents by a replicated softmax RBM, trained at a cost free of the vocabulary.

    Documents are texts, lists of tokens, or rows of a matrix of word counts. `transform` returns
    the probability of each of the `n_components` topics in each document. `dimension` None trains
    a full weight matrix; a number, one factored through word vectors of that many numbers.
    """

    def __init__(
        self,
        n_components: int = 50,
        *,
        dimension: int | None = None,
        max_features: int = 100_000,
        min_count: int = 2,
        learning_rate: float = 0.006,
        batch_size: int = 128,
        n_chains: int = 128,
        n_updates: int = 4000,
        random_state: Any = None,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_components = n_components
        self.dimension = dimension
        self.max_features = max_features
        self.min_count = min_count
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_chains = n_chains
        self.n_updates = n_updates
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "DocumentRBM":
        """Train a fresh model on documents."""
        self.vocabulary_: list[str] | None = None
        counts = self._counts(X, reset=True)
        self._trainer = DocumentTrainer.start(counts, self._settings())
        self.frequency_ = word_frequencies(counts)
        return self._train(counts, self.n_updates)

    def partial_fit(self, X: Any, y: Any = None) -> "DocumentRBM":
        """Train `n_updates` more updates on these documents; the words stay those of the first."""
        if not hasattr(self, "model_"):
            return self.fit(X)
        return self._train(self._counts(X, reset=False), self._trainer.step + self.n_updates)

    def transform(self, X: Any) -> Array:
        """``P(h_j = 1 | v)``: the topics of every document."""
        check_is_fitted(self)
        return self.model_.hidden_mean(self._counts(X, reset=False))

    def score_samples(self, X: Any) -> Array:
        """``log P(v)`` of every document in one order of its words; log Z by annealing."""
        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        longest = int(np.ceil(document_lengths(counts).max()))
        estimate = estimate_log_Z(
            self.model_, longest, particles=PARTICLES, threads=parameters.thread_count(self.n_jobs)
        )
        return log_probability(self.model_, counts, estimate.log_Z)

    def top_words(self, count: int = 10, *, by: str = "lift") -> list[list[Any]]:
        """The words of each topic: by probability given the topic, or by that over frequency."""
        check_is_fitted(self)
        if by not in ORDERS:
            raise InvalidInput(f"Words cannot be ordered by {by!r}; give probability or lift.")
        score = self.model_.topic_weights() + self.model_.b
        if by == "lift":
            score = score - np.log(self.frequency_)
        order = np.argsort(-score, axis=1, kind="stable")[:, :count]
        words = self.vocabulary_ or range(self.n_features_in_)
        return [[words[k] for k in row] for row in order.tolist()]

    def similar(self, X: Any, others: Any, count: int = 10) -> tuple[Array, Array]:
        """The numbers of the documents of `others` nearest to each of X, and their cosines."""
        first, second = (_unit(self.transform(documents)) for documents in (X, others))
        cosine = first @ second.T
        nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :count]
        return nearest, np.take_along_axis(cosine, nearest, axis=1)

    def prepare_pyldavis(self, X: Any) -> dict[str, Any]:
        """The arguments of ``pyLDAvis.prepare``: topics as distributions over words."""
        check_is_fitted(self)
        counts, score = self._counts(X, reset=False), self.model_.topic_weights() + self.model_.b
        topics = np.exp(score - np.logaddexp.reduce(score, axis=1)[:, None])
        mean = self.model_.hidden_mean(counts) + 1e-12
        return {
            "topic_term_dists": topics,
            "doc_topic_dists": mean / mean.sum(axis=1, keepdims=True),
            "doc_lengths": document_lengths(counts),
            "vocab": list(self.vocabulary_ or map(str, range(self.n_features_in_))),
            "term_frequency": np.asarray(counts.sum(axis=0)).reshape(-1),
        }

    def _train(self, counts: Any, updates: int) -> "DocumentRBM":
        settings = self._settings(updates=updates)
        trainer = DocumentTrainer(**{**vars(self._trainer), "settings": settings})
        for state in trainer.train(counts, threads=parameters.thread_count(self.n_jobs)):
            trainer = state
        self._trainer, self.model_, self.n_iter_ = trainer, trainer.model(), trainer.step
        return self

    def _settings(self, **changes: Any) -> DocumentSettings:
        seed = getattr(self, "_seed", None)
        if seed is None or not changes:
            seed = self._seed = parameters.seed_from(self.random_state)
        values = {
            "hidden": self.n_components, "dimension": self.dimension, "rate": self.learning_rate,
            "batch_size": self.batch_size, "chains": self.n_chains, "updates": self.n_updates,
            "seed": seed, "shards": min(8, self.n_chains),
        }  # fmt: skip
        return DocumentSettings(**{**values, **changes})

    def _counts(self, X: Any, *, reset: bool) -> Any:
        """Documents as a csr matrix of counts."""
        if _is_text(X):
            return self._text_counts(X, reset=reset)
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        check_non_negative(X, type(self).__name__)
        counts = sparse.csr_matrix(X)
        if reset and counts.sum() <= 0:
            raise InvalidInput("The documents hold no word; give some with counts above zero.")
        return counts

    def _text_counts(self, X: Any, *, reset: bool) -> Any:
        tokenized = tokenize_documents(X)
        if reset:
            vocabulary = tokenized.vocabulary(self.max_features, self.min_count)
            if len(vocabulary) < 2:
                raise InvalidInput(
                    f"No word occurs {self.min_count} times; use a smaller min_count."
                )
            self._vocabulary = vocabulary
            self.vocabulary_ = list(vocabulary.words[1:])
            self.n_features_in_ = len(vocabulary) - 1
        elif self.vocabulary_ is None:
            raise InvalidInput("The model was fitted on counts; give a matrix of counts.")
        ids = tokenized.encode(self._vocabulary)
        known = ids.ids > 0
        rows = np.repeat(np.arange(len(ids)), ids.lengths)[known]
        shape = len(ids), self.n_features_in_
        ones = np.ones(rows.size)
        return sparse.coo_matrix((ones, (rows, ids.ids[known] - 1)), shape).tocsr()

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.c.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _is_text(X: Any) -> bool:
    """Whether documents are texts or lists of tokens."""
    if sparse.issparse(X) or isinstance(X, np.ndarray) or not isinstance(X, Sequence) or not X:
        return False
    first = X[0]
    return isinstance(first, str) or (
        isinstance(first, Sequence) and bool(first) and isinstance(first[0], str)
    )


def _unit(x: Array) -> Array:
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
