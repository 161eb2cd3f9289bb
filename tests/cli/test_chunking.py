"""`wordrbm chunking` and `wordrbm tag`, as a user runs them."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.tasks.tagging.sentences import write_task
from wordrbm.artifacts import TrainedModel, save
from wordrbm.cli.app import app
from wordrbm.cli.tag import tag
from wordrbm.errors import WordRBMError
from wordrbm.models.wordrep import init_wordrep
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.settings import TrainingSettings


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


@pytest.mark.parametrize(
    ("features", "told"), [("hidden", "need a --model"), ("together", "found 0; give two --model")]
)
def test_hidden_units_need_a_model(task, tmp_path, features, told):
    (tmp_path / "v.txt").write_text("the 1 2\ncat 3 4\n")
    given = ("--features", features, "--vectors", tmp_path / "v.txt")
    with pytest.raises(WordRBMError, match=told):
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
    monkeypatch.setattr("wordrbm.text.reader.sys.stdin", None)
    with pytest.raises(WordRBMError, match="Standard input is closed"):
        tag(Path(json.loads(found.stdout)["tagger"]), None)


def write_model(folder, seed):
    """A model of the words of the made-up task; it has learnt nothing."""
    rng = np.random.default_rng(seed)
    words = Vocabulary.build([(word, 1) for word in ("the", "new", "cat", "dog", "sees", ".")], 1)
    rbm = init_wordrep(rng, n=3, H=5, d=4, word_probability=words.probability())
    save(folder, TrainedModel(rbm, words, TrainingSettings(window=3, hidden=5, dimension=4)))
    return folder


def test_units_that_learn_alone_and_together(task, tmp_path):
    one, other = (write_model(tmp_path / name, seed) for seed, name in enumerate(("one", "other")))
    out, models = tmp_path / "out", ("--model", one, "--model", other)
    common = ("--data", task, "--out", out, *models, "--penalties", "0.1", "--json", "--quiet")
    found = run("chunking", *common, "--features", "tuned,together", "--jobs", 2)
    rows = json.loads(found.stdout)["rows"]
    names = ["one vectors + tuned", "other vectors + tuned", "one and other together"]
    assert [row["model"] for row in rows] == names
    assert [row["test"]["f1"] for row in rows] == [1.0] * 3
    for row in rows:
        tagged = run("tag", row["tagger"], task / "test.txt", "--labelled")
        assert "F1 100.00" in tagged.stderr
    with pytest.raises(WordRBMError, match="another seed"):
        run("chunking", *common, "--features", "tuned", "--seed", 1)
    alone = run("chunking", *common[:6], *common[8:])
    usual = ["words", "one vectors", "one vectors + hidden", names[0]]
    assert [row["model"] for row in json.loads(alone.stdout)["rows"]] == usual
    with pytest.raises(WordRBMError, match="has none of them"):
        run("chunking", *common, "--features", "tuned", "--confirm")
