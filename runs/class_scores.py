"""Generative class models of reviews, scored in several ways: docs/decisions.md, 36.

    PYTHONPATH=. python runs/class_scores.py DATA OUT [--hidden 100] [--windows 3000000]
        [--without-frequent 50] [--no-pretraining] [--scores text,cloze,units,likelihood]

DATA holds the Large Movie Review data as `runs/sentiment.sh` expects it. A third of the films is
held out. Models are kept in OUT, and not trained again. About six minutes on one core.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from experiments.sentiment.cloze import cloze_scores
from experiments.sentiment.config import ModelConfig
from experiments.sentiment.content_words import without_frequent
from experiments.sentiment.data import Dataset, ReadOptions, read_data
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wordrbm.classification.calibration import contrast
from wordrbm.classification.class_models import (
    ClassModels,
    mean_free_energies,
    pretrain,
    train_class_models,
    unit_energies,
)
from wordrbm.classification.classifier_file import load_models, save_models
from wordrbm.classification.documents import DocumentIds, Labels
from wordrbm.inference.text_model import TextModel
from wordrbm.io.model_folder import MODEL
from wordrbm.likelihood.annealing import AnnealingSettings
from wordrbm.likelihood.estimate import estimate_likelihood
from wordrbm.likelihood.heaviest import log_masses
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Array
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import TrainedModel

HELD_OUT_WINDOWS = 2_000  # of each class, for the joint likelihood
ANNEALING = AnnealingSettings(temperatures=1000, particles=64)


class Fold(NamedTuple):
    """Training reviews as ids, and which of them models are trained on or scored by."""

    data: Dataset
    documents: DocumentIds
    fitted: Labels
    held_out: Labels

    @property
    def label(self) -> Labels:
        """The classes of the held-out reviews."""
        return self.data.train.label[self.held_out]


def train_or_load(
    fold: Fold, vocabulary: Any, config: ModelConfig, folder: Path, seed: int
) -> tuple[TrainedModel, ...]:
    """Class models of the fitted reviews."""
    if not (folder / "class-1" / MODEL).exists():
        init = None
        if config.pretrain_windows:
            settings = config.pretrain_settings(seed)
            init = pretrain(fold.documents, vocabulary, settings, 1, lambda progress: None)
        label = fold.data.train.label[fold.fitted]
        fitted, each = fold.documents.select(fold.fitted), [config.class_settings(seed)] * 2
        save_models(folder, train_class_models(fitted, label, vocabulary, each, init=init))
    return load_models(folder, 2)


def threshold_accuracy(fold: Fold, features: Array, model: Any = None) -> float:
    """Accuracy of a classifier of features, fitted on other films of the held-out reviews."""
    assert fold.data.inner_fold is not None
    split = PredefinedSplit(fold.data.inner_fold[fold.held_out])
    model = model or make_pipeline(StandardScaler(), LogisticRegression(C=1000.0))
    x = features.reshape(len(fold.label), -1)
    return float(np.mean(cross_val_predict(model, x, fold.label, cv=split) == fold.label))


def text_log_scores(model: TrainedModel, documents: DocumentIds) -> Array:
    """``log P(document)`` up to a constant a word: windows less overlaps (`inference/text_model`).

    The word that an overlap lacks is the mean word, at either end with weight one half.
    """
    rbm, n, mean = model.rbm, model.rbm.positions, len(model.vocabulary)
    vector = TextModel.from_rbm(rbm, model.vocabulary).mean_vector
    D, b = np.vstack([rbm.D, vector]).astype(np.float32), np.append(rbm.b, np.float32(0.0))
    extended = WordRepRBM(D=D, U=rbm.U, b=b, c=rbm.c)
    scores = np.zeros(len(documents))
    for number, ids in enumerate(documents):
        v = np.lib.stride_tricks.sliding_window_view(ids, n)
        first, last = v[:-1].copy(), v[1:].copy()
        first[:, 0], last[:, -1] = mean, mean
        overlaps = extended.free_energy(np.concatenate([first, last])).sum() / 2.0
        scores[number] = overlaps - extended.free_energy(v).sum()
    return scores


def print_scores(fold: Fold, models: tuple[TrainedModel, ...], scores: set[str]) -> None:
    """The accuracy of several ways to score the held-out reviews."""
    held_out = fold.documents.select(fold.held_out)
    count = (held_out.lengths - models[0].rbm.positions + 1)[:, None]

    def show(name: str, features: Array, classifier: Any = None) -> None:
        print(f"{name}: {threshold_accuracy(fold, features, classifier):.4f}", flush=True)

    mean = contrast(mean_free_energies([model.rbm for model in models], held_out))
    show("mean of free energies", mean)
    show("sum", mean * count)
    show("sum, and the length", np.hstack([mean * count, count]))
    if "text" in scores:
        text = contrast(-np.stack([text_log_scores(model, held_out) for model in models], axis=1))
        show("windows less overlaps, sum", text)
        show("windows less overlaps, mean", text / count)
    if "cloze" in scores:
        cloze = cloze_scores(ClassModels(models, np.zeros(2)), held_out, lambda: None)
        show("middle words given the others, each word once", contrast(cloze))
    if "units" in scores:
        terms = [[unit_energies(model.rbm, ids) for model in models] for ids in held_out]
        units = contrast(np.array(terms))
        logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
        show("per unit, linear discriminant", units, LinearDiscriminantAnalysis())
        show("per unit, logistic regression", units, logistic)


def print_likelihood(fold: Fold, models: tuple[TrainedModel, ...]) -> None:
    """The joint log-likelihood of held-out windows of both classes under both models."""
    label, n = fold.data.train.label, models[0].rbm.positions
    windows = [
        fold.documents.windows(n, fold.held_out[fold.label == c]).evenly_spaced(HELD_OUT_WINDOWS)
        for c in range(2)
    ]
    for c, model in enumerate(models):
        train = fold.documents.windows(n, fold.fitted[label[fold.fitted] == c])
        q = model.vocabulary.probability()
        found = estimate_likelihood(model.rbm, q, train, windows[c], ANNEALING,
                                    text_windows=200_000)  # fmt: skip
        other, seen = (
            log_masses(model.rbm, v).mean() - found.log_Z
            for v in (windows[1 - c], train.evenly_spaced(HELD_OUT_WINDOWS))
        )
        print(
            f"{fold.data.classes[c]}: own class {found.held_out.mean:.2f}, other class "
            f"{other:.2f}, training {seen:.2f}, word frequencies {found.unigram.mean:.2f}; log Z "
            f"{found.log_Z:.2f}, reverse less forward "
            f"{found.reverse.mean - found.forward.log_Z:.2f}; ten heaviest "
            f"{found.heaviest.share_of_ten:.3f}", flush=True,
        )  # fmt: skip


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--min-count", type=int, default=50)
    parser.add_argument("--windows", type=int, default=3_000_000, help="of each class")
    parser.add_argument("--no-pretraining", action="store_true")
    parser.add_argument("--without-frequent", type=int, default=0, help="this many words")
    parser.add_argument("--scores", default="text,cloze,units,likelihood")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train class models without fold 0, and print how well its reviews are classified."""
    args = options()
    data = read_data(args.data, ReadOptions(groups="train_urls_{}.txt.gz"), unlabelled=False)
    config = ModelConfig(
        window=args.window, hidden=args.hidden, min_count=args.min_count, windows=args.windows,
        pretrain_windows=0 if args.no_pretraining else args.windows,
    )  # fmt: skip
    tokenized = without_frequent(data, args.without_frequent).train.tokenized
    vocabulary = tokenized.vocabulary(len(tokenized.words), config.min_count)
    documents = tokenized.encode(vocabulary).pad(config.window)
    fold = Fold(data, documents, data.fitted(0), data.scored(0))
    name = f"{config.name}-w{args.windows}-f{args.without_frequent}-{args.no_pretraining}"
    with one_blas_thread():
        folder = args.out / f"{name}-seed{args.seed}"
        models = train_or_load(fold, vocabulary, config, folder, args.seed)
        scores = set(args.scores.split(","))
        print_scores(fold, models, scores)
        if "likelihood" in scores:
            print_likelihood(fold, models)


if __name__ == "__main__":
    main()
