"""The grid: chosen on dev, tested once, cached, the same bits for any number of workers."""

import shutil

import numpy as np
import pytest
from experiments.chunking import grid
from experiments.chunking.grid import DEV, TEST, score_on_dev, select_and_test
from experiments.chunking.report import best_row, row_records

from tests.experiments.chunking.small import experiment, never, run, show
from wordrbm.errors import Stopped, WordRBMError
from wordrbm.tagging.features import AttributeIndex
from wordrbm.tagging.model_selection import GridPoint, best_on_dev
from wordrbm.tagging.tagger_file import load_tagger


def names_of(out):
    return [path.name for path in (out / "results").iterdir()]


def test_a_task_that_can_be_learnt_is_learnt(rows):
    assert [row.name for row in rows] == ["words", "my vectors"]
    assert all(row.test.evaluation.overall.f1 == 1.0 for row in rows)
    assert best_row(rows).name == "words"  # of equal ones the first


def test_the_bits_do_not_depend_on_the_number_of_workers(splits, rows, tmp_path):
    for row, parallel in zip(rows, run(splits, tmp_path, workers=3), strict=True):
        assert row.best.point == parallel.best.point
        crfs = load_tagger(row.folder).crf, load_tagger(parallel.folder).crf
        for a, b in zip(*(crf.arrays() for crf in crfs), strict=True):
            np.testing.assert_array_equal(a, b)


def test_results_on_disk_are_not_computed_again(splits, out, rows, monkeypatch):
    monkeypatch.setattr(grid, "fit_and_evaluate", lambda *arguments: pytest.fail("again"))
    assert row_records(run(splits, out), {}) == row_records(rows, {})


def test_only_the_points_chosen_on_dev_are_tested(out, rows):
    names = names_of(out)
    assert sum(f"-{TEST}-" in name for name in names) == 2
    assert sum(f"-{DEV}-" in name for name in names) == 6


def test_scoring_on_dev_tests_nothing(splits, rows, tmp_path):
    results = score_on_dev(experiment(splits, tmp_path), show, never)
    assert [best_on_dev(dev).point for dev in results.values()] == [row.best.point for row in rows]
    names = names_of(tmp_path)
    assert len(names) == 6
    assert not any(f"-{TEST}-" in name for name in names)
    assert not (tmp_path / "taggers").exists()


def test_the_tested_tagger_is_fitted_to_train_and_dev(splits, rows):
    index = AttributeIndex.build(sentence.columns[:-1] for sentence in splits.train_and_dev)
    assert set(index.row) == set(load_tagger(rows[1].folder).attributes.row)


def test_a_run_that_was_stopped_continues(splits, tmp_path):
    calls = []

    def stop():
        calls.append(1)
        return len(calls) > 60

    with pytest.raises(Stopped):
        select_and_test(experiment(splits, tmp_path), show, stop)
    assert len(run(splits, tmp_path)) == 2


def test_results_of_other_sentences_are_not_used(splits, tmp_path):
    run(splits, tmp_path, penalties=(1.0,))
    before = set(names_of(tmp_path))
    run(splits._replace(test=splits.dev), tmp_path, penalties=(1.0,))
    assert len(set(names_of(tmp_path)) - before) == len(before)


@pytest.mark.parametrize(
    "change", [{"types": []}, {"overall": {"gold": "1"}}, {"accuracy": None}], ids=str
)
def test_a_damaged_result_is_refused(splits, out, rows, change):
    changed, point = experiment(splits, out), GridPoint(0.0, 0.0, 1.0)
    key = changed.key("words", point, DEV)
    record = changed.cache.load(key)
    changed.cache.save(key, record | change)
    with pytest.raises(WordRBMError, match="damaged"):
        changed.result("words", point, DEV)
    changed.cache.save(key, record)


def test_a_tagger_that_was_removed_is_fitted_again(splits, tmp_path):
    rows = run(splits, tmp_path, penalties=(1.0,))
    shutil.rmtree(rows[0].folder)
    again = run(splits, tmp_path, penalties=(1.0,))
    assert load_tagger(again[0].folder).labels == load_tagger(rows[1].folder).labels
