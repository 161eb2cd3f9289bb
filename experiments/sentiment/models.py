"""Class models of documents, cross-fitted: trained on all documents and without each fold.

A model fits the documents that it was trained on too well, so energies of training documents are
out-of-fold: under the models of the other folds. Those under the models of all documents are
in-sample, as in the paper. Per-unit energies are out-of-fold alone: the models of a fold score its
own documents and the test documents (`stacking.py`).

All models of a configuration and a seed start from one pre-trained model of all training documents
without their labels, or of the unlabelled ones, and share one vocabulary. The models are saved:
self-training continues from them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from experiments.cache import Record, ResultCache
from experiments.sentiment.config import (
    FINETUNED,
    GENERATIVE,
    FoldJob,
    ModelConfig,
    fold_jobs,
    pretrain_key,
)
from experiments.sentiment.content_words import without_frequent
from experiments.sentiment.data import Dataset, concat_tokenized, restore_order
from experiments.sentiment.features import (
    MEAN,
    POOLINGS,
    TrainTest,
    pooled_energies,
    unit_contrasts,
)
from wordrbm.classification.class_models import (
    ClassModels,
    pretrain,
    train_class_models,
    unit_centers,
)
from wordrbm.classification.classifier_file import load_models, save_models
from wordrbm.classification.documents import DocumentIds
from wordrbm.classification.finetune import finetune_classes
from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import MODEL
from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import SharedProgress
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import Progress

UNLIMITED = 10**9  # words in the vocabulary
UNITS, CENTER = "units", "center"


class JobContext(NamedTuple):
    """What jobs share: documents, the cache, and progress that raises when a stop is requested."""

    data: Dataset
    cache: ResultCache
    progress: SharedProgress

    def data_of(self, config: ModelConfig) -> Dataset:
        """The documents as the models of a configuration read them."""
        return without_frequent(self.data, config.without_frequent)

    def on_update(self, name: str) -> Callable[[Progress], None]:
        """A callback of one training after another that reports the windows they have read."""
        before = 0

        def report(progress: Progress) -> None:
            nonlocal before
            new = progress.windows - before if progress.windows > before else progress.windows
            before = progress.windows
            self.progress.report(new, name)

        return report

    def on_windows(self, name: str) -> Callable[[int], None]:
        """A callback of fine-tuning that reports further windows."""
        return lambda windows: self.progress.report(windows, name)


def build_vocabulary(config: ModelConfig, data: Dataset) -> Vocabulary:
    """The words of all training documents, and of the unlabelled ones if they pre-train."""
    tokenized = data.train.tokenized
    if config.pretrain_unlabelled and data.unlabelled is not None:
        tokenized = concat_tokenized(tokenized, data.unlabelled.tokenized)
    vocabulary = tokenized.vocabulary(UNLIMITED, config.min_count)
    if len(vocabulary) < 2:
        raise WordRBMError(f"No word was seen {config.min_count} times; use a smaller --min-count.")
    return vocabulary


def pretrained_model(config: ModelConfig, seed: int, context: JobContext) -> WordRepRBM | None:
    """Load the initial model of a configuration and a seed, or train and save it."""
    if not config.pretrain_windows:
        return None
    data, key = context.data_of(config), pretrain_key(config, seed, context.data)
    folder = context.cache.path(key)
    if not (folder / MODEL).exists():
        source = data.unlabelled if config.pretrain_unlabelled else data.train
        assert source is not None
        vocabulary, settings = build_vocabulary(config, data), config.pretrain_settings(seed)
        documents = source.encode(vocabulary, config.window)
        rbm = pretrain(documents, vocabulary, settings, 1, context.on_update(key.name))
        save(folder, TrainedModel(rbm, vocabulary, settings, key.digest))
    model = load(folder)
    if model.corpus != key.digest:
        raise WordRBMError(
            f"{folder} is of other documents or settings; remove it and run the same command."
        )
    return model.rbm


def is_done(job: FoldJob, data: Dataset, cache: ResultCache) -> bool:
    """Whether the energies and the models of a job are on disk."""
    key = job.key(data)
    folders = [cache.path(key) / stage for stage in job.config.stages]
    classes = range(len(data.classes))
    saved = ((folder / f"class-{c}" / MODEL).exists() for folder in folders for c in classes)
    return cache.load(key) is not None and all(saved)


def train_and_score(job: FoldJob, context: JobContext) -> Record:
    """Train the class models of a job and save them; the energies of documents under them."""
    data, config = context.data_of(job.config), job.config
    vocabulary, fitted = build_vocabulary(config, data), data.fitted(job.fold)
    train, test = (split.encode(vocabulary, config.window) for split in (data.train, data.test))
    documents, label = train.select(fitted), data.train.label[fitted]
    settings = [config.class_settings(job.seed)] * len(data.classes)
    trained = train_class_models(
        documents, label, vocabulary, settings,
        init=pretrained_model(config, job.seed, context), on_update=context.on_update(job.name),
    )  # fmt: skip
    centers = unit_centers(trained, documents, label, context.progress.check_stop)
    models = ClassModels(trained, centers.sum(axis=1))
    splits = {"train": train.select(data.scored(job.fold)), "test": test}
    energies = _save_and_score(job, GENERATIVE, models, splits, context)
    if job.fold is not None and config.pretrain_windows:
        for split, scored in splits.items():
            contrasts = unit_contrasts(models, centers, scored, context.progress.check_stop)
            energies[f"{split}.{UNITS}"] = contrasts
    if config.finetune_epochs:
        on_windows = context.on_windows(job.name)
        models = finetune_classes(models, documents, label, config.finetune_settings, on_windows)
        energies |= _save_and_score(job, FINETUNED, models, splits, context)
    return energies


def _save_and_score(
    job: FoldJob, stage: str, models: ClassModels, splits: Mapping[str, DocumentIds],
    context: JobContext,
) -> Record:  # fmt: skip
    """Save the models of a stage; energies under them, of test documents under those of all."""
    save_models(context.cache.path(job.key(context.data)) / stage, models.models)
    record: Record = {f"{CENTER}.{stage}": models.center}
    for split in splits if job.fold is None else ["train"]:
        documents, check_stop = splits[split], context.progress.check_stop
        if stage == GENERATIVE:
            energies = pooled_energies(models, documents, check_stop)
        else:
            energies = {stage: models.energies(documents, check_stop)}
        record |= {f"{split}.{name}": x for name, x in energies.items()}
    return record


def load_class_models(job: FoldJob, stage: str, data: Dataset, cache: ResultCache) -> ClassModels:
    """Load the class models of a job: generative, or fine-tuned."""
    key = job.key(data)
    models = load_models(cache.path(key) / stage, len(data.classes))
    return ClassModels(models, cache.require(key)[f"{CENTER}.{stage}"])


class Energies(NamedTuple):
    """Energies of all documents by pooling or stage; those of test documents are the same in both.

    Per-unit energies are by fold: of the fold's documents and the test documents under its models.
    """

    out_of_fold: dict[str, TrainTest]
    in_sample: dict[str, TrainTest]
    units: list[TrainTest]  # empty without pre-training


def load_energies(config: ModelConfig, seed: int, data: Dataset, cache: ResultCache) -> Energies:
    """Load the energies of all jobs of a configuration and a seed."""
    whole, *folds = [cache.require(job.key(data)) for job in fold_jobs(config, seed)]
    names = [MEAN, *POOLINGS, *config.stages[1:]]
    units = [TrainTest(x[f"train.{UNITS}"], x[f"test.{UNITS}"]) for x in folds
             if config.pretrain_windows]  # fmt: skip
    return Energies(
        {name: out_of_fold(name, [whole, *folds], data) for name in names},
        {name: TrainTest(whole[f"train.{name}"], whole[f"test.{name}"]) for name in names},
        units,
    )


def out_of_fold(name: str, records: Sequence[Record], data: Dataset) -> TrainTest:
    """A feature of training documents under models of the other folds, of test ones under all.

    The record of all documents comes first, then those of the folds.
    """
    whole, *folds = records
    train = restore_order([record[f"train.{name}"] for record in folds], data.fold)
    return TrainTest(train, whole[f"test.{name}"])
