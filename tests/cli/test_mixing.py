"""The command `wordrbm mixing`, from a corpus and a model to its pictures."""

import csv
import json
import sys

import pytest

from tests.corpora import prepared
from tests.run.test_training_run import finish, run
from wordrbm.cli.app import main

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made_up")
    corpus = prepared(folder)
    finish(run(corpus, folder / "model"))
    return folder / "model", corpus.path


@pytest.fixture
def mixing(monkeypatch, capfd, trained):
    def call(*arguments, model=trained[0]):
        given = [model, trained[1], *arguments]
        monkeypatch.setattr(sys, "argv", ["wordrbm", "mixing", *map(str, given)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capfd.readouterr()

    return call


def test_pictures_numbers_and_a_summary(mixing, tmp_path):
    out = tmp_path / "study"
    code, shown, _ = mixing("--out", out, "--operators", "unigram,uniform,clusters", "--cases", 2)
    assert code == 0
    names = ["clusters", "operators", "uniform", "unigram"]
    expected = {f"{name}.{form}" for name in names for form in ("png", "svg")}
    assert {path.name for path in out.iterdir()} == expected | {"mixing.json", "mixing.csv"}
    for name in ("unigram", "uniform", "clusters"):
        assert any(line.startswith(name) for line in shown.splitlines())
    assert "slowest for unigram" in shown
    found = json.loads((out / "mixing.json").read_text())
    assert len(found["positions"]) == 3 * 2 * 3
    assert len(list(csv.reader((out / "mixing.csv").open()))) == 1 + 18 * 30
    assert out.joinpath("unigram.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_seed_gives_the_same_curves(mixing, tmp_path):
    for name in ("one", "two"):
        assert mixing("--out", tmp_path / name, "--seed", 3, "--quiet")[0] == 0
    one, two = ((tmp_path / name / "mixing.csv").read_bytes() for name in ("one", "two"))
    assert one == two


def test_json(mixing, tmp_path):
    code, shown, _ = mixing("--out", tmp_path / "study", "--steps", "1,5", "--json", "--quiet")
    assert code == 0
    found = json.loads(shown)
    assert [row["operator"] for row in found["operators"]] == ["unigram", "clusters"]
    assert list(found["operators"][0]["distance"]) == ["1", "5"]


def test_what_has_no_closed_form_is_sampled(mixing, tmp_path):
    code, shown, _ = mixing("--out", tmp_path / "study", "--operators", "both", "--chains", 200)
    assert code == 0
    assert "both, 200 chains, after 3 calls" in shown
    found = json.loads((tmp_path / "study" / "mixing.json").read_text())["sampled"]["both"]
    assert [row["calls"] for row in found] == [1, 3, 10]
    assert all(0.0 <= row["mean"] <= row["worst"] <= 1.0 for row in found)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--steps", "1,x"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "-1"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", ""], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "1000000000"], "where whole numbers from 1 to 999,999,999"),
        (["--steps", "0,5"], "where whole numbers from 1 to 999,999,999"),
        (["--cases", "1001"], "--cases"),
        (
            ["--operators", "swap"],
            "unigram, power, uniform, paper, clusters, fine, both",
        ),
        (["--operators", ","], "No operator was asked for"),
        (["--cases", "0"], "--cases"),
    ],
)
def test_a_fault_is_one_sentence(mixing, tmp_path, arguments, sentence):
    code, _, told = mixing("--out", tmp_path / "study", *arguments)
    assert code == 2
    assert sentence in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "study").exists()


def test_a_model_that_is_not_there(mixing, tmp_path):
    code, _, told = mixing("--out", tmp_path / "study", model=tmp_path / "none")
    assert code == 2
    assert len(told.splitlines()) == 1
