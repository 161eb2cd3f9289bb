"""What is trained: configurations of class models, their jobs, and the keys of results."""

from typing import Any, NamedTuple

from experiments.cache import ResultKey
from experiments.sentiment.data import FOLDS, Dataset
from experiments.sentiment.features import POOLINGS, TANH_WIDTH, TOP_FRACTION
from wordrbm.classification.classifier import class_model_settings
from wordrbm.classification.finetune import ClassFinetuning
from wordrbm.training import TrainingSettings

GENERATIVE, FINETUNED = "generative", "fine-tuned"  # stages of class models


class ModelConfig(NamedTuple):
    """Sizes of the class models, and how long they are pre-trained, trained and fine-tuned."""

    window: int = 5
    hidden: int = 250
    dimension: int = 50
    min_count: int = 2
    pretrain_windows: int = 3_000_000
    windows: int = 3_000_000  # for each class
    pretrain_unlabelled: bool = False  # pre-train on the unlabelled documents
    finetune_epochs: int = 0
    finetune_members: int = 4  # fine-tunings that are averaged
    without_frequent: int = 0  # most frequent words that documents lack, and punctuation

    def pretrain_settings(self, seed: int) -> TrainingSettings:
        """The settings of the initial model of all classes."""
        return class_model_settings(self._sizes, self.pretrain_windows, seed)

    def class_settings(self, seed: int) -> TrainingSettings:
        """The settings of the model of a class."""
        pretrained = self.pretrain_windows > 0
        return class_model_settings(self._sizes, self.windows, seed, pretrained=pretrained)

    @property
    def finetune_settings(self) -> ClassFinetuning:
        """The settings of fine-tuning."""
        return ClassFinetuning(epochs=self.finetune_epochs, members=self.finetune_members)

    @property
    def _sizes(self) -> dict[str, int]:
        return {"window": self.window, "hidden": self.hidden, "dimension": self.dimension}

    @property
    def stages(self) -> list[str]:
        """The stages in which class models are saved."""
        return [GENERATIVE, FINETUNED] if self.finetune_epochs else [GENERATIVE]

    @property
    def name(self) -> str:
        """Sizes and source, for file names."""
        source = "-unlabelled" if self.pretrain_unlabelled else ""
        source += f"-content{self.without_frequent}" if self.without_frequent else ""
        return f"n{self.window}-h{self.hidden}-d{self.dimension}-min{self.min_count}{source}"


class FoldJob(NamedTuple):
    """Class models of all training documents, or of those outside a fold."""

    config: ModelConfig
    seed: int
    fold: int | None

    @property
    def name(self) -> str:
        """For progress and file names."""
        fitted = "all" if self.fold is None else f"without{self.fold}"
        return f"{self.config.name}-seed{self.seed}-{fitted}"

    def key(self, data: Dataset, stage: str = "energies", **more: Any) -> ResultKey:
        """The key of what is computed from the job's models in a stage."""
        config = self.config
        finetune = config.finetune_settings.model_dump() if config.finetune_epochs else None
        return ResultKey.of(
            f"{self.name}-{stage}", fold=self.fold, **_pretrain_inputs(config, self.seed, data),
            training=config.class_settings(self.seed).model_dump(), finetune=finetune,
            pooling=[*POOLINGS, TANH_WIDTH, TOP_FRACTION], **more,
        )  # fmt: skip

    def expected_windows(self, data: Dataset) -> float:
        """About how many windows training and fine-tuning read."""
        fraction = len(data.fitted(self.fold)) / len(data.fold)
        epochs = self.config.finetune_epochs * self.config.finetune_members
        words = len(data.train.tokenized.documents.ids) * fraction
        return len(data.classes) * (self.config.windows + epochs * words)


def fold_jobs(config: ModelConfig, seed: int) -> list[FoldJob]:
    """The jobs of a configuration and a seed: all documents first, then without each fold."""
    return [FoldJob(config, seed, fold) for fold in (None, *range(FOLDS))]


def _pretrain_inputs(config: ModelConfig, seed: int, data: Dataset) -> dict[str, Any]:
    windows = config.pretrain_windows
    settings = config.pretrain_settings(seed).model_dump() if windows else None
    content = {"without_frequent": config.without_frequent} if config.without_frequent else {}
    return content | {
        "data": data.digest,
        "unlabelled": data.unlabelled_digest if config.pretrain_unlabelled else "",
        "min_count": config.min_count,
        "pretraining": settings,
    }


def pretrain_key(config: ModelConfig, seed: int, data: Dataset) -> ResultKey:
    """The key of the initial model of a configuration and a seed."""
    inputs = _pretrain_inputs(config, seed, data)
    return ResultKey.of(f"{config.name}-seed{seed}-pretrained", **inputs)
