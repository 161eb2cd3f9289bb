"""`python -m experiments mixing` at reduced size: the table, the curves and the figures."""

import csv
import json

import pytest
from experiments.__main__ import app

pytest.importorskip("matplotlib")


@pytest.fixture
def mixing(run_command, trained_folders):
    def call(*options):
        return run_command("experiments", "mixing", *trained_folders, *options, application=app)

    return call


def test_table_curves_and_figures(mixing, tmp_path):
    out, names = tmp_path / "study", ["unigram", "uniform", "clusters"]
    code, shown, _ = mixing("--out", out, "--operators", ",".join(names), "--cases", 2)
    assert code == 0
    figures = {f"{name}.{suffix}" for name in [*names, "operators"] for suffix in ("png", "svg")}
    files = {"table.md", "table.json", "curves.json", "curves.csv"}
    assert {path.name for path in out.iterdir()} == figures | files
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines] == ["operator", *names]
    assert lines[1].endswith(" 100"), "the first operator sets the time"
    rows = json.loads((out / "table.json").read_text())["operators"]
    assert [row["operator"] for row in rows] == names
    for row in rows:
        assert 0.0 <= row["equal_time"]["mean"] <= row["equal_time"]["worst"] <= 1.0
    assert rows[0]["equal_time"]["mean"] == rows[0]["distance"]["100"]["mean"]
    assert len(json.loads((out / "curves.json").read_text())["uniform"]) == 2 * 3
    assert len(list(csv.reader((out / "curves.csv").open()))) == 1 + 18 * 30


def test_json_of_one_operator(mixing, tmp_path):
    options = ["--out", tmp_path, "--operators", "paper", "--steps", "1,5", "--json", "--quiet"]
    code, shown, _ = mixing(*options)
    assert code == 0
    (row,) = json.loads(shown)["operators"]
    assert list(row["distance"]) == ["1", "5"]
    assert not (tmp_path / "operators.png").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--operators", "unigram,swap"], "no operator 'swap'; the operators are unigram, power"),
        (["--operators", ","], "No operator was given"),
        (["--steps", "0,5"], "where whole numbers from 1 to 999,999,999"),
    ],
)
def test_a_fault_is_one_sentence(mixing, tmp_path, options, sentence):
    code, _, message = mixing("--out", tmp_path / "study", *options)
    assert code == 2
    assert sentence in message
    assert len(message.splitlines()) == 1
    assert not (tmp_path / "study").exists()
