"""A text classifier that asks which class would have written this, with an honest probability.

One word model for each class (`class_models.py`); a document's features are its mean free energies
under each, and a logistic layer over them is the threshold of the paper [Dahl 2012, section 6.3].
A model flatters the documents it was trained on, so the layer learns from energies that come
from models that have not seen them: the documents are cut into folds, and the energies of each
fold are those of models of the others. It is a transformer too: `fit_transform` gives these
energies, `transform` those of the models of all documents.
"""

from typing import Any, Self

import numpy as np
from jaxtyping import Float64, Int64
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from wordrbm.estimators.class_models import (
    ClassModels,
    Schedule,
    Texts,
    centred,
    texts_of,
    train_class_models,
)
from wordrbm.estimators.documents import Read, chosen, read, text_tags, vocabulary_of
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


class FreeEnergyClassifier(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Classify documents by their free energies under a word model of each class.

    `folds` is None to fit the last layer on the energies of the models' own documents, as the
    paper did. `background` trains a common start on all documents. Learnt: `classes_`, `models_`,
    `layer_`, `energies_`. See docs/estimators.md.
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        window: int = 3,
        folds: int | None = 3,
        background: bool = True,
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
        C, found, folds = positive("C", self.C), read(X), self._folds()
        classes, label = classes_of(y, found.ends, 1 if folds is None else folds)
        seed = seed_of(self.random_state)
        models = self._trained(found, label, seed)
        self.energies_ = self._unseen(found, label, seed, models)
        self.layer_ = Layer.fit(self.energies_, label, C)
        self.classes_, self.models_ = classes, models
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
        energies = self.transform(X)
        return np.asarray(self.layer_.probabilities(energies))

    def decision_function(self, X: Any) -> Float64[np.ndarray, "N ..."]:
        """The logit of each class; for two classes that of the second."""
        energies = self.transform(X)
        scores = self.layer_.scores(energies)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The likeliest class of each document."""
        energies = self.transform(X)
        return np.asarray(self.classes_[self.layer_.scores(energies).argmax(axis=1)])

    def _folds(self) -> int | None:
        """How many folds, checked with what else is no setting of a run."""
        if not isinstance(self.background, bool | np.bool_):
            raise Refused(f"The parameter background is {self.background!r}; give True or False.")
        if self.folds is not None and whole_number("folds", self.folds) < 2:
            raise Refused("The parameter folds is 1; give 2 or more, or None as the paper did.")
        return self.folds

    def _trained(self, found: Read, label: Int64[np.ndarray, " N"], seed: int) -> ClassModels:
        """The models of some documents, which alone say what words there are."""
        size = whole_number("vocabulary_size", self.vocabulary_size)
        vocabulary = vocabulary_of(found, size, whole_number("min_count", self.min_count))
        texts = texts_of(found, vocabulary, int(self.window))
        everything = self._plan(texts, np.arange(len(texts)))
        plans = [self._plan(texts, np.flatnonzero(label == c)) for c in np.unique(label)]
        background = settings_of(self, seed, everything) if self.background else None
        models = train_class_models(
            texts, label, vocabulary,
            Schedule(background, [settings_of(self, seed, one) for one in plans]),
            threads=threads_of(self.n_jobs), tell=teller(self, everything),
        )  # fmt: skip
        return centred(models, texts, label)

    def _plan(self, texts: Texts, chosen: Int64[np.ndarray, " M"]) -> Plan:
        return plan(self, len(texts.windows(chosen, int(self.window))))

    def _unseen(
        self, found: Read, label: Int64[np.ndarray, " N"], seed: int, models: ClassModels
    ) -> Float64[np.ndarray, "N C"]:
        """The energies of each document by models that have not seen it, unless so asked."""
        if self.folds is None:
            return models.energies(self._texts(found, models))
        energies = np.zeros((len(label), len(models.models)))
        full = np.flatnonzero(np.diff(found.ends, prepend=0))  # empty documents teach nothing
        cut = StratifiedKFold(int(self.folds), shuffle=True, random_state=seed)
        for others, here in cut.split(full, label[full]):
            seen, asked = full[others], full[here]
            trained = self._trained(chosen(found, seen), label[seen], seed)
            energies[asked] = trained.energies(self._texts(chosen(found, asked), trained))
        return energies

    def _texts(self, found: Read, models: ClassModels) -> Texts:
        return texts_of(found, models.models[0].vocabulary, models.n)

    @property
    def _n_features_out(self) -> int:
        return len(self.classes_)

    def __sklearn_tags__(self) -> Any:
        return text_tags(super().__sklearn_tags__())
