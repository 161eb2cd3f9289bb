"""A document classifier by free energies under one word model per class.

The features of a document are its mean free energies under each class model, and a logistic head
over them is the threshold of the paper [Dahl 2012, section 6.3], fitted to out-of-fold energies
(`wordrbm.classification`). It is a transformer too: `fit_transform` gives the out-of-fold energies,
`transform` those of the models of all documents.
"""

from typing import Any, Self

import numpy as np
from jaxtyping import Float64
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from wordrbm.classification.calibration import contrast
from wordrbm.classification.classifier import CLASS_RATE, FitSettings, Report, fit_classifier
from wordrbm.classification.documents import (
    ClassScores,
    DocumentIds,
    LabelledDocuments,
    Labels,
    tokenize_documents,
)
from wordrbm.classification.finetune import MAX_EPOCHS, MAX_MEMBERS, ClassFinetuning
from wordrbm.errors import InvalidInput
from wordrbm.estimators import parameters
from wordrbm.estimators.word_features import text_tags
from wordrbm.shapes import Array
from wordrbm.training import TrainingSettings


class FreeEnergyClassifier(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Classify documents by their free energies under a word model of each class.

    `cv` is the number of folds of cross-fitting, None to fit the head to in-sample energies, as the
    paper did. `pretrain` initialises all class models with one model of all documents.
    `finetune_epochs` are epochs of joint discriminative fine-tuning of the class models, of which
    the parameters of `finetune_members` are averaged. Fitted: `classes_`, `models_`, `head_`,
    `energies_`. See docs/estimators.md.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        window: int = 3,
        cv: int | None = 3,
        pretrain: bool = True,
        finetune_epochs: int = 0,
        finetune_members: int = 4,
        C: float = 1.0,
        vocabulary_size: int = 50_000,
        min_count: int = 2,
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

    def fit(self, X: Any, y: Any) -> Self:
        """Train a model for each class, and the logistic head over their energies."""
        parameters.validated(self)
        self._check_parameters()
        size = parameters.check_count("vocabulary_size", self.vocabulary_size)
        min_count = parameters.check_count("min_count", self.min_count)
        tokenized = tokenize_documents(X, keep_digits=True)
        classes, label = encode_labels(y, tokenized.documents, self.cv or 1)
        vocabulary = tokenized.vocabulary(size, min_count)
        documents = tokenized.encode(vocabulary).pad(int(self.window))
        data = LabelledDocuments(documents, label, vocabulary)
        result = fit_classifier(data, self._fit_settings(documents), self._stage_printer())
        self.models_, self.head_, self.energies_ = result
        self.classes_ = classes
        return self

    def fit_transform(self, X: Any, y: Any) -> ClassScores:
        """Fit; returns the energies of these documents, out of fold."""
        return self.fit(X, y).energies_

    def transform(self, X: Any) -> ClassScores:
        """The mean free energy of each document under the model of each class, (N, classes)."""
        check_is_fitted(self)
        documents = self.models_.encode(tokenize_documents(X, keep_digits=True))
        return np.asarray(self.models_.energies(documents))

    def predict_proba(self, X: Any) -> ClassScores:
        """The probability of each class, for each document."""
        x = contrast(self.transform(X))  # which says so if it is not fitted yet
        return np.asarray(self.head_.probabilities(x))

    def decision_function(self, X: Any) -> Float64[np.ndarray, "N ..."]:
        """The logit of each class; for two classes that of the second."""
        logits = self._logits(X)
        return logits[:, 1] if len(self.classes_) == 2 else logits

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The most probable class of each document."""
        best = self._logits(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _logits(self, X: Any) -> ClassScores:
        x = contrast(self.transform(X))
        return np.asarray(self.head_.logits(x))

    def _check_parameters(self) -> None:
        """Refuse values of the parameters that other estimators do not have."""
        parameters.check_above_zero("C", self.C)
        parameters.check_count("finetune_epochs", self.finetune_epochs, 0, MAX_EPOCHS)
        parameters.check_count("finetune_members", self.finetune_members, 1, MAX_MEMBERS)
        if not isinstance(self.pretrain, bool | np.bool_):
            raise InvalidInput(f"The parameter pretrain is {self.pretrain!r}; give True or False.")
        if self.cv is not None and parameters.check_count("cv", self.cv) < 2:
            raise InvalidInput("The parameter cv is 1; give 2 or more, or None as the paper did.")

    def _fit_settings(self, documents: DocumentIds) -> FitSettings:
        seed, n = parameters.seed_from(self.random_state), int(self.window)

        continues = self.pretrain and self.objective == "hybrid"  # from a model that is sharp

        def settings(
            windows: int, factor: float = CLASS_RATE if continues else 1.0
        ) -> TrainingSettings:
            rates = {"word_rate": self.word_rate * factor, "hidden_rate": self.hidden_rate * factor}
            schedule = parameters.schedule(self, windows)
            return parameters.training_settings(self, seed, schedule, **rates)

        epochs, members = int(self.finetune_epochs), int(self.finetune_members)
        return FitSettings(
            window=n,
            pretrain=settings(len(documents.windows(n)), 1.0) if self.pretrain else None,
            class_settings=settings,
            finetune=ClassFinetuning(epochs=epochs, members=members) if epochs else None,
            folds=None if self.cv is None else int(self.cv),
            fold_seed=seed,
            C=float(self.C),
            threads=parameters.thread_count(self.n_jobs),
        )

    def _stage_printer(self) -> Report:
        """A function that prints the name of each stage of training if the estimator is verbose."""
        printed: set[str] = set()

        def report(windows: int, stage: str) -> None:
            if self.verbose and stage not in printed:
                printed.add(stage)
                print(f"[{type(self).__name__}] {stage}", flush=True)

        return report

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)

    def __sklearn_tags__(self) -> Any:
        return text_tags(super().__sklearn_tags__())


def encode_labels(y: Any, documents: DocumentIds, min_documents: int) -> tuple[Array, Labels]:
    """The classes in order, and the number of each document's class.

    Every class must have `min_documents` documents that are not empty.
    """
    if y is None:
        raise InvalidInput(
            "No classes were given, requires y to be passed, but the target y is None."
        )
    _check_labels(y)
    targets = column_or_1d(y, warn=True)
    if len(targets) != len(documents):
        raise InvalidInput(
            f"{len(documents)} documents and {len(targets)} classes were given; give as many."
        )
    check_classification_targets(targets)
    classes, label = np.unique(targets, return_inverse=True)
    if len(classes) < 2:
        raise InvalidInput(f"{len(classes)} class was found in y; a classifier needs two or more.")
    count = np.bincount(label, documents.lengths > 0, minlength=len(classes))
    if count.min() < min_documents:
        raise InvalidInput(
            f"Class {classes[count.argmin()]!s} has {count.min():.0f} documents with words where "
            f"at least {min_documents} are needed; give more, or use fewer folds, or None."
        )
    return classes, label.astype(np.int64)


def _check_labels(y: Any) -> None:
    """Refuse labels that are missing, or of several types."""
    values = list(y) if np.ndim(y) == 1 else []
    for number, value in enumerate(values):
        if value is None or type(value).__name__ == "NAType" or value != value:
            raise InvalidInput(f"The class of document {number} is {value!r}; give it a class.")
        if isinstance(value, str) != isinstance(values[0], str):
            raise InvalidInput(
                f"The class of document {number} is {value!r}, that of the first {values[0]!r}; "
                "give names or numbers, not both."
            )
