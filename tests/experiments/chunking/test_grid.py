"""The grid: chosen on dev, tested once, cached, the same bits for any number of workers."""

import json
import shutil

import numpy as np
import pytest
from experiments.chunking import crfsuite, grid
from experiments.chunking.crfsuite import crfsuite_results, fit_crfsuite
from experiments.chunking.grid import (
    DEV,
    TEST,
    Experiment,
    score_on_dev,
    select_and_test,
    to_record,
)
from experiments.chunking.report import best_row, final_report, row_records

from tests.tagging.sentences import letter_task, write_task
from wordrbm.artifacts import Vectors
from wordrbm.errors import Stopped, WordRBMError
from wordrbm.tagging.conll import read_splits
from wordrbm.tagging.features import AttributeIndex, FeatureConfig, FinetuneSettings
from wordrbm.tagging.model_selection import DevResult, Grid, GridPoint, best_on_dev
from wordrbm.tagging.tagger_file import load_tagger

WORDS = ("<unk>", "the", "new", "cat", "dog", "bank", "sees", "buys", ".")


def show(fraction, note):
    return None


def never():
    return False


def experiment(splits, out, workers=1, penalties=(0.1, 1.0)):
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    rows = {"words": FeatureConfig(), "my vectors": FeatureConfig(vectors)}
    return Experiment(rows, Grid((0.1, 1.0), (1.0,), penalties), splits, out, workers)


def run(splits, out, **options):
    return select_and_test(experiment(splits, out, **options), show, never)


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    return read_splits(write_task(tmp_path_factory.mktemp("task")))


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("grid")


@pytest.fixture(scope="module")
def rows(splits, out):
    return run(splits, out)


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


def test_crfsuite_gives_the_same_scores_once(splits, out, rows, monkeypatch):
    pytest.importorskip("pycrfsuite")
    scores = crfsuite_results(rows, experiment(splits, out), show)
    assert scores == {row.name: row.test.evaluation for row in rows}
    monkeypatch.setattr(crfsuite, "fit_crfsuite", lambda *arguments: pytest.fail("again"))
    assert crfsuite_results(rows, experiment(splits, out), show) == scores


def test_crfsuite_leaves_no_file(splits, rows, tmp_path):
    pytest.importorskip("pycrfsuite")
    config = experiment(splits, tmp_path).rows["my vectors"]
    folder = tmp_path / "empty"
    folder.mkdir()
    evaluation = fit_crfsuite(rows[1].best.point, config, splits.train_and_dev, splits.test, folder)
    assert evaluation == rows[1].test.evaluation
    assert not list(folder.iterdir())


def test_crfsuite_leaves_out_finetuned_rows(splits, tmp_path):
    config = FeatureConfig(None, letter_task()[0], finetune=FinetuneSettings())
    features = {"single": config, "both": FeatureConfig(ensemble=(config,))}
    finetuned = Experiment(features, Grid(), splits, tmp_path, 1)
    best = DevResult(GridPoint(0.1, 1.0, 0.2), None)
    rows = [grid.TestedRow(name, best, None, tmp_path, 1) for name in features]
    assert crfsuite_results(rows, finetuned, show) == {}


def test_the_report_in_three_forms(splits, out, rows):
    report = final_report(rows, experiment(splits, out), {"words": rows[0].test.evaluation})
    records = report.record["rows"]
    assert records[0]["crfsuite_test"]["f1"] == 1.0
    assert records[1]["crfsuite_test"] is None
    assert set(records[0]["test"]["types"]) == {"NP", "VP"}
    json.dumps(report.record)
    assert report.text.splitlines()[1].startswith("words")
    assert report.markdown.startswith("| model | dev F1 |")


def test_a_repeated_test_is_reported(splits, tmp_path):
    first = run(splits, tmp_path, penalties=(1.0,))
    assert [row.times_tested for row in first] == [1, 1]
    widened = experiment(splits, tmp_path, penalties=(1.0,))
    key = widened.key("words", first[0].best.point._replace(c2=7.0), TEST)
    widened.cache.save(key, to_record("words", TEST, first[0].test))
    (tmp_path / "results" / "words-torn-test-1.json").write_text("{")
    again = select_and_test(widened, show, never)
    assert [row.times_tested for row in again] == [2, 1]
    report = final_report(again, widened, {})
    assert "words: 2 settings were tested." in report.text
    assert "words: 2 settings were tested." in report.markdown
    assert report.record["rows"][0]["times_tested"] == 2
    assert "were tested" not in final_report(first, widened, {}).text
