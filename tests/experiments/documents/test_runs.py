"""The whole experiment on a few made-up posts: it runs, and its results are kept."""

import numpy as np
import pytest
from experiments.cache import ResultCache
from experiments.documents import runs
from experiments.documents.command import chosen_packages
from experiments.documents.counts import Newsgroups
from experiments.documents.lda import LdaSpec
from scipy import sparse

from wordrbm.errors import WordRBMError
from wordrbm.threads import SharedProgress, never_stop, no_progress
from wordrbm.training.document_trainer import DocumentSettings

SETTINGS = DocumentSettings(hidden=3, batch_size=16, chains=16, shards=2, updates=30)


def posts(count, seed):
    rng, group = np.random.default_rng(seed), np.arange(count) % 2
    words = [rng.integers(0, 6, 12) + 6 * g for g in group]
    counts = [np.bincount(x, minlength=12) for x in words]
    return sparse.csr_matrix(np.array(counts, float)), group


def run(folder, particles=4):
    sets = Newsgroups(*posts(60, 0), *posts(20, 1), 1.0)
    splits = runs.Splits.of(sets)
    known = runs.describe(splits, sets.train.sum(), sets.test.sum())
    specs = [LdaSpec("scikit-learn", 3, alpha, 0.1, 3) for alpha in (0.3, 3.0)]
    plan = runs.Study(splits, known, 2, SETTINGS, specs, particles)
    return runs.run_study(plan, ResultCache(folder), SharedProgress(1.0, no_progress, never_stop))


def test_the_table_has_every_seed_and_the_chosen_lda(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(runs, "TOP_WORDS", 3)
    report = run(tmp_path)
    assert list(report.record["rows"]) == ["rbm seed 1", "rbm seed 2", "lda scikit-learn"]
    first = report.record["rows"]["rbm seed 1"]
    assert 1 < first["perplexity"] < 30
    assert "test perplexity per word, annealing" in report.markdown
    monkeypatch.setattr(runs, "train_rbm", int)  # what is on disk is not trained again
    assert run(tmp_path).record == report.record


def test_without_particles_documents_are_completed_alone(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(runs, "TOP_WORDS", 3)
    report = run(tmp_path, 0)
    first = report.record["rows"]["rbm seed 1"]
    assert "perplexity" not in first
    assert 1 < first["completion"] < 30
    assert "annealing" not in report.markdown
    assert "CPU seconds of training" in report.markdown


def test_an_unknown_package_is_refused():
    assert [x.package for x in chosen_packages(["gensim"])] == ["gensim"]
    assert len(chosen_packages(None)) == 3
    with pytest.raises(WordRBMError, match="--package mallet is not one of tomotopy"):
        chosen_packages(["mallet"])
