"""How far classes are told apart on a fold of films: the table of docs/decisions.md, 21.

    python runs/apart.py DATA [--passes 5] [--words-out 0.4] [--units-out 0.5] [--unlabelled]

DATA holds the Large Movie Review data as `runs/sentiment.sh` wants it. A third of the films is held
out, class models learn from the others, and are then told apart; about six minutes on one core.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.classification.class_models import (
    ClassModels,
    center_energies,
    pretrain,
    train_class_models,
)
from wordrbm.classification.documents import DocumentIds
from wordrbm.classification.finetune import FinetuneSettings, finetune
from wordrbm.inference.precision import one_blas_thread
from wordrbm.shapes import Array
from wordrbm.tasks.sentiment.data import Reading, read_data
from wordrbm.tasks.sentiment.starts import vocabulary_for
from wordrbm.tasks.sentiment.variant import Variant


def share_right(models: ClassModels, texts: DocumentIds, label: Array) -> float:
    """Of documents whose class has the lowest energy."""
    return float(np.mean(models.energies(texts).argmin(axis=1) == label))


def main() -> None:
    """Train on two folds, and say how many of the third are right before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--passes", type=int, default=FinetuneSettings().epochs)
    parser.add_argument("--rate", type=float, default=FinetuneSettings().rate)
    parser.add_argument("--words-out", type=float, default=FinetuneSettings().word_dropout)
    parser.add_argument("--units-out", type=float, default=FinetuneSettings().unit_dropout)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=50)
    parser.add_argument("--background", type=int, default=3_000_000)
    parser.add_argument("--unlabelled", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    how = Reading(groups="train_urls_{}.txt.gz")
    data = read_data(asked.data, unlabelled=asked.unlabelled, how=how)
    variant = Variant(
        hidden=asked.hidden, min_count=asked.min_count, background=asked.background,
        unlabelled=asked.unlabelled,
    )  # fmt: skip
    vocabulary = vocabulary_for(variant, data)
    texts = data.train.read.encode(vocabulary).pad(variant.window)
    label = data.train.label
    part = data.train if data.unlabelled is None else data.unlabelled
    seen, held = np.flatnonzero(data.fold != 0), np.flatnonzero(data.fold == 0)
    own, others = (texts.select(seen), label[seen]), (texts.select(held), label[held])
    with one_blas_thread():
        read = part.read.encode(vocabulary).pad(variant.window)
        settings = variant.start_settings(asked.seed)
        start = pretrain(read, vocabulary, settings, 1, lambda progress: None)
        each = [variant.settings(asked.seed)] * len(data.classes)
        trained = train_class_models(*own, vocabulary, each, init=start)
        models = center_energies(trained, *own)
        print(f"before: {share_right(models, *others):.4f}", flush=True)
        settings = FinetuneSettings(
            asked.passes, asked.rate, FinetuneSettings().batch, asked.words_out, asked.units_out
        )
        told = finetune(models, *own, settings)
        print(f"told apart: {share_right(told, *others):.4f}")


if __name__ == "__main__":
    main()
