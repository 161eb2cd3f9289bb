"""Pseudo-labels of unlabelled documents, and students that are fitted on them."""

import json

import numpy as np
from experiments.cache import ResultCache
from experiments.sentiment.config import FoldJob, ModelConfig, fold_jobs
from experiments.sentiment.data import DocumentSet, read_data
from experiments.sentiment.features import ngram_features
from experiments.sentiment.run import SentimentExperiment, train_models, train_students
from experiments.sentiment.self_training import (
    PSEUDO_LABELS,
    STUDENT_C,
    eligible,
    ngram_scores,
    pseudo_labels,
    self_training_key,
    student_features,
    student_ngram_decisions,
)
from experiments.sentiment.stacking import nb_svm

from tests.experiments.sentiment.small import SMALL, run_sentiment
from tests.reviews import write_reviews

TINY = ModelConfig(3, 6, 5, 1, pretrain_windows=3000, windows=3000, finetune_epochs=1)


def self_train(data, out, jobs):
    """Class models and students of some jobs alone."""
    experiment = SentimentExperiment(
        {"tiny": TINY}, [1], data, ResultCache(out), 2, self_training=True
    )
    train_models(experiment, jobs, lambda *_: None, lambda: False)
    ngrams = ngram_features(data, unlabelled=True)
    train_students(experiment, jobs, ngrams, lambda *_: None, lambda: False)
    return experiment.cache, ngrams


def test_pseudo_labels_by_a_loop():
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=(60, 3)), 100 * rng.normal(size=(60, 3))]
    allowed = np.arange(60) > 9
    margin, best, standardised = [], [], []
    for score in scores:
        rows = [[x - sum(row) / 3 for x in row] for row in score]
        center = [sum(column) / 60 for column in zip(*rows, strict=True)]
        squares = [(x - m) ** 2 for row in rows for x, m in zip(row, center, strict=True)]
        standardised.append([[x / (sum(squares) / 180) ** 0.5 for x in row] for row in rows])
    for first, second in zip(*standardised, strict=True):
        total = [x + y for x, y in zip(first, second, strict=True)]
        margin.append(sorted(total)[2] - sorted(total)[1])
        best.append(total.index(max(total)))
    abstained = {*range(10), *sorted(range(10, 60), key=margin.__getitem__)[:5]}
    expected = [-1 if u in abstained else best[u] for u in range(60)]
    assert pseudo_labels(scores, allowed).tolist() == expected


def test_constant_scores_have_no_influence():
    rng = np.random.default_rng(2)
    score, allowed = rng.normal(size=(30, 3)), np.ones(30, bool)
    expected = pseudo_labels([score], allowed)
    for constant in (np.zeros((30, 3)), np.tile([0.0, 0.0, 5.0], (30, 1))):
        np.testing.assert_array_equal(pseudo_labels([score, constant], allowed), expected)
    same_for_all_classes = 20 * rng.normal(size=(30, 1))
    np.testing.assert_array_equal(pseudo_labels([score + same_for_all_classes], allowed), expected)


def test_copies_and_empty_documents_get_no_pseudo_label(tmp_path):
    folder = write_reviews(tmp_path, unlabelled=8)
    copied = [sorted((folder / split / "money").iterdir())[0] for split in ("train", "test")]
    for number, text in enumerate([*(path.read_text().upper() for path in copied), " "]):
        (folder / "train" / "unsup" / f"a{number}.txt").write_text(text)
    allowed = eligible(read_data(folder, unlabelled=True))
    assert len(allowed) == 11
    assert [u for u in range(11) if not allowed[u]] == list(range(8, 11))
    scores = np.random.default_rng(3).normal(size=(11, 2))
    assert (pseudo_labels([scores], allowed)[8:] == -1).all()
    assert (pseudo_labels([np.ones((11, 2))], np.zeros(11, bool)) == -1).all()


def test_the_ngram_teacher_is_fitted_without_the_fold(data):
    ngrams, fitted = ngram_features(data, unlabelled=True), data.fitted(0)
    scores = ngram_scores(ngrams, data.train.label, fitted)
    flipped = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    np.testing.assert_array_equal(scores, ngram_scores(ngrams, flipped, fitted))
    np.testing.assert_array_equal(scores[:, 0], -scores[:, 1])


def test_a_fold_is_pseudo_labelled_for_and_scored_without_its_labels(data, tmp_path):
    flipped = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    job, results = FoldJob(TINY, 1, 0), []
    for name, label in ("a", data.train.label), ("b", flipped):
        relabelled = data._replace(train=DocumentSet(data.train.tokenized, label))
        cache, ngrams = self_train(relabelled, tmp_path / name, [job])
        record = cache.require(self_training_key(job, relabelled))
        decisions = student_ngram_decisions(0, record[PSEUDO_LABELS], relabelled, ngrams)
        results.append([*record.values(), decisions])
    for original, other in zip(*results, strict=True):
        np.testing.assert_array_equal(original, other)


def test_students_are_fitted_on_pseudo_labels(data, tmp_path):
    cache, ngrams = self_train(data, tmp_path, fold_jobs(TINY, 1))
    students = student_features(TINY, 1, data, ngrams, cache)
    assert np.mean((students.energies.test[:, 0] > 0) == data.test.label) > 0.9
    record, fitted = cache.require(self_training_key(FoldJob(TINY, 1, 1), data)), data.fold != 1
    pseudo = record[PSEUDO_LABELS]
    assert np.count_nonzero(pseudo < 0) == 6
    x = np.vstack([ngrams.ngrams.train[fitted].toarray(), ngrams.unlabelled[pseudo >= 0].toarray()])
    machine = nb_svm(STUDENT_C).fit(x, [*data.train.label[fitted], *pseudo[pseudo >= 0]])
    expected = machine.decision_function(ngrams.ngrams.train[~fitted].toarray())
    np.testing.assert_allclose(students.ngrams.train[~fitted, 0], expected, atol=1e-4)


def test_keys_follow_the_unlabelled_documents(data):
    job = FoldJob(TINY, 1, None)
    other = data._replace(unlabelled_digest="other")
    assert self_training_key(job, data) != self_training_key(job, other)
    assert self_training_key(job, data) != job.key(data)


def test_rows_without_self_training_do_not_depend_on_it(done, reviews, tmp_path):
    rows = {row["model"]: row for row in json.loads((done / "table.json").read_text())["rows"]}
    out = tmp_path / "out"
    options = ["--data", reviews, *SMALL, "--seeds", "1,2", "--without-frequent", "2", "--quiet"]
    assert run_sentiment(*options, "--out", out) == 0
    plain = {row["model"]: row for row in json.loads((out / "table.json").read_text())["rows"]}
    assert plain == {name: row for name, row in rows.items() if name in plain}
    assert {name for name in rows if "unlabelled" not in name and "self" not in name} == set(plain)


def test_self_training_without_fine_tuning_is_refused(reviews, tmp_path, capfd):
    options = ["--data", reviews, "--out", tmp_path / "out", *SMALL, "--self-training"]
    assert run_sentiment(*options, "--finetune-epochs", "0") == 2
    message = capfd.readouterr().err
    assert "--finetune-epochs is 0" in message
    assert message.count("\n") == 1
    assert not (tmp_path / "out").exists()
