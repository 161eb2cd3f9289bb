"""`DocumentRBM`: the replicated softmax as a scikit-learn topic model.

    E(v, h) = -sum_k n_k b_k - N c . h - h . W n

Every hidden unit is a topic; `transform` gives the topics of new documents by one product.
"""

import warnings
from pathlib import Path
from typing import Any, final

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from wordrbm.analysis.coherence import topic_coherence
from wordrbm.classification import document_counts
from wordrbm.errors import InvalidInput
from wordrbm.estimators import parameters
from wordrbm.estimators.document_store import (
    PARAMETER_NAMES,
    from_stored,
    is_text,
    stored_topics,
    text_counts,
)
from wordrbm.estimators.errors import warn_of_wordless
from wordrbm.inference.similarity import document_vectors, nearest_documents
from wordrbm.inference.topics import pyldavis_arguments, rank_words
from wordrbm.io import document_file
from wordrbm.io.model_folder import MODEL
from wordrbm.likelihood.length_annealing import PARTICLES, estimate_log_Z, log_probability
from wordrbm.likelihood.length_checks import (
    DocumentLikelihood,
    check_likelihood,
    is_sample_too_small,
)
from wordrbm.run.shared_vectors import shared_vectors
from wordrbm.shapes import Array
from wordrbm.storage import check_output_folder
from wordrbm.training.document_state import continue_from
from wordrbm.training.document_trainer import (
    DocumentSettings,
    DocumentTrainer,
    document_lengths,
    word_frequencies,
)


@final
class DocumentRBM(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Topics of documents by a replicated softmax RBM, trained at a cost free of the vocabulary.

    Documents are texts, lists of tokens, or rows of a matrix of word counts. `transform` returns
    the probability of each of the `n_components` topics in each document. `dimension` None trains
    a full weight matrix; a number, one factored through word vectors of that many numbers;
    `vectors` is the folder of a word model whose vectors they begin as. Of texts, words in more
    than `max_share` of the documents are left out. With `log_counts` a word that occurs n times
    counts ``round(log(1 + n))`` times.
    """

    def __init__(
        self,
        n_components: int = 50,
        *,
        dimension: int | None = None,
        vectors: Any = None,
        train_vectors: bool = True,
        max_features: int = 100_000,
        min_count: int = 2,
        max_share: float = 1.0,
        log_counts: bool = False,
        learning_rate: float = 0.02,
        batch_size: int = 128,
        n_chains: int = 256,
        n_updates: int = 4000,
        random_state: Any = None,
        n_jobs: int | None = 1,
    ) -> None:
        parameters.store(self, locals())

    def fit(self, X: Any, y: Any = None) -> "DocumentRBM":
        """Train a fresh model on documents."""
        self.vocabulary_: list[str] | None = None
        counts = self._counts(X, reset=True)
        self._seed = parameters.seed_from(self.random_state)
        first = self._first_vectors()
        self._width = self.dimension if first is None else first.shape[1]
        self._trainer = DocumentTrainer.start(counts, self._settings(self.n_updates), first)
        self.frequency_ = word_frequencies(counts)
        self._corpus = document_file.counts_digest(counts)
        return self._train(counts, self.n_updates)

    def partial_fit(self, X: Any, y: Any = None) -> "DocumentRBM":
        """Train `n_updates` more updates on these documents; the words stay those of the first."""
        if not hasattr(self, "model_"):
            return self.fit(X)
        counts, updates = self._counts(X, reset=False), self.n_iter_ + self.n_updates
        if not hasattr(self, "_trainer"):  # the model was loaded
            fresh = DocumentTrainer.start(counts, self._settings(updates))
            self._trainer = continue_from(fresh, self.model_, self.n_iter_)
        return self._train(counts, updates)

    def transform(self, X: Any) -> Array:
        """``P(h_j = 1 | v)``: the topics of every document.

        All are 0.5 of a document without a word of the model; a warning tells how many there are.
        """
        check_is_fitted(self)
        return self.model_.hidden_mean(self._known_counts(X))

    def score_samples(self, X: Any) -> Array:
        """``log P(v)`` of every document in one order of its words; log Z by annealing.

        Warns where annealing is uncertain; `likelihood` has all the checks.
        """
        check_is_fitted(self)
        counts, threads = self._counts(X, reset=False), parameters.thread_count(self.n_jobs)
        lengths = document_lengths(counts)
        longest = int(np.ceil(lengths.max()))
        estimate = estimate_log_Z(self.model_, longest, particles=PARTICLES, threads=threads)
        used = np.unique(np.rint(lengths).astype(int))
        sizes, errors = estimate.effective_sample_size[used], estimate.standard_error[used]
        if is_sample_too_small(sizes, errors, PARTICLES).any():
            warnings.warn(
                f"log Z is uncertain: the effective sample size is {sizes.min():.1f} of "
                f"{PARTICLES} particles; see `likelihood` for its bounds.",
                stacklevel=2,
            )
        return log_probability(self.model_, counts, estimate.log_Z)

    def likelihood(
        self, X: Any, reference: Any = None, *, particles: int = PARTICLES
    ) -> DocumentLikelihood:
        """Perplexity of documents, log Z by length forward, in reverse and bounded, and warnings.

        The topics of `reference` documents, as those of training, add to the bound.
        """
        check_is_fitted(self)
        others = None if reference is None else self._counts(reference, reset=False)
        return check_likelihood(
            self.model_, self._counts(X, reset=False), others, particles=particles,
            threads=parameters.thread_count(self.n_jobs),
        )  # fmt: skip

    def top_words(
        self, count: int = 10, *, by: str = "weight", documents: Any = None
    ) -> list[list[Any]]:
        """The words of each topic by weight, probability, lift, relevance or documents.

        Lift is probability given the topic alone over frequency, relevance a mean of the two. By
        documents, which must be given, it is relevance in those in which the topic stands out.
        """
        check_is_fitted(self)
        words = self.vocabulary_ or range(self.n_features_in_)
        counts = None if documents is None else self._counts(documents, reset=False)
        order = rank_words(self.model_, self.frequency_, count, by, counts)
        return [[words[k] for k in row] for row in order.tolist()]

    def coherence(self, X: Any, count: int = 10, *, by: str = "weight") -> Array:
        """The mean NPMI of the first words of each topic in documents, as those of training."""
        check_is_fitted(self)
        counts = self._counts(X, reset=False)
        return topic_coherence(rank_words(self.model_, self.frequency_, count, by, counts), counts)

    def similar(self, X: Any, others: Any, count: int = 10) -> tuple[Array, Array]:
        """The numbers of the documents of `others` nearest to each of X, and their cosines.

        Cosines are of topics less those of the average document, at one length for all documents.
        """
        check_is_fitted(self)
        vectors, other_vectors = (
            document_vectors(self.model_, self.frequency_, self._known_counts(documents))
            for documents in (X, others)
        )
        return nearest_documents(vectors, other_vectors, count)

    def prepare_pyldavis(self, X: Any) -> dict[str, Any]:
        """The arguments of ``pyLDAvis.prepare``: topics as distributions over words."""
        check_is_fitted(self)
        words = list(self.vocabulary_ or map(str, range(self.n_features_in_)))
        return pyldavis_arguments(self.model_, self._counts(X, reset=False), words)

    def save(self, folder: str | Path) -> None:
        """Write the model as `wordrbm documents train` does; the folder must be new or empty."""
        check_is_fitted(self)
        check_output_folder(Path(folder), MODEL, "model")
        document_file.write_topics(Path(folder), stored_topics(self, self._settings(self.n_iter_)))

    @classmethod
    def load(cls, folder: str | Path) -> "DocumentRBM":
        """Read a model that `save` or `wordrbm documents train` wrote.

        `partial_fit` goes on from its parameters, with chains that begin at the new documents.
        """
        return from_stored(cls, document_file.read_topics(Path(folder)))

    def _train(self, counts: Any, updates: int) -> "DocumentRBM":
        settings = self._settings(updates)
        trainer = DocumentTrainer(**{**vars(self._trainer), "settings": settings})
        for state in trainer.train(counts, threads=parameters.thread_count(self.n_jobs)):
            trainer = state
        self._trainer, self.model_, self.n_iter_ = trainer, trainer.model(), trainer.step
        return self

    def _settings(self, updates: int) -> DocumentSettings:
        return DocumentSettings.named(
            PARAMETER_NAMES,
            hidden=self.n_components, dimension=self._width, rate=self.learning_rate,
            batch_size=self.batch_size, chains=self.n_chains, updates=updates, seed=self._seed,
            shards=max(1, min(8, self.n_chains)), train_vectors=self.train_vectors,
        )  # fmt: skip

    def _first_vectors(self) -> Array | None:
        """The word vectors of the model that `vectors` names."""
        if self.vectors is None:
            return None
        if self.vocabulary_ is None:
            raise InvalidInput("Word vectors are for words; fit on texts, not on counts.")
        return shared_vectors(Path(self.vectors), self.vocabulary_, self._seed, self.dimension)

    def _known_counts(self, X: Any) -> Any:
        """Documents as counts, with a warning if some have no word of the model."""
        counts = self._counts(X, reset=False)
        warn_of_wordless(counts)
        return counts

    def _counts(self, X: Any, *, reset: bool) -> Any:
        """Documents as a csr matrix of counts."""
        if is_text(X):
            counts = text_counts(self, X, reset=reset)
        else:
            X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
            check_non_negative(X, type(self).__name__)
            counts = sparse.csr_matrix(X)
            document_counts.check_whole(counts, "The matrix of documents")
        if reset and counts.sum() <= 0:
            raise InvalidInput("The documents hold no word; give some with counts above zero.")
        return document_counts.take_log_counts(counts) if self.log_counts else counts

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.c.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags
