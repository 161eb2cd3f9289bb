"""Class models before and after fine-tuning, on a fold of films: docs/decisions.md, 21 and 45.

    PYTHONPATH=. python runs/finetune_classifier.py DATA [--fold 0] [--epochs 5] [--rate 0.03]
        [--members 4] [--word-dropout 0.4] [--unit-dropout 0.5] [--pretrain-unlabelled]

DATA holds the Large Movie Review data as `runs/sentiment.sh` expects it. A third of the films is
held out; about four minutes on one core.
"""

import argparse
from pathlib import Path

import numpy as np
from experiments.sentiment.config import ModelConfig
from experiments.sentiment.data import ReadOptions, read_data
from experiments.sentiment.models import build_vocabulary

from wordrbm.classification.class_models import (
    ClassModels,
    center_energies,
    pretrain,
    train_class_models,
)
from wordrbm.classification.documents import DocumentIds
from wordrbm.classification.finetune import ClassFinetuning, finetune_classes
from wordrbm.inference.precision import one_blas_thread
from wordrbm.shapes import Array


def accuracy(models: ClassModels, documents: DocumentIds, label: Array) -> float:
    """The fraction of documents whose class has the lowest energy."""
    return float(np.mean(models.energies(documents).argmin(axis=1) == label))


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--epochs", type=int, default=ClassFinetuning().epochs)
    parser.add_argument("--members", type=int, default=ClassFinetuning().members)
    parser.add_argument("--rate", type=float, default=ClassFinetuning().rate)
    parser.add_argument("--word-dropout", type=float, default=ClassFinetuning().word_dropout)
    parser.add_argument("--unit-dropout", type=float, default=ClassFinetuning().unit_dropout)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=50)
    parser.add_argument("--pretrain-windows", type=int, default=3_000_000)
    parser.add_argument("--pretrain-unlabelled", action="store_true")
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train on two folds, and print the accuracy on the third before and after fine-tuning."""
    args = options()
    groups = ReadOptions(groups="train_urls_{}.txt.gz")
    data = read_data(args.data, groups, unlabelled=args.pretrain_unlabelled)
    config = ModelConfig(
        hidden=args.hidden, min_count=args.min_count, pretrain_windows=args.pretrain_windows,
        pretrain_unlabelled=args.pretrain_unlabelled,
    )  # fmt: skip
    vocabulary, label = build_vocabulary(config, data), data.train.label
    documents = data.train.encode(vocabulary, config.window)
    source = data.train if data.unlabelled is None else data.unlabelled
    fitted, held_out = data.fitted(args.fold), data.scored(args.fold)
    train = documents.select(fitted), label[fitted]
    test = documents.select(held_out), label[held_out]
    with one_blas_thread():
        unlabelled, settings = (
            source.encode(vocabulary, config.window),
            config.pretrain_settings(args.seed),
        )
        initial = pretrain(unlabelled, vocabulary, settings, 1, lambda progress: None)
        each = [config.class_settings(args.seed)] * len(data.classes)
        trained = train_class_models(*train, vocabulary, each, init=initial)
        models = center_energies(trained, *train)
        print(f"generative: {accuracy(models, *test):.4f}", flush=True)
        how = ClassFinetuning(
            epochs=args.epochs, members=args.members, rate=args.rate,
            word_dropout=args.word_dropout, unit_dropout=args.unit_dropout,
        )  # fmt: skip
        finetuned = finetune_classes(models, *train, how, lambda windows: None)
        print(f"fine-tuned: {accuracy(finetuned, *test):.4f}")


if __name__ == "__main__":
    main()
