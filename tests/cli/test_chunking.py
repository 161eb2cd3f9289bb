"""`wordrbm chunking` and `wordrbm tag`, as a user runs them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.tasks.tagging.sentences import write_task
from wordrbm.cli.app import app
from wordrbm.cli.tag import tag
from wordrbm.errors import WordRBMError


def run(*given):
    return CliRunner().invoke(app, [str(x) for x in given], catch_exceptions=False)


@pytest.fixture
def task(tmp_path):
    return write_task(tmp_path / "task")


def test_from_columns_to_tags(task, tmp_path):
    vectors = tmp_path / "mine.txt"
    vectors.write_text("3 2\nthe 0.5 1\ncat 1 2\nsees -1 0\n")
    common = ("--data", task, "--out", tmp_path / "out", "--vectors", vectors, "--penalties", "1")
    found = run("chunking", *common, "--features", "words,vectors", "--json", "--quiet")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert [row["model"] for row in told["rows"]] == ["words", "mine.txt vectors"]
    assert 0 < told["coverage"]["mine.txt vectors"] < 1
    assert (tmp_path / "out" / "table.md").exists()
    again = run("chunking", *common, "--features", "words,vectors", "--quiet")
    assert again.stdout.startswith("model")
    assert "tagger: " in again.stdout
    tagged = run("tag", told["tagger"], task / "test.txt", "--labelled")
    assert tagged.exit_code == 0
    assert "F1 100.00" in tagged.stderr
    plain = tmp_path / "new.txt"
    plain.write_text("the DT\nowl NN\n")
    one = run("tag", told["tagger"], plain, "--json")
    assert json.loads(one.stdout) == {"words": ["the", "owl"], "labels": ["B-NP", "I-NP"]}
    assert run("tag", told["tagger"], plain).stdout == "the DT B-NP\nowl NN I-NP\n\n"
    piped = CliRunner().invoke(app, ["tag", told["tagger"], "-"], input="the DT\nowl NN\n")
    assert piped.stdout == "the DT B-NP\nowl NN I-NP\n\n"
    *_, last = run("tag", told["tagger"], task / "test.txt", "--labelled", "--json").stdout.split(
        "\n"
    )[:-1]
    assert json.loads(last)["f1"] == 1.0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--penalties", "0"), "from 1e-09 to 1,000,000"),
        (("--scales", "a"), "from 1e-09 to 1,000,000"),
        (("--features", "wrods"), "some of"),
        (("--features", "vectors"), "No --model"),
    ],
)
def test_bad_options_are_told(task, tmp_path, given, told):
    with pytest.raises(WordRBMError, match=told):
        run("chunking", "--data", task, "--out", tmp_path / "out", "--features", "words", *given)
    assert not (tmp_path / "out").exists()


def test_validation_alone_prints_every_cell_and_tests_nothing(task, tmp_path):
    common = ("--data", task, "--out", tmp_path / "out", "--features", "words", "--validate-only")
    found = run("chunking", *common, "--penalties", "0.1,1", "--json", "--quiet")
    cells = json.loads(found.stdout)["cells"]
    assert [cell["c2"] for cell in cells] == [0.1, 1.0]
    assert sum(cell["chosen"] for cell in cells) == 1
    text = run("chunking", *common, "--penalties", "0.1,1", "--quiet").stdout.splitlines()
    assert sum(line.endswith("*") for line in text) == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["cells"]
    with pytest.raises(WordRBMError, match="give one of the two"):
        run("chunking", *common, "--confirm")


def test_hidden_units_need_a_model(task, tmp_path):
    (tmp_path / "v.txt").write_text("the 1 2\ncat 3 4\n")
    given = ("--features", "hidden", "--vectors", tmp_path / "v.txt")
    with pytest.raises(WordRBMError, match="need a --model"):
        run("chunking", "--data", task, "--out", tmp_path / "out", *given)


def test_two_of_one_name_are_told(task, tmp_path):
    given = ("--vectors", tmp_path / "v.txt", "--vectors", tmp_path / "w" / "v.txt")
    with pytest.raises(WordRBMError, match="same name"):
        run("chunking", "--data", task, "--out", tmp_path / "out", *given)


def test_columns_that_the_tagger_does_not_know_are_told(task, tmp_path):
    common = ("--data", task, "--out", tmp_path / "out", "--features", "words")
    found = run("chunking", *common, "--penalties", "1", "--json", "--quiet")
    plain = tmp_path / "new.txt"
    plain.write_text("the\nowl\n")
    with pytest.raises(WordRBMError, match="line 1 has 1 columns where 2"):
        run("tag", json.loads(found.stdout)["tagger"], plain)


def test_a_closed_standard_input_is_told(task, tmp_path, monkeypatch):
    common = ("--data", task, "--out", tmp_path / "out", "--features", "words")
    found = run("chunking", *common, "--penalties", "1", "--json", "--quiet")
    monkeypatch.setattr("wordrbm.using.lines.sys.stdin", None)
    with pytest.raises(WordRBMError, match="Standard input is closed"):
        tag(Path(json.loads(found.stdout)["tagger"]), None)


def test_one_model_cannot_decide_together(task, tmp_path):
    (tmp_path / "v.txt").write_text("the 1 2\ncat 3 4\n")
    given = ("--features", "together", "--vectors", tmp_path / "v.txt")
    with pytest.raises(WordRBMError, match="several together two"):
        run("chunking", "--data", task, "--out", tmp_path / "out", *given)
