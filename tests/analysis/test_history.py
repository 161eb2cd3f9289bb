import json

import pytest

from wordrbm.analysis.history import read_run
from wordrbm.errors import WordRBMError


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_scores_and_times_of_a_step_are_one_record(tmp_path):
    scores = [{"step": step, "windows": 4 * step, "acceptance": 0.5} for step in (10, 20)]
    write(tmp_path / "metrics.jsonl", *scores)
    write(tmp_path / "times.jsonl", {"step": 20, "windows_per_second": 7.0}, {"step": 30})
    run = read_run(tmp_path, "mine")
    assert run.name == "mine"
    assert run.records == [scores[0], scores[1] | {"windows_per_second": 7.0}]
    assert run.curve("acceptance") == ([40e-6, 80e-6], [0.5, 0.5])
    assert run.curve("windows_per_second") == ([80e-6], [7.0])


def test_a_step_scored_twice_counts_as_it_was_scored_last(tmp_path):
    pairs = [(30, 1.0), (10, 2.0), (30, 3.0)]
    write(tmp_path / "metrics.jsonl", *({"step": step, "acceptance": x} for step, x in pairs))
    found = [(record["step"], record["acceptance"]) for record in read_run(tmp_path, "").records]
    assert found == [(10, 2.0), (30, 3.0)]


@pytest.mark.parametrize("value", ["1", None, True, [1], float("nan"), float("inf"), 10**400])
def test_what_is_no_number_is_none(tmp_path, value):
    write(tmp_path / "metrics.jsonl", {"step": 1, "windows": 2, "acceptance": value})
    run = read_run(tmp_path, "")
    assert run.records == [{"step": 1, "windows": 2, "acceptance": None}]
    assert run.curve("acceptance") == ([], [])


def test_a_folder_without_metrics_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(WordRBMError, match="holds no metrics"):
            read_run(folder, "")
