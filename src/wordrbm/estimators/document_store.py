"""What `DocumentRBM` is given and what it leaves: texts or counts, names, a model folder."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from wordrbm.classification import document_counts
from wordrbm.classification.documents import tokenize_documents
from wordrbm.errors import InvalidInput
from wordrbm.io.document_file import DocumentRunIdentity, StoredTopics
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.document_trainer import DocumentSettings

if TYPE_CHECKING:
    from wordrbm.estimators.document_rbm import DocumentRBM

PARAMETER_NAMES = {  # of settings that have another name in scikit-learn
    "hidden": "n_components", "rate": "learning_rate", "chains": "n_chains",
    "updates": "n_updates", "vocabulary_size": "max_features",
}  # fmt: skip


def is_text(X: Any) -> bool:
    """Whether documents are texts or lists of tokens."""
    if sparse.issparse(X) or isinstance(X, np.ndarray) or not isinstance(X, Sequence) or not X:
        return False
    first = X[0]
    return isinstance(first, str) or (
        isinstance(first, Sequence) and bool(first) and isinstance(first[0], str)
    )


def stored_topics(model: "DocumentRBM", settings: DocumentSettings) -> StoredTopics:
    """What a folder holds of a fitted model; columns that have no words are numbered."""
    has_words = model.vocabulary_ is not None
    columns = [(str(k), 0) for k in range(model.n_features_in_)]
    identity = DocumentRunIdentity(
        settings, model._vocabulary if has_words else Vocabulary.build(columns, 0),
        model._corpus, {"text": has_words, "log_counts": bool(model.log_counts)},
    )  # fmt: skip
    return StoredTopics(model.model_, model.frequency_, identity)


def from_stored(cls: "type[DocumentRBM]", stored: StoredTopics) -> "DocumentRBM":
    """The fitted model that a folder holds."""
    settings, counting = stored.identity.settings, stored.identity.counting
    model = cls(
        settings.hidden, dimension=settings.dimension, learning_rate=settings.rate,
        train_vectors=settings.train_vectors, batch_size=settings.batch_size,
        n_chains=settings.chains, n_updates=settings.updates, log_counts=counting["log_counts"],
    )  # fmt: skip
    model._seed, model._width = settings.seed, settings.dimension
    model._corpus, model._vocabulary = stored.identity.corpus, stored.identity.vocabulary
    model.vocabulary_ = list(stored.words) if counting["text"] else None
    model.n_features_in_, model.n_iter_ = len(stored.words), settings.updates
    model.model_, model.frequency_ = stored.rbm, stored.frequency
    return model


def text_counts(model: "DocumentRBM", X: Any, *, reset: bool) -> Any:
    """The counts of texts; with `reset` the words of the model are chosen among theirs."""
    tokenized = tokenize_documents(X)
    if reset:
        selection = document_counts.WordSelection.named(
            PARAMETER_NAMES, vocabulary_size=model.max_features, min_count=model.min_count,
            max_share=model.max_share,
        )  # fmt: skip
        model._vocabulary = document_counts.select_words(tokenized, selection)
        model.vocabulary_ = list(model._vocabulary.words[1:])
        model.n_features_in_ = len(model._vocabulary) - 1
    elif model.vocabulary_ is None:
        raise InvalidInput("The model was fitted on counts; give a matrix of counts.")
    return document_counts.count_words(tokenized.encode(model._vocabulary), model.n_features_in_)
