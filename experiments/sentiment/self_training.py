"""Self-training: pseudo-labels of unlabelled documents, class models and NB-SVM fitted on them too.

The teachers, fine-tuned class models and NB-SVM, give every unlabelled document a pseudo-label; the
least certain tenth, empty documents and copies of labelled or test documents have none (a film may
be there under two titles). The students are the generative class models, fine-tuned on labelled and
pseudo-labelled documents together, and NB-SVM of the same documents [Scudder 1965; Lee 2013]. Every
fold has pseudo-labels of its own, made without its labels.

References
    H. Scudder. Probability of error of some adaptive pattern-recognition machines. IEEE
    Transactions on Information Theory 11, 1965.
    D.-H. Lee. Pseudo-label. ICML workshop on challenges in representation learning, 2013.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int32
from scipy import sparse

from experiments.cache import Record, ResultCache, ResultKey
from experiments.sentiment.config import FINETUNED, GENERATIVE, FoldJob, ModelConfig, fold_jobs
from experiments.sentiment.data import Dataset, concat_ids, restore_order
from experiments.sentiment.features import MEAN, NgramFeatures, TrainTest
from experiments.sentiment.models import (
    JobContext,
    build_vocabulary,
    load_class_models,
    out_of_fold,
)
from experiments.sentiment.stacking import Decisions, fit_and_decide, nb_svm
from wordrbm.classification.calibration import contrast
from wordrbm.classification.documents import Labels
from wordrbm.classification.finetune import ClassFinetuning, finetune_classes

# Chosen on one fold of films (docs/decisions.md, 22).
ABSTAIN_FRACTION = 0.1  # of unlabelled documents, which get no pseudo-label
STUDENT = ClassFinetuning(epochs=2, members=1)  # on labelled and pseudo-labelled documents
TEACHER_C, STUDENT_C = 10.0, 1.0  # of NB-SVM
MIN_SPREAD = 1e-9
NO_LABEL = -1
PSEUDO_LABELS = "pseudo-labels"

PseudoLabels = Int32[np.ndarray, " U"]  # a class, or -1
Scores = Float64[np.ndarray, "U C"]  # higher for classes that fit better


class TeacherScores(NamedTuple):
    """Which unlabelled documents may get a pseudo-label, and NB-SVM's scores of them by fold."""

    eligible: Bool[np.ndarray, " U"]
    ngrams: Mapping[int | None, Scores]


class StudentFeatures(NamedTuple):
    """Features of documents from students that have not seen their labels."""

    energies: TrainTest
    ngrams: TrainTest


def self_training_key(job: FoldJob, data: Dataset) -> ResultKey:
    """The key of a job's pseudo-labels, and of the energies under its students."""
    return job.key(
        data, "self-training", documents=data.unlabelled_digest, student=STUDENT.model_dump(),
        teacher=[ABSTAIN_FRACTION, TEACHER_C],
    )  # fmt: skip


def eligible(data: Dataset) -> Bool[np.ndarray, " U"]:
    """Whether an unlabelled document has words and is no copy of a labelled or test document."""
    assert data.unlabelled is not None
    known = {tuple(x) for split in (data.train, data.test) for x in split.tokenized.tokens()}
    known.add(())
    unlabelled = data.unlabelled.tokenized.tokens()
    return np.array([tuple(tokens) not in known for tokens in unlabelled], bool)


def ngram_scores(features: NgramFeatures, label: Labels, fitted: Labels) -> Scores:
    """NB-SVM's scores of unlabelled documents, fitted on some of the labelled ones."""
    split = TrainTest(features.ngrams.train[fitted], features.unlabelled)
    decisions = fit_and_decide(nb_svm, TEACHER_C, split, label[fitted])
    return np.hstack([-decisions, decisions]) if decisions.shape[1] == 1 else decisions


def pseudo_labels(scores: Sequence[Scores], allowed: Bool[np.ndarray, " U"]) -> PseudoLabels:
    """The class with the highest sum of standardised scores; -1 for the least certain documents."""
    total = np.sum([_standardise(score) for score in scores], axis=0)
    second, first = np.sort(total, axis=1)[:, -2:].T
    margin = np.where(allowed, first - second, -1.0)
    least = np.quantile(margin[allowed], ABSTAIN_FRACTION) if allowed.any() else 0.0
    return np.where(margin >= least, np.argmax(total, axis=1), NO_LABEL).astype(np.int32)


def _standardise(score: Scores) -> Scores:
    """Scores minus their mean over classes, with unit spread over documents; 0 if there is none."""
    deviation = score - score.mean(axis=1, keepdims=True)
    spread = float((deviation - deviation.mean(axis=0)).std())
    return deviation / spread if spread > MIN_SPREAD else np.zeros_like(deviation)


def append_pseudo_labels(label: Labels, pseudo: PseudoLabels) -> Labels:
    """The classes of labelled documents, then of those with a pseudo-label."""
    return np.append(label, pseudo[pseudo != NO_LABEL])


def self_train(job: FoldJob, context: JobContext, teachers: TeacherScores) -> Record:
    """Pseudo-label documents, fine-tune the job's models on them too, and score documents."""
    data, config, check_stop = context.data, job.config, context.progress.check_stop
    assert data.unlabelled is not None
    words, fitted = build_vocabulary(config, data), data.fitted(job.fold)
    splits = data.train, data.test, data.unlabelled
    train, test, unlabelled = (split.encode(words, config.window) for split in splits)
    teacher = load_class_models(job, FINETUNED, data, context.cache)
    scores = [teachers.ngrams[job.fold], -teacher.energies(unlabelled, check_stop)]
    pseudo = pseudo_labels(scores, teachers.eligible)
    labelled = np.flatnonzero(pseudo != NO_LABEL)
    documents = concat_ids(train.select(fitted), unlabelled.select(labelled))
    label = append_pseudo_labels(data.train.label[fitted], pseudo)
    student = finetune_classes(
        load_class_models(job, GENERATIVE, data, context.cache), documents, label,
        STUDENT, context.on_windows(f"{job.name}, self-training"),
    )  # fmt: skip
    energies = student.energies(train.select(data.scored(job.fold)), check_stop)
    record = {PSEUDO_LABELS: pseudo, f"train.{MEAN}": energies}
    if job.fold is None:
        record[f"test.{MEAN}"] = student.energies(test, check_stop)
    return record


def expected_windows(job: FoldJob, data: Dataset) -> float:
    """About how many windows the students of a job read."""
    assert data.unlabelled is not None
    fraction = len(data.fitted(job.fold)) / len(data.fold)
    labelled = len(data.train.tokenized.documents.ids) * fraction
    pseudo_labelled = len(data.unlabelled.tokenized.documents.ids) * (1.0 - ABSTAIN_FRACTION)
    return len(data.classes) * STUDENT.epochs * (labelled + pseudo_labelled)


def student_features(
    config: ModelConfig, seed: int, data: Dataset, ngrams: NgramFeatures, cache: ResultCache
) -> StudentFeatures:
    """Load the students' energies; fit NB-SVM on the same pseudo-labels."""
    jobs = fold_jobs(config, seed)
    records = [cache.require(self_training_key(job, data)) for job in jobs]
    pairs = zip(jobs, records, strict=True)
    test, *folds = [
        student_ngram_decisions(job.fold, record[PSEUDO_LABELS], data, ngrams)
        for job, record in pairs
    ]
    energies = TrainTest(*map(contrast, out_of_fold(MEAN, records, data)))
    return StudentFeatures(energies, TrainTest(restore_order(folds, data.fold), test))


def student_ngram_decisions(
    fold: int | None, pseudo: PseudoLabels, data: Dataset, features: NgramFeatures
) -> Decisions:
    """NB-SVM of labelled and pseudo-labelled documents: on those of a fold, or of the test set."""
    fitted, ngrams = data.fitted(fold), features.ngrams
    more: Any = features.unlabelled[pseudo != NO_LABEL]
    x = sparse.vstack([ngrams.train[fitted], more], format="csr")
    scored = ngrams.test if fold is None else ngrams.train[data.scored(fold)]
    label = append_pseudo_labels(data.train.label[fitted], pseudo)
    return fit_and_decide(nb_svm, STUDENT_C, TrainTest(x, scored), label)
