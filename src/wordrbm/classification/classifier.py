"""Train a document classifier: class models, out-of-fold energies, a logistic head.

Free energies of the documents that a model was trained on are too low. So the head is fitted to
out-of-fold energies: the documents are split into folds, and the energies of each fold come from
class models of the others (cross-fitting). All class models start from one model, pre-trained on
every document without its label.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from pydantic import Field

from wordrbm.classification.calibration import LogisticHead, contrast, require_sklearn
from wordrbm.classification.class_models import (
    ClassModels,
    center_energies,
    pretrain,
    train_class_models,
)
from wordrbm.classification.documents import (
    ClassScores,
    DocumentNumbers,
    LabelledDocuments,
    Labels,
    TokenizedDocuments,
    tokenize_documents,
)
from wordrbm.classification.finetune import ClassFinetuning, finetune_classes
from wordrbm.models import WordRepRBM
from wordrbm.settings import StrictSettings
from wordrbm.training import TrainingSettings, check_settings
from wordrbm.training.settings import SHORT_WINDOW_JUMPS, default_rate

CLASS_RATE = 1 / 6  # of the default rates: class models after pre-training

Report = Callable[[int, str], None]  # windows just processed, which stage; may raise `Stopped`


@final
@dataclass(frozen=True, eq=False)
class Classifier:
    """A fitted classifier: the names of the classes, their models and the logistic head."""

    classes: tuple[str, ...]
    models: ClassModels
    head: LogisticHead

    def probabilities(self, X: Any) -> ClassScores:
        """The probability of each class for documents, each a str or a list of tokens."""
        documents = self.models.encode(tokenize_documents(X, keep_digits=True))
        return self.head.probabilities(contrast(self.models.energies(documents)))

    def accuracy(self, tokenized: TokenizedDocuments, label: Labels) -> float:
        """The fraction of documents whose most probable class is that of their label."""
        energies = self.models.energies(self.models.encode(tokenized))
        return float((self.head.logits(contrast(energies)).argmax(axis=1) == label).mean())


@final
class FitSettings(StrictSettings):
    """How a classifier is trained."""

    window: int = Field(ge=1)  # words
    pretrain: TrainingSettings | None  # of the model that all class models start from
    class_settings: Callable[[int], TrainingSettings]  # by the number of windows of a class
    finetune: ClassFinetuning | None = None
    # None to fit the head to in-sample energies, as the paper did
    folds: int | None = Field(default=3, ge=2)
    fold_seed: int = Field(default=0, ge=0)
    C: float = Field(default=1.0, gt=0, allow_inf_nan=True)  # inverse penalty of the head
    threads: int = Field(default=1, ge=1)

    def expected_windows(self, data: LabelledDocuments) -> float:
        """About how many windows all stages process."""
        folds, labels = self.folds or 0, np.unique(data.label)
        per_fit = len(labels) * self.class_settings(1).windows
        pretraining = self.pretrain.windows if self.pretrain else 0
        epochs = self.finetune.epochs * self.finetune.members if self.finetune else 0
        # Over all documents once, and over all but one of the folds for each fold.
        finetuning = epochs * len(data.documents.ids) * len(labels) * max(folds, 1)
        return float(pretraining + per_fit * (folds + 1) + finetuning)


def class_model_settings(
    sizes: Mapping[str, int], windows: int, seed: int, *, pretrained: bool = False
) -> TrainingSettings:
    """Settings of a class model, or of the model that all class models start from.

    `sizes` are window, hidden and dimension; the rates were chosen on reviews of held-out films
    (docs/decisions.md, 31).
    """
    values = {**sizes, "windows": windows, "seed": seed}
    rate = default_rate(values) * (CLASS_RATE if pretrained else 1.0)
    return check_settings({**values, **SHORT_WINDOW_JUMPS, "word_rate": rate, "hidden_rate": rate})


def fit_settings(
    sizes: Mapping[str, int],
    windows: int,
    *,
    pretrain_windows: int,
    finetune_epochs: int,
    finetune_members: int = 4,
    folds: int,
    seed: int,
    threads: int = 1,
) -> FitSettings:
    """Settings by the number of windows that each class model reads, and that pre-training reads.

    Zero `pretrain_windows` or `finetune_epochs` skip these stages.
    """
    finetune = None
    if finetune_epochs:
        finetune = ClassFinetuning(epochs=finetune_epochs, members=finetune_members)
    pretrained = pretrain_windows > 0
    of_class = class_model_settings(sizes, windows, seed, pretrained=pretrained)
    return FitSettings(
        window=of_class.window,
        pretrain=class_model_settings(sizes, pretrain_windows, seed) if pretrained else None,
        class_settings=lambda count: of_class,
        finetune=finetune,
        folds=folds,
        fold_seed=seed,
        threads=threads,
    )


class ClassifierFit(NamedTuple):
    """Class models of all documents, the head, and the energies that it was fitted to."""

    models: ClassModels
    head: LogisticHead
    energies: ClassScores


def fit_classifier(
    data: LabelledDocuments, settings: FitSettings, report: Report = lambda windows, stage: None
) -> ClassifierFit:
    """Pre-train, train a model for each class, and fit the head to out-of-fold energies."""
    require_sklearn()
    init = None
    if (start := settings.pretrain) is not None:
        init = pretrain(
            data.documents, data.vocabulary, start, settings.threads,
            lambda progress: report(start.batch_size, "pre-training"),
        )  # fmt: skip
    models = _fit_class_models(data, init, settings, report, "all documents")
    if settings.folds is None:
        energies = models.energies(data.documents)
    else:
        energies = _cross_fit(data, init, settings, report)
    head = LogisticHead.fit(contrast(energies), data.label, settings.C)
    return ClassifierFit(models, head, energies)


def cross_validated_accuracy(
    data: LabelledDocuments, energies: ClassScores, settings: FitSettings
) -> float:
    """Accuracy on documents that neither the class models nor the head were fitted to."""
    x, correct = contrast(energies), 0
    for train, test in fold_splits(data, settings):
        head = LogisticHead.fit(x[train], data.label[train], settings.C)
        correct += int(np.sum(head.logits(x[test]).argmax(axis=1) == data.label[test]))
    return correct / len(data.documents.nonempty())


def fold_splits(
    data: LabelledDocuments, settings: FitSettings
) -> Iterator[tuple[DocumentNumbers, DocumentNumbers]]:
    """Numbers of documents to train on and to score, for each fold; empty ones are in none."""
    from sklearn.model_selection import StratifiedKFold

    nonempty = data.documents.nonempty()
    folds = StratifiedKFold(settings.folds, shuffle=True, random_state=settings.fold_seed)
    for train, test in folds.split(nonempty, data.label[nonempty]):
        yield nonempty[train], nonempty[test]


def _cross_fit(
    data: LabelledDocuments, init: WordRepRBM | None, settings: FitSettings, report: Report
) -> ClassScores:
    """Energies of each document from class models that were not trained on it; 0 if empty."""
    energies = np.zeros((len(data.label), int(data.label.max()) + 1))
    for number, (train, test) in enumerate(fold_splits(data, settings), start=1):
        stage = f"fold {number} of {settings.folds}"
        models = _fit_class_models(data.select(train), init, settings, report, stage)
        energies[test] = models.energies(data.documents.select(test))
    return energies


def _fit_class_models(
    data: LabelledDocuments, init: WordRepRBM | None, settings: FitSettings, report: Report,
    stage: str,
) -> ClassModels:  # fmt: skip
    """Class models of some documents, fine-tuned if the settings say so, and centred."""
    documents, label, vocabulary = data
    class_settings = []
    for c in np.unique(label):
        windows = documents.windows(settings.window, np.flatnonzero(label == c))
        class_settings.append(settings.class_settings(len(windows)))
    trained = train_class_models(
        documents, label, vocabulary, class_settings, init=init, threads=settings.threads,
        on_update=lambda progress: report(class_settings[0].batch_size, stage),
    )  # fmt: skip
    models = center_energies(trained, documents, label, lambda: report(0, stage))
    if settings.finetune is None:
        return models
    stage = f"{stage}, fine-tuning"
    return finetune_classes(
        models, documents, label, settings.finetune, lambda windows: report(windows, stage)
    )
