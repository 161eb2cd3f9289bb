"""`python -m experiments chunking` at reduced size."""

import json
import subprocess
import sys

import pytest
from experiments.__main__ import app
from typer.testing import CliRunner

from tests.tagging.sentences import write_model, write_task
from wordrbm.errors import WordRBMError


def run(*arguments):
    return CliRunner().invoke(app, ["chunking", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def task(tmp_path):
    return write_task(tmp_path / "task")


def test_words_and_vectors(task, tmp_path):
    vectors = tmp_path / "mine.txt"
    vectors.write_text("3 2\nthe 0.5 1\ncat 1 2\nsees -1 0\n")
    common = ("--data", task, "--out", tmp_path / "out", "--vectors", vectors, "--penalties", "1",
              "--features", "words,vectors", "--quiet")  # fmt: skip
    done = run(*common, "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert [row["model"] for row in record["rows"]] == ["words", "mine.txt vectors"]
    assert 0 < record["coverage"]["mine.txt vectors"] < 1
    assert (tmp_path / "out" / "table.md").exists()
    again = run(*common)
    assert again.stdout.startswith("model")
    assert "tagger: " in again.stdout


def test_finetuned_rows_and_their_ensemble(task, tmp_path):
    one, other = (write_model(tmp_path / name, seed) for seed, name in enumerate(("one", "other")))
    common = ("--data", task, "--out", tmp_path / "out", "--penalties", "0.1", "--json", "--quiet")
    models = ("--model", one, "--model", other)
    done = run(*common, *models, "--features", "fine-tuned,ensemble", "--iobes", "--jobs", 2)
    rows = json.loads(done.stdout)["rows"]
    names = ["one vectors + fine-tuned", "other vectors + fine-tuned", "ensemble of one, other"]
    assert [row["model"] for row in rows] == names
    assert [row["test"]["f1"] for row in rows] == [1.0] * 3
    usual = run(*common, "--model", one, "--spelling")
    expected = ["words", "one vectors", "one vectors + hidden", names[0]]
    assert [row["model"] for row in json.loads(usual.stdout)["rows"]] == expected
    with pytest.raises(WordRBMError, match="has none of them"):
        run(*common, *models, "--features", "fine-tuned", "--crfsuite")


def test_dev_only_prints_every_grid_point_and_tests_nothing(task, tmp_path):
    common = ("--data", task, "--out", tmp_path / "out", "--features", "words", "--dev-only")
    grid = json.loads(run(*common, "--penalties", "0.1,1", "--json", "--quiet").stdout)["grid"]
    assert [point["c2"] for point in grid] == [0.1, 1.0]
    assert sum(point["chosen"] for point in grid) == 1
    text = run(*common, "--penalties", "0.1,1", "--quiet").stdout.splitlines()
    assert sum(line.endswith("*") for line in text) == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["results"]
    with pytest.raises(WordRBMError, match="give one"):
        run(*common, "--crfsuite")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--penalties", "0"), "from 1e-09 to 1,000,000"),
        (("--scales", "a"), "from 1e-09 to 1,000,000"),
        (("--features", "wrods"), "some of"),
        (("--features", "vectors"), "No --model"),
    ],
)
def test_bad_options_are_refused(task, tmp_path, arguments, message):
    with pytest.raises(WordRBMError, match=message):
        run("--data", task, "--out", tmp_path / "out", "--features", "words", *arguments)
    assert not (tmp_path / "out").exists()


def test_a_task_without_a_test_file_is_refused(task, tmp_path):
    (task / "test.txt").unlink()
    with pytest.raises(WordRBMError, match=r"holds no test\.txt"):
        run("--data", task, "--out", tmp_path / "out", "--features", "words")


def test_as_a_program(tmp_path):
    command = [sys.executable, "-m", "experiments", "chunking"]
    shown = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    assert "python -m experiments chunking" in shown.stdout.split("Example:")[1]
    wrong = [*command, "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    done = subprocess.run(wrong, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "holds no train.txt" in done.stderr
