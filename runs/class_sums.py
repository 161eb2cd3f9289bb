"""Two generative scores of reviews with one threshold on their sum: docs/decisions.md, 36.

    PYTHONPATH=. python runs/class_sums.py DATA OUT [--seed 1] [--test]

DATA holds the Large Movie Review data as `runs/sentiment.sh` expects it. The scores are middle
words given the others of their window, each word once (`experiments/sentiment/cloze.py`), and free
energies of smaller class models without punctuation and the 50 most frequent words. Scales and
threshold are those of fold 0, under models of the other films; with --test, models of all training
reviews classify the test reviews. About ten minutes on one core; models are kept in OUT.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from class_scores import Fold, drop_words, frequent_words, train_or_load
from experiments.sentiment.cloze import cloze_scores
from experiments.sentiment.config import ModelConfig
from experiments.sentiment.data import Dataset, ReadOptions, read_data
from sklearn.linear_model import LogisticRegression

from wordrbm.classification.calibration import contrast
from wordrbm.classification.class_models import ClassModels, center_energies
from wordrbm.classification.documents import DocumentIds
from wordrbm.shapes import Array
from wordrbm.threads import one_blas_thread

FREQUENT = 50  # words that the smaller models do without
WINDOWS, SHORT = 3_000_000, 1_000_000  # for pre-training and for each class


class Pair(NamedTuple):
    """Class models, and the reviews that they score."""

    models: ClassModels
    scored: DocumentIds


def make_pair(
    data: Dataset, config: ModelConfig, frequent: int, fold: int | None, out: Path, seed: int
) -> Pair:
    """Models without a fold, which they score; models of all training reviews score the test."""
    train, test = data.train.tokenized, data.test.tokenized
    if frequent:
        words = frequent_words(train, frequent)
        train, test = drop_words(train, words), drop_words(test, words)
    vocabulary = train.vocabulary(len(train.words), config.min_count)
    documents = train.encode(vocabulary).pad(config.window)
    folder = out / f"{config.name}-f{frequent}-fold{fold}-seed{seed}"
    split = Fold(data, documents, data.fitted(fold), data.scored(fold))
    trained = train_or_load(split, vocabulary, config, folder, seed)
    fitted, label = documents.select(split.fitted), data.train.label[split.fitted]
    if fold is None:
        scored = test.encode(vocabulary).pad(config.window)
    else:
        scored = documents.select(split.held_out)
    return Pair(center_energies(trained, fitted, label), scored)


def two_scores(data: Dataset, fold: int | None, out: Path, seed: int) -> Array:
    """The cloze score of each review, and its energies without frequent words."""
    large = ModelConfig(hidden=100, min_count=50, pretrain_windows=WINDOWS, windows=WINDOWS)
    small = ModelConfig(hidden=50, min_count=50, pretrain_windows=SHORT, windows=SHORT)
    models, scored = make_pair(data, large, 0, fold, out, seed)
    cloze = contrast(cloze_scores(models, scored, lambda: None))
    models, scored = make_pair(data, small, FREQUENT, fold, out, seed)
    return np.hstack([cloze, contrast(models.energies(scored))])


def main() -> None:
    """Fit scales and thresholds on fold 0, and print its accuracy; the test's if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", action="store_true")
    args = parser.parse_args()
    data = read_data(args.data, ReadOptions(groups="train_urls_{}.txt.gz"), unlabelled=False)
    with one_blas_thread():
        validation = two_scores(data, 0, args.out, args.seed)
        test = two_scores(data, None, args.out, args.seed) if args.test else None
    label, scale = data.train.label[data.scored(0)], validation.std(axis=0)
    for name, columns in {"cloze": [0], "energies": [1], "sum": [0, 1]}.items():
        x = (validation / scale)[:, columns].sum(axis=1, keepdims=True)
        threshold = LogisticRegression(C=1e6).fit(x, label)
        print(f"{name}: fold 0 {threshold.score(x, label):.4f}", flush=True)
        if test is not None:
            x = (test / scale)[:, columns].sum(axis=1, keepdims=True)
            print(f"{name}: test {threshold.score(x, data.test.label):.4f}", flush=True)


if __name__ == "__main__":
    main()
