"""CRFsuite as a check: the same scores, cached, without the rows that it cannot fit."""

import pytest
from experiments.chunking import crfsuite, grid
from experiments.chunking.crfsuite import crfsuite_results, fit_crfsuite
from experiments.chunking.grid import Experiment

from tests.experiments.chunking.small import experiment, show
from tests.tagging.sentences import letter_task
from wordrbm.tagging.features import FeatureConfig, FinetuneSettings
from wordrbm.tagging.model_selection import DevResult, Grid, GridPoint


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
