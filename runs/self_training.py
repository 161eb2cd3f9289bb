"""What pseudo-labels of unlabelled documents give, on a fold of films: docs/decisions.md, 22.

    PYTHONPATH=. python runs/self_training.py DATA OUT

DATA holds the Large Movie Review data as `runs/sentiment.sh` expects it; results stay in OUT.
A third of the films is held out, NB-SVM and class models of the others pseudo-label the unlabelled
reviews, and both are fitted again. Nothing is tested. About fifteen minutes on one core.
"""

import sys
from pathlib import Path

import numpy as np
from experiments.cache import ResultCache
from experiments.sentiment.config import FINETUNED, FoldJob, ModelConfig
from experiments.sentiment.data import ReadOptions, read_data
from experiments.sentiment.features import MEAN, TrainTest, ngram_features
from experiments.sentiment.run import SentimentExperiment, train_models, train_students
from experiments.sentiment.self_training import (
    PSEUDO_LABELS,
    TEACHER_C,
    self_training_key,
    student_ngram_decisions,
)
from experiments.sentiment.stacking import fit_and_decide, logistic_head, nb_svm
from sklearn.model_selection import cross_val_score

from wordrbm.classification.calibration import contrast
from wordrbm.shapes import Array

FOLD = 0
CV = 10  # folds of the held-out documents, for a logistic regression over several features


def main() -> None:
    """Train teachers and students, and print their accuracies on the fold."""
    folder, out = map(Path, sys.argv[1:])
    options = ReadOptions(groups="train_urls_{}.txt.gz", out=out)
    data = read_data(folder, options, unlabelled=True)
    config = ModelConfig(hidden=100, min_count=50, finetune_epochs=5)
    experiment = SentimentExperiment(
        {"": config}, [1], data, ResultCache(out), 1, self_training=True
    )
    job = FoldJob(config, 1, FOLD)
    train_models(experiment, [job], show, lambda: False)
    ngrams, label = ngram_features(data, unlabelled=True), data.train.label
    train_students(experiment, [job], ngrams, show, lambda: False)
    teacher = experiment.cache.require(job.key(data))
    student = experiment.cache.require(self_training_key(job, data))
    fitted, held_out = data.fitted(FOLD), data.scored(FOLD)
    split = TrainTest(ngrams.ngrams.train[fitted], ngrams.ngrams.train[held_out])
    features = {
        "NB-SVM": fit_and_decide(nb_svm, TEACHER_C, split, label[fitted]),
        "class models": contrast(teacher[f"train.{FINETUNED}"]),
        "NB-SVM, self-training": student_ngram_decisions(
            FOLD, student[PSEUDO_LABELS], data, ngrams
        ),
        "class models, self-training": contrast(student[f"train.{MEAN}"]),
    }
    names = list(features)
    for combined in [*([name] for name in names), names[:2], names[2:], names]:
        score = accuracy([features[name] for name in combined], label[held_out])
        print(f"{' + '.join(combined)}: {100 * score:.2f}")


def accuracy(features: list[Array], label: Array) -> float:
    """The cross-validated accuracy of a logistic regression over some features."""
    return float(cross_val_score(logistic_head(1.0), np.hstack(features), label, cv=CV).mean())


def show(fraction: float, name: str) -> None:
    """Print the progress."""
    print(f"\r{100 * fraction:3.0f}% {name}", end="\n" if fraction == 1.0 else "", file=sys.stderr)


if __name__ == "__main__":
    main()
