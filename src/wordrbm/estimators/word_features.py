"""Documents in, features out: the hidden units of a word model, pooled over each document.

A document's windows of n words each have hidden means ``P(h_j = 1 | v)`` [Dahl 2012, eq. 5];
their mean or their maximum is the feature vector of the document. The model is trained on the
documents given to `fit`, in memory, or is one that was trained before.
"""

from pathlib import Path
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Float32
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wordrbm.estimators.documents import (
    read,
    several,
    text_tags,
    tokens_of,
    vocabulary_of,
    windows_of,
)
from wordrbm.estimators.learning import learnt, text_learner
from wordrbm.estimators.parameters import (
    checked,
    plan,
    seed_of,
    settings_of,
    teller,
    threads_of,
    whole_number,
)
from wordrbm.estimators.pooling import POOLS, Pool, pooled
from wordrbm.estimators.refused import Refused
from wordrbm.trained_model import TrainedModel, load


class WordFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features of documents from a word-representation RBM.

    `model` is None to train one on the documents of `fit`, or a `TrainedModel` or its folder, and
    then only `pooling` matters. Learnt: `model_`. See docs/estimators.md.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        model: Any = None,
        pooling: str = "mean",
        window: int = 3,
        vocabulary_size: int = 50_000,
        min_count: int = 1,
        dimension: int = 50,
        n_iter: int | None = None,
        batch_size: int = 128,
        chains: int = 128,
        mh_steps: int = 50,
        word_rate: float = 0.03,
        hidden_rate: float = 0.05,
        momentum: float = 0.9,
        l2: float = 3e-4,
        shards: int = 2,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.model = model
        self.pooling = pooling
        self.window = window
        self.vocabulary_size = vocabulary_size
        self.min_count = min_count
        self.dimension = dimension
        self.n_iter = n_iter
        self.batch_size = batch_size
        self.chains = chains
        self.mh_steps = mh_steps
        self.word_rate = word_rate
        self.hidden_rate = hidden_rate
        self.momentum = momentum
        self.l2 = l2
        self.shards = shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a model on the documents, or take the one that was given."""
        self._pool()
        self.model_ = self._trained_on(X) if self.model is None else _taken(self.model)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32[np.ndarray, "N H"]:
        """The same as `fit` and then `transform`, also for documents that come only once."""
        # Only what passes once is held: a column of a frame keeps the names of its rows.
        documents = list(X) if iter(several(X)) is X else X
        return self.fit(documents, y).transform(documents)

    def transform(self, X: Any) -> Float32[np.ndarray, "N H"]:
        """A feature vector for every document, (N, H); zeros for one shorter than a window."""
        check_is_fitted(self)
        return pooled(self.model_, tokens_of(X), self._pool())

    def score_samples(self, X: Any) -> Float[np.ndarray, " N"]:
        """Minus the mean free energy of each document's windows; NaN if it has none.

        The higher the likelier: the mean log-probability of a window, up to one constant.
        """
        check_is_fitted(self)
        scores = (score.free_energy for score in self.model_.score(tokens_of(X), top_words=0))
        return np.array([np.nan if energy is None else -energy for energy in scores], np.float64)

    def _trained_on(self, X: Any) -> TrainedModel:
        checked(self)
        threads = threads_of(self.n_jobs)
        size = whole_number("vocabulary_size", self.vocabulary_size)
        found = read(X)
        vocabulary = vocabulary_of(found, size, whole_number("min_count", self.min_count))
        windows = windows_of(found, vocabulary, int(self.window))
        planned = plan(self, len(windows))
        settings = settings_of(self, seed_of(self.random_state), planned)
        learner = text_learner(vocabulary.probability(), settings)
        rbm = learnt(learner, windows, settings, threads, teller(self, planned))
        return TrainedModel(rbm, vocabulary, settings)

    def _pool(self) -> Pool:
        if not isinstance(self.pooling, str) or self.pooling not in POOLS:
            raise Refused(f"The parameter pooling is {self.pooling!r}; use 'mean' or 'max'.")
        return POOLS[self.pooling]

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.rbm.c.size)

    def __sklearn_tags__(self) -> Any:
        return text_tags(super().__sklearn_tags__())


def _taken(model: Any) -> TrainedModel:
    if isinstance(model, TrainedModel):
        return model
    if isinstance(model, str | Path):
        return load(model)
    raise Refused(
        f"The parameter model is {type(model).__name__}; give None, a TrainedModel or its folder."
    )
