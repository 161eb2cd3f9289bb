"""The command `wordrbm mixing`, from a corpus and a model to its plots."""

import csv
import json

import pytest

from wordrbm.analysis.mixing import OPERATORS

pytest.importorskip("matplotlib")


@pytest.fixture
def mixing(run_command, trained_folders):
    def call(*arguments, model=trained_folders[0]):
        return run_command("wordrbm", "mixing", model, trained_folders[1], *arguments)

    return call


def test_plots_numbers_and_a_summary(mixing, tmp_path):
    out = tmp_path / "study"
    code, shown, _ = mixing("--out", out, "--operator", "clusters", "--cases", 2)
    assert code == 0
    expected = {"clusters.png", "clusters.svg", "mixing.json", "mixing.csv"}
    assert {path.name for path in out.iterdir()} == expected
    assert shown.startswith("clusters: total variation from P(v | h)")
    assert "after 100 steps" in shown
    assert "after 1 step " in shown
    assert "slowest: word" in shown
    stored = json.loads((out / "mixing.json").read_text())
    assert stored["summary"]["operator"] == "clusters"
    assert len(stored["positions"]) == 2 * 3
    assert len(list(csv.reader((out / "mixing.csv").open()))) == 1 + 6 * 30
    assert out.joinpath("clusters.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_gives_the_same_curves(mixing, tmp_path):
    for name in ("one", "two"):
        assert mixing("--out", tmp_path / name, "--seed", 3, "--quiet")[0] == 0
    one, two = ((tmp_path / name / "mixing.csv").read_bytes() for name in ("one", "two"))
    assert one == two


def test_json(mixing, tmp_path):
    code, shown, _ = mixing("--out", tmp_path / "study", "--steps", "1,5", "--json", "--quiet")
    assert code == 0
    summary = json.loads(shown)
    assert summary["operator"] == "unigram"
    assert list(summary["distance"]) == ["1", "5"]
    assert summary["cases"] == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--steps", "1,x"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "-1"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", ""], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "1000000000"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "0,5"], "where whole numbers from 1 to 999,999,999"),
        (["--cases", "1001"], "--cases"),
        (["--operator", "swap"], "unigram, power, uniform, paper, clusters, fine"),
        (["--cases", "0"], "--cases"),
    ],
)
def test_a_fault_is_one_sentence(mixing, tmp_path, arguments, sentence):
    code, _, message = mixing("--out", tmp_path / "study", *arguments)
    assert code == 2
    assert sentence in message
    assert len(message.splitlines()) == 1
    assert not (tmp_path / "study").exists()


def test_the_help_names_the_operators_that_are_accepted(run_command):
    shown = " ".join(run_command("wordrbm", "mixing", "--help")[1].split())
    names = shown.split("Proposals: ")[1].split(".")[0].replace(" or ", ", ").split(", ")
    assert names == list(OPERATORS)


def test_a_model_that_is_not_there(mixing, tmp_path):
    code, _, message = mixing("--out", tmp_path / "study", model=tmp_path / "none")
    assert code == 2
    assert len(message.splitlines()) == 1


def test_a_window_of_ones_own(mixing, tmp_path):
    out = tmp_path / "study"
    assert mixing("--out", out, "--window", "the king sees", "--quiet")[0] == 0
    positions = json.loads((out / "mixing.json").read_text())["positions"]
    assert [row["window"] for row in positions] == [["the", "king", "sees"]] * 3
    code, _, said = mixing("--out", out, "--window", "the king")
    assert code == 2
    assert "a window of this model has 3, so give 3 words" in said
