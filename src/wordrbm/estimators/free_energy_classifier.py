"""A text classifier that asks which class would have written this, with an honest probability.

One word model for each class (`class_models.py`); a document's features are its mean free energies
under each, and a logistic layer over them is the threshold of the paper [Dahl 2012, section 6.3],
or, by unit, over the terms of the energies (`unit_energies.py`). A model flatters the documents it
was trained on, so the layer learns from energies that come from models that have not seen them:
the documents are cut into folds, and the energies of each fold are those of models of the others.
All of these start from one background, which has read every document without its class. It is a
transformer too: `fit_transform` gives these energies, `transform` those of the models of all
documents.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Float64, Int64
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from wordrbm.estimators.apart import MOST_PASSES, Apart, told_apart
from wordrbm.estimators.class_models import (
    ClassModels,
    Texts,
    centred,
    texts_of,
    train_background,
    train_class_models,
)
from wordrbm.estimators.documents import Read, read, text_tags, vocabulary_of
from wordrbm.estimators.labels import classes_of
from wordrbm.estimators.layer import Layer
from wordrbm.estimators.parameters import (
    Plan,
    checked,
    plan,
    positive,
    seed_of,
    settings_of,
    teller,
    threads_of,
    whole_number,
)
from wordrbm.estimators.refused import Refused
from wordrbm.estimators.views import BY_UNIT, WHOLE, View, compared
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary


class FreeEnergyClassifier(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Classify documents by their free energies under a word model of each class.

    `folds` is None to fit the last layer on the energies of the models' own documents, as the
    paper did. `background` trains a common start on all documents. `by_unit` gives every hidden
    unit a weight in the last layer. `apart` are passes over the documents in which the models, each
    trained by itself, learn to tell their classes apart (`apart.py`). Learnt: `classes_`,
    `models_`, `layer_`, `energies_`. See docs/estimators.md.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        window: int = 3,
        folds: int | None = 3,
        background: bool = True,
        by_unit: bool = False,
        apart: int = 0,
        C: float = 1.0,
        vocabulary_size: int = 50_000,
        min_count: int = 2,
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
        self.window = window
        self.folds = folds
        self.background = background
        self.by_unit = by_unit
        self.apart = apart
        self.C = C
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

    def fit(self, X: Any, y: Any) -> Self:
        """Train a model for each class, and the layer over their energies."""
        checked(self)
        C, view, folds = positive("C", self.C), self._view(), self._folds()
        whole_number("apart", self.apart, 0, MOST_PASSES)
        found = read(X)
        classes, label = classes_of(y, found.ends, 1 if folds is None else folds)
        size = whole_number("vocabulary_size", self.vocabulary_size)
        vocabulary = vocabulary_of(found, size, whole_number("min_count", self.min_count))
        texts = texts_of(found, vocabulary, int(self.window))
        task = _Task(texts, label, vocabulary, seed_of(self.random_state))
        start = self._start(task) if self.background else None
        models = self._trained(task, start)
        self.energies_, features = self._unseen(task, start, models, view)
        self.layer_ = Layer.fit(features, label, C)
        self.classes_, self.models_, self.view_ = classes, models, view
        return self

    def fit_transform(self, X: Any, y: Any) -> Float64[np.ndarray, "N C"]:
        """Fit; the energies of these documents, from models that have not seen them."""
        return self.fit(X, y).energies_

    def transform(self, X: Any) -> Float64[np.ndarray, "N C"]:
        """The mean free energy of each document under the model of each class, (N, classes)."""
        check_is_fitted(self)
        models: ClassModels = self.models_
        return models.energies(self._texts(read(X), models))

    def predict_proba(self, X: Any) -> Float64[np.ndarray, "N C"]:
        """The probability of each class, for each document."""
        features = self._features(X)
        return np.asarray(self.layer_.probabilities(features))

    def decision_function(self, X: Any) -> Float64[np.ndarray, "N ..."]:
        """The logit of each class; for two classes that of the second."""
        features = self._features(X)
        scores = self.layer_.scores(features)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The likeliest class of each document."""
        features = self._features(X)
        return np.asarray(self.classes_[self.layer_.scores(features).argmax(axis=1)])

    def _features(self, X: Any) -> Float[np.ndarray, "N F"]:
        check_is_fitted(self)
        return self.view_.of_texts(self.models_, self._texts(read(X), self.models_))

    def _view(self) -> View:
        """What the layer sees; switches are checked with it."""
        for name in ("background", "by_unit"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise Refused(
                    f"The parameter {name} is {getattr(self, name)!r}; give True or False."
                )
        if self.by_unit and not self.background:
            raise Refused(
                "The parameter by_unit is True and background False: models that start apart have "
                "no units in common; give background=True."
            )
        return BY_UNIT if self.by_unit else WHOLE

    def _folds(self) -> int | None:
        if self.folds is not None and whole_number("folds", self.folds) < 2:
            raise Refused("The parameter folds is 1; give 2 or more, or None as the paper did.")
        return self.folds

    def _start(self, task: "_Task") -> WordRepRBM:
        """A model of all documents, whatever their class."""
        everything = self._plan(task.texts, np.arange(len(task.texts)))
        return train_background(
            task.texts, task.vocabulary, settings_of(self, task.seed, everything),
            threads_of(self.n_jobs), teller(self, everything),
        )  # fmt: skip

    def _trained(self, task: "_Task", start: WordRepRBM | None) -> ClassModels:
        """The models of the classes of some documents."""
        texts, label = task.texts, task.label
        plans = [self._plan(texts, np.flatnonzero(label == c)) for c in np.unique(label)]
        models = train_class_models(
            texts, label, task.vocabulary, [settings_of(self, task.seed, one) for one in plans],
            start=start, threads=threads_of(self.n_jobs),
            tell=teller(self, self._plan(texts, np.arange(len(texts)))),
        )  # fmt: skip
        found = centred(models, texts, label)
        if not self.apart:
            return found
        if self.verbose:
            print("[FreeEnergyClassifier] telling classes apart", flush=True)
        return told_apart(found, texts, label, Apart(passes=int(self.apart)), lambda windows: None)

    def _plan(self, texts: Texts, chosen: Int64[np.ndarray, " M"]) -> Plan:
        return plan(self, len(texts.windows(chosen, int(self.window))))

    def _unseen(
        self, task: "_Task", start: WordRepRBM | None, models: ClassModels, view: View
    ) -> tuple[Float64[np.ndarray, "N C"], Float[np.ndarray, "N F"]]:
        """Energies and features by models that have not seen a document, unless so asked."""
        if self.folds is None:
            return _scored(models, view, task.texts)
        energies = np.zeros((len(task.label), len(models.models)))
        features = np.zeros((len(task.label), view.size(models)))
        full = np.flatnonzero(np.diff(task.texts.ends, prepend=0))  # empty ones teach nothing
        cut = StratifiedKFold(int(self.folds), shuffle=True, random_state=task.seed)
        for others, here in cut.split(full, task.label[full]):
            trained = self._trained(task.chosen(full[others]), start)
            asked = task.texts.chosen(full[here])
            energies[full[here]], features[full[here]] = _scored(trained, view, asked)
        return energies, features

    def _texts(self, found: Read, models: ClassModels) -> Texts:
        return texts_of(found, models.models[0].vocabulary, models.n)

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)

    def __sklearn_tags__(self) -> Any:
        return text_tags(super().__sklearn_tags__())


def _scored(
    models: ClassModels, view: View, texts: Texts
) -> tuple[Float64[np.ndarray, "N C"], Float[np.ndarray, "N F"]]:
    """Energies, and what the layer sees; where that is the energies, they are computed once."""
    energies = models.energies(texts)
    return energies, compared(energies) if view is WHOLE else view.of_texts(models, texts)


class _Task(NamedTuple):
    """Documents with their classes."""

    texts: Texts
    label: Int64[np.ndarray, " N"]
    vocabulary: Vocabulary
    seed: int

    def chosen(self, number: Int64[np.ndarray, " M"]) -> "_Task":
        return self._replace(texts=self.texts.chosen(number), label=self.label[number])
