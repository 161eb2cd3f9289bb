"""The whole experiment at reduced size: its rows, and how it continues."""

import json
import shutil

import numpy as np
from experiments.sentiment import models
from experiments.sentiment.command import RESULTS

from tests.experiments.sentiment.small import run_sentiment


def rows_in(out):
    return json.loads((out / "table.json").read_text())["rows"]


def test_the_rows(done):
    rows = {row["model"]: row for row in rows_in(done)}
    assert list(rows)[:4] == ["LDA", "LSA", "bag of words bnc", "NB-SVM trigrams"]
    for name in ("WRRBM 3-grams", "WRRBM 3-grams, pre-trained on unlabelled"):
        for row in (
            ", threshold", ", threshold, in-sample", ", 3 poolings", " + bnc", " + bnc, in-sample",
            " + NB trigrams", ", cloze, threshold", ", cloze + bnc", ", cloze + NB trigrams",
            ", per-unit", ", per-unit + bnc", ", per-unit + NB trigrams",
            ", fine-tuned, threshold", ", fine-tuned + bnc", ", fine-tuned + NB trigrams",
            ", self-training, threshold", ", self-training + NB trigrams",
        ):  # fmt: skip
            assert name + row in rows
        assert f"NB trigrams, self-training with {name}" in rows
        assert f"{name}, fine-tuned, mean of 2 seeds" in rows
    for row in (
        " without frequent words, threshold",
        ", cloze and energies without frequent words",
    ):
        assert f"WRRBM 3-grams{row}" in rows
    assert {"stacked", "stacked, with unlabelled"} < set(rows)
    assert len(rows) == 4 + 2 * 19 + 2 + 2
    for name, row in rows.items():
        assert len(row["seeds"]) == (2 if "WRRBM" in name and "mean of" not in name else 1)
        assert row["test"] == np.mean([seed["test"] for seed in row["seeds"]])
    assert rows["WRRBM 3-grams, threshold"]["test"] > 0.9
    assert len((done / "table.md").read_text().splitlines()) == 2 + len(rows)


def test_lost_results_are_computed_again_and_the_same(done, arguments, tmp_path, monkeypatch):
    out, trained = shutil.copytree(done, tmp_path / "out"), []
    results = out / RESULTS
    contents = {path.name: path.read_bytes() for path in results.glob("*.safetensors")}
    with_content = 2 * 2 * 4 * 3 + 2 * 4  # configurations, seeds, jobs, stages
    assert len(contents) == with_content
    assert len(list(results.glob("*-pretrained-*"))) == 2 * 2 + 2  # shared by all folds
    for stage in ("energies", "cloze", "self-training"):
        lost = next(results.glob(f"*-without1-{stage}*.json"))
        lost.unlink()
        lost.with_suffix(".safetensors").unlink()
    compute = models.train_and_score
    monkeypatch.setattr(
        "experiments.sentiment.run.train_and_score",
        lambda job, context: (trained.append(job.name), compute(job, context))[1],
    )
    assert run_sentiment(*arguments, "--out", out, "--jobs", 1) == 0
    assert len(trained) == 1
    assert {path.name: path.read_bytes() for path in results.glob("*.safetensors")} == contents
    assert rows_in(out) == rows_in(done)
