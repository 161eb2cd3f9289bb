"""`python -m experiments sentiment` at reduced size."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.experiments.sentiment.small import SMALL, run_sentiment
from tests.reviews import write_reviews
from wordrbm.storage import folder_lock


def test_one_experiment_at_a_time(reviews, tmp_path, capfd):
    with folder_lock(tmp_path, "an experiment"):
        assert run_sentiment("--data", reviews, "--out", tmp_path, *SMALL, "--quiet") == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_results_beside_the_classes_are_no_class(tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0) / "train"
    for _ in range(2):
        options = ["--data", folder, "--out", folder / "out", *SMALL, "--quiet"]
        assert run_sentiment(*options) == 0


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("training", signal.SIGTERM),
        ("fitting", signal.SIGINT),
        pytest.param("training", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("fitting", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_signal_stops_it_and_results_stay(reviews, tmp_path, place, number):
    """In another process, stopped as soon as it shows that it trains, or that it fits."""
    more = ["--windows", "60000000"] if place == "training" else []
    options = ["--data", reviews, "--out", tmp_path / "out", *SMALL, *more]
    command = [sys.executable, "-m", "experiments", "sentiment", *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith(place):
                break
        start = time.monotonic()
        process.send_signal(number)
        message = process.stderr.read()
    assert process.returncode == 128 + number
    assert "the same command continues" in message
    assert "Traceback" not in message
    assert time.monotonic() - start < 20
    assert not (tmp_path / "out" / "table.md").exists()
    results = list((tmp_path / "out" / "results").glob("*.json"))
    assert len(results) == (8 if place == "fitting" else 0)  # energies and cloze scores


def test_a_folder_for_each_class_is_enough(tmp_path, capfd):
    folder = write_reviews(tmp_path / "mine", test=0, unlabelled=0) / "train"
    (folder / "weather").mkdir()
    for number in range(20):
        (folder / "weather" / f"{number}.txt").write_text("the sun shines . the rain falls . " * 2)
    assert run_sentiment("--data", folder, "--out", tmp_path / "out", *SMALL) == 0
    shown = capfd.readouterr().out
    assert "WRRBM 3-grams + bnc" in shown
    assert "WRRBM 3-grams, per-unit" in shown


def rows_of(capfd, reviews, out, *options):
    assert run_sentiment("--data", reviews, "--out", out, *SMALL, *options, "--json") == 0
    return [row["model"] for row in json.loads(capfd.readouterr().out)["rows"]]


def test_several_windows_and_vocabularies(reviews, tmp_path, capfd):
    names = rows_of(capfd, reviews, tmp_path / "out", "--window", "2,3", "--min-count", "1,4")
    for n in (2, 3):
        for count in (1, 4):
            assert f"WRRBM {n}-grams, min count {count}, threshold" in names
    assert len(list((tmp_path / "out" / "results").glob("*.json"))) == 4 * 4 * 2


def test_class_models_without_pretraining_have_no_units_in_common(reviews, tmp_path, capfd):
    names = rows_of(capfd, reviews, tmp_path / "out", "--pretrain-windows", "0")
    assert "WRRBM 3-grams, threshold" in names
    assert not [name for name in names if "per-unit" in name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "one"], "--seeds is 'one'"),
        (["--window", "5,"], "--window is '5,'"),
        (["--window", "0"], "window"),
        (["--hidden", "0"], "hidden"),
        (["--windows", "0"], "--windows"),
        (["--jobs", "0"], "--jobs"),
        (["--seeds", "1,9999999999999999999"], "seed"),
        (["--encoding-errors", "ignore"], "--encoding-errors"),
        (["--data", "no/such/folder"], "is no folder"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(reviews, tmp_path, capfd, options, message):
    assert run_sentiment("--data", reviews, "--out", tmp_path / "out", *SMALL, *options) == 2
    shown = capfd.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "out").exists()
