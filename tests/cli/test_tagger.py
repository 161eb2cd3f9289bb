"""`wordrbm tagger train` and `wordrbm tagger predict`, as a user runs them."""

import json
import signal
import time

import pytest
from typer.testing import CliRunner

from tests.tagging.sentences import write_model, write_task
from tests.zygote import Process, wordrbm
from wordrbm.cli.app import app
from wordrbm.cli.tagger import predict_labels
from wordrbm.errors import WordRBMError


def run(*arguments):
    return CliRunner().invoke(app, ["tagger", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return write_task(tmp_path_factory.mktemp("task"))


@pytest.fixture(scope="module")
def tagger(task, tmp_path_factory):
    """A tagger of words alone."""
    out = tmp_path_factory.mktemp("taggers") / "tagger"
    done = run("train", "--data", task, "--out", out, "--penalties", "0.1,1", "--quiet")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[2:] == [
        "chosen: c2 0.1", "test F1 100.00, precision 100.00, recall 100.00 of 38 chunks",
        f"tagger: {out}; next: wordrbm tagger predict {out} FILE",
    ]  # fmt: skip
    return out


def test_scores_as_json_and_on_disk(task, tmp_path):
    model, out = write_model(tmp_path / "model", 1), tmp_path / "tagger"
    common = ("train", "--data", task, "--out", out, "--penalties", "0.1,1", "--json", "--quiet")
    record = json.loads(run(*common, "--model", model, "--jobs", 2).stdout)
    assert record["sentences"] == {"train": 54, "dev": 6, "test": 20}
    assert record["chosen"] == {"scale": 0.1, "hidden_scale": 1.0, "c2": 0.1}
    assert record["dev_f1"] == record["test"]["f1"] == 1.0
    assert [point["c2"] for point in record["grid"]] == [0.1, 1.0]
    assert json.loads((out / "selection.json").read_text()) == record
    assert (out / "model" / "model.safetensors").exists()
    ensemble = tmp_path / "ensemble"
    models = ("--model", model, "--model", write_model(tmp_path / "other", 2), "--spelling")
    done = run(*common[:4], ensemble, *common[5:], *models, "--no-finetune", "--iobes")
    assert json.loads(done.stdout)["test"]["f1"] == 1.0
    assert (ensemble / "member2" / "model").exists()
    fixed = run(*common[:4], tmp_path / "fixed", *common[5:], "--model", model, "--vectors-only")
    assert json.loads(fixed.stdout)["chosen"]["hidden_scale"] == 0.0


def test_without_a_test_file_nothing_is_tested(task, tmp_path):
    def train(name, *options):
        common = ("--data", task / "train.txt", "--penalties", "1", "--quiet")
        return run("train", *common, "--out", tmp_path / name, *options).stdout

    assert json.loads(train("a", "--json"))["test"] is None
    assert "test" not in train("b").replace(str(tmp_path), "")
    record = json.loads(train("c", "--test", task / "test.txt", "--json"))
    assert record["test"]["f1"] == 1.0


def test_labels_of_new_sentences(tagger, task, tmp_path):
    labelled = run("predict", tagger, task / "test.txt", "--labelled")
    assert labelled.exit_code == 0
    assert "F1 100.00" in labelled.stderr
    new = tmp_path / "new.txt"
    new.write_text("the DT\nowl NN\n")
    record = json.loads(run("predict", tagger, new, "--json").stdout)
    assert record == {"words": ["the", "owl"], "labels": ["B-NP", "I-NP"]}
    assert run("predict", tagger, new).stdout == "the DT B-NP\nowl NN I-NP\n\n"
    arguments = ["tagger", "predict", str(tagger), "-"]
    piped = CliRunner().invoke(app, arguments, input="the DT\nowl NN\n")
    assert piped.stdout == "the DT B-NP\nowl NN I-NP\n\n"
    lines = run("predict", tagger, task / "test.txt", "--labelled", "--json").stdout.splitlines()
    assert json.loads(lines[-1])["f1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--penalties", "0"), "from 1e-09 to 1,000,000"),
        (("--hidden-scales", "a"), "from 1e-09 to 1,000,000"),
        (("--dev", "none.txt"), "none.txt is not a file"),
        (("--model", "none"), "none"),
    ],
)
def test_bad_options_are_refused(task, tmp_path, arguments, message):
    with pytest.raises(WordRBMError, match=message):
        run("train", "--data", task, "--out", tmp_path / "out", *arguments)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_other_files_is_not_written_to(task, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(WordRBMError, match="not a tagger; give a new folder"):
        run("train", "--data", task, "--out", tmp_path)
    with pytest.raises(WordRBMError, match="is a file; name a folder"):
        run("train", "--data", task, "--out", tmp_path / "thesis.txt")


def test_a_trained_tagger_is_not_replaced(tagger, task):
    before = (tagger / "tagger.safetensors").read_bytes()
    with pytest.raises(WordRBMError, match="already holds a trained tagger; train into another"):
        run("train", "--data", task, "--out", tagger)
    assert (tagger / "tagger.safetensors").read_bytes() == before


def test_columns_that_the_tagger_does_not_know_are_refused(tagger, task, tmp_path):
    (tmp_path / "new.txt").write_text("the\nowl\n")
    with pytest.raises(WordRBMError, match=r"line 1 has 1 column where 2 .*the tagger reads 2"):
        run("predict", tagger, tmp_path / "new.txt")
    with pytest.raises(WordRBMError, match=r"3 columns where 2 .* give --labelled if the last"):
        run("predict", tagger, task / "test.txt")
    with pytest.raises(WordRBMError, match=r"1 column where 3 .*with --labelled"):
        run("predict", tagger, tmp_path / "new.txt", "--labelled")


def test_a_closed_standard_input_is_refused(tagger, monkeypatch):
    monkeypatch.setattr("wordrbm.text.reader.sys.stdin", None)
    with pytest.raises(WordRBMError, match="Standard input is closed"):
        predict_labels(tagger, None)


def test_a_stop_writes_no_tagger(tmp_path):
    task, out = write_task(tmp_path / "task", train=3000), tmp_path / "tagger"
    process = Process("tagger", "train", "--data", task, "--out", out)
    line = process.stderr.readline()  # progress is shown once fitting has begun
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait() == 128 + signal.SIGINT
    assert "Stopped; no tagger was written." in line + rest
    assert not (out / "tagger.safetensors").exists()


def test_a_mistake_is_one_sentence(tmp_path):
    for arguments in (
        ["train", "--data", tmp_path, "--out", tmp_path / "o"],
        ["predict", tmp_path],
    ):
        done = wordrbm("tagger", *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("wordrbm: ")
        assert done.stderr.count("\n") == 1
