"""Features of documents: the hidden units of a word model, pooled over each document.

A document's windows of n words each have hidden means ``P(h_j = 1 | v)`` [Dahl 2012, eq. 5];
their mean or their maximum is the feature vector of the document, which is zero for a document of
fewer words than a window. The model is trained on the documents given to `fit`, in memory, or is
one that was trained before.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Float32
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wordrbm.classification.documents import iter_tokens, tokenize_documents
from wordrbm.errors import InvalidInput
from wordrbm.estimators import parameters
from wordrbm.inference.inputs import check_iterable
from wordrbm.run.in_memory import InMemoryTrainer
from wordrbm.trained_model import TrainedModel, load

DOCUMENTS_PER_BLOCK = 64  # whose windows are in memory at once

Pool = Callable[[Float32[np.ndarray, "W H"]], Float32[np.ndarray, " H"]]
POOLS: dict[str, Pool] = {
    "mean": lambda hidden: hidden.mean(axis=0, dtype=np.float64).astype(np.float32),
    "max": lambda hidden: hidden.max(axis=0),
}


class WordFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features of documents from a word-representation RBM.

    `model` is None to train one on the documents of `fit`, or a `TrainedModel` or its folder, and
    then only `pooling` matters. Fitted: `model_`. See docs/estimators.md.
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
        objective: str = "hybrid",
        n_iter: int | None = None,
        batch_size: int = 128,
        chains: int = 128,
        mh_steps: int = 50,
        word_rate: float = 0.012,
        hidden_rate: float = 0.012,
        momentum: float = 0.9,
        l2: float = 0.0,
        shards: int = 2,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        parameters.store(self, locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a model on the documents, or load the one that `model` names."""
        self._pool()
        self.model_ = self._train(X) if self.model is None else _load(self.model)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32[np.ndarray, "N H"]:
        """`fit`, then `transform`; the documents may come from a generator."""
        # Only a generator is made a list: a column of a frame keeps the names of its rows.
        documents = list(X) if iter(check_iterable(X, "documents")) is X else X
        return self.fit(documents, y).transform(documents)

    def transform(self, X: Any) -> Float32[np.ndarray, "N H"]:
        """A feature vector for every document, (N, H); zeros for one shorter than a window."""
        check_is_fitted(self)
        return pool_documents(self.model_, iter_tokens(X), self._pool())

    def score_samples(self, X: Any) -> Float[np.ndarray, " N"]:
        """Minus the mean free energy of each document's windows; NaN if it has none.

        The higher the likelier: the mean log-probability of a window, up to one constant.
        """
        check_is_fitted(self)
        scores = (score.free_energy for score in self.model_.score(iter_tokens(X), top_words=0))
        return np.array([np.nan if energy is None else -energy for energy in scores], np.float64)

    def _train(self, X: Any) -> TrainedModel:
        parameters.validated(self)
        threads = parameters.thread_count(self.n_jobs)
        size = parameters.check_count("vocabulary_size", self.vocabulary_size)
        min_count = parameters.check_count("min_count", self.min_count)
        tokenized = tokenize_documents(X)
        vocabulary, n = tokenized.vocabulary(size, min_count), int(self.window)
        windows = tokenized.encode(vocabulary).windows(n)
        if not len(windows):
            raise InvalidInput(
                f"None of the {len(tokenized.documents)} documents has {n} words; use a smaller "
                "window or longer documents."
            )
        schedule = parameters.schedule(self, len(windows))
        seed = parameters.seed_from(self.random_state)
        settings = parameters.training_settings(self, seed, schedule)
        trainer = InMemoryTrainer.for_text(windows, vocabulary.probability(), settings)
        print_progress = parameters.progress_printer(self, schedule)
        rbm = trainer.train_from_start(windows, settings, threads, print_progress)
        return TrainedModel(rbm, vocabulary, settings)

    def _pool(self) -> Pool:
        if not isinstance(self.pooling, str) or self.pooling not in POOLS:
            raise InvalidInput(f"The parameter pooling is {self.pooling!r}; use 'mean' or 'max'.")
        return POOLS[self.pooling]

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.rbm.c.size)

    def __sklearn_tags__(self) -> Any:
        return text_tags(super().__sklearn_tags__())


def pool_documents(
    model: TrainedModel, documents: Iterator[list[str]], pool: Pool
) -> Float32[np.ndarray, "N H"]:
    """One vector for every document, each read once, in blocks."""
    zero, vectors = np.zeros(model.rbm.c.size, np.float32), []
    while block := list(islice(documents, DOCUMENTS_PER_BLOCK)):
        vectors += [pool(hidden) if len(hidden) else zero for hidden in model.hidden(block)]
    return np.array(vectors, np.float32).reshape(len(vectors), zero.size)


def text_tags(tags: Any) -> Any:
    """scikit-learn's tags of an estimator whose input is a column of documents."""
    tags.input_tags.string = True
    tags.input_tags.one_d_array = True
    tags.input_tags.two_d_array = False
    tags.transformer_tags.preserves_dtype = []
    return tags


def _load(model: Any) -> TrainedModel:
    if isinstance(model, TrainedModel):
        return model
    if isinstance(model, str | Path):
        return load(model)
    raise InvalidInput(
        f"The parameter model is {type(model).__name__}; give None, a TrainedModel or its folder."
    )
