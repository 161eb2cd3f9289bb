"""`wordrbm classifier train`, `predict` and `explain`, as a user runs them."""

import json
import signal
import sys
import time

import pytest
from typer.testing import CliRunner

from tests.reviews import write_reviews
from tests.zygote import Process
from wordrbm.cli.app import app, main

SMALL = (
    "--window", 3, "--hidden", 6, "--dimension", 5, "--min-count", 1, "--windows", 6000,
    "--pretrain-windows", 6000, "--quiet",
)  # fmt: skip


def run(*arguments, **options):
    command = ["classifier", *map(str, arguments)]
    return CliRunner().invoke(app, command, catch_exceptions=False, **options)


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    return write_reviews(tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="module")
def trained(reviews, tmp_path_factory):
    out = tmp_path_factory.mktemp("classifiers") / "classifier"
    return out, run("train", "--data", reviews, "--out", out, *SMALL)


def test_accuracies_are_printed_and_kept(trained):
    out, done = trained
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("documents: animals 40, money 40; vocabulary: ")
    assert lines[1] == "cross-validated accuracy 100.00 % (3 folds)"
    assert lines[2] == "test accuracy 100.00 % of 40"
    assert lines[3] == f"classifier: {out}; next: wordrbm classifier predict {out} FILE"
    record = json.loads((out / "training.json").read_text())
    assert record["test"] == {"documents": 40, "accuracy": 1.0}
    assert record["cross_validated_accuracy"] == 1.0


def test_the_same_bits_for_any_number_of_threads(reviews, trained, tmp_path):
    done = run("train", "--data", reviews, "--out", tmp_path / "again", *SMALL, "--threads", 1)
    assert done.exit_code == 0
    first, second = (
        (out / "classifier.json").read_bytes() for out in (trained[0], tmp_path / "again")
    )
    assert first == second


def test_a_test_folder_and_no_test_set(reviews, tmp_path):
    common = ("--data", reviews / "train", *SMALL, "--finetune-epochs", 0, "--json")
    record = json.loads(run("train", *common, "--out", tmp_path / "a").stdout)
    assert record["test"] is None
    record = json.loads(
        run("train", *common, "--out", tmp_path / "b", "--test", reviews / "test").stdout
    )
    assert record["test"]["documents"] == 40
    assert record["test"]["accuracy"] > 0.9
    assert record["documents"] == {"animals": 40, "money": 40}


def test_new_documents_are_classified(trained, tmp_path):
    first, lines = tmp_path / "first.txt", tmp_path / "more.jsonl"
    first.write_text("The cat eats fish .")
    lines.write_text('{"body": "The bank buys bonds ."}\n{"body": "the dog hunts"}\n')
    out = trained[0]
    done = run("predict", out, first, lines, "--field", "body")
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["animals", "money", "animals"]
    assert [row[2] for row in rows] == [str(first), f"{lines}:1", f"{lines}:2"]
    assert all(float(row[1]) >= 0.5 for row in rows)
    piped = run("predict", out, "--json", input="The cat eats fish .\nThe bank buys bonds .\n")
    records = [json.loads(line) for line in piped.stdout.splitlines()]
    assert [record["label"] for record in records] == ["animals", "money"]
    assert [record["document"] for record in records] == ["line 1", "line 2"]
    assert sum(records[0]["probabilities"].values()) == pytest.approx(1)
    broken = run("predict", out, "--encoding-errors", "replace", input=b"the cat \xff eats fish\n")
    assert broken.stdout.split("\t")[0] == "animals"
    folder = run("predict", out, tmp_path, "--field", "body")
    assert len(folder.stdout.splitlines()) == 3


def test_a_document_is_explained(trained, tmp_path):
    text, page = tmp_path / "new.txt", tmp_path / "page.html"
    text.write_text("The cat eats fish .<br />The bank buys bonds .")
    done = run("explain", trained[0], text, "--html", page, "--top", 2)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].startswith("animals: ")
    assert "cat" in done.stdout
    assert done.stdout.splitlines()[-1] == f"page: {page}"
    assert "<span" in page.read_text()
    record = json.loads(run("explain", trained[0], text, "--json").stdout)
    assert record["words"] == 10
    assert set(record["classes"]) == {"animals", "money"}
    window = record["classes"]["animals"]["windows"][0]
    assert set(window) == {"words", "start", "contribution"}
    assert len(window["words"]) == 3
    piped = run("explain", trained[0], "--json", input=text.read_text())
    assert json.loads(piped.stdout) == record
    line = tmp_path / "one.jsonl"
    line.write_text(json.dumps({"body": text.read_text()}))
    of_line = run("explain", trained[0], line, "--json", "--field", "body")
    assert json.loads(of_line.stdout) == record
    command = ("explain", trained[0], "--json", "--encoding-errors", "replace")
    replaced = run(*command, input=text.read_bytes() + b" \xff")
    assert json.loads(replaced.stdout)["words"] == 11


def test_a_classifier_says_what_it_is(trained):
    done = CliRunner().invoke(app, ["info", str(trained[0]), "--json"])
    record = json.loads(done.stdout)
    assert record["kind"] == "classifier"
    assert record["command"] == f"wordrbm classifier predict {trained[0]} FILE"
    assert record["documents"] == {"animals": 40, "money": 40}
    assert record["cross_validated_accuracy"] == 1.0


@pytest.fixture
def fault(monkeypatch, capfd):
    """Standard error of a command that must end with one sentence and exit code 2."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", "classifier", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        return error

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--window", "0"], "window"),
        (["--hidden", "0"], "hidden"),
        (["--windows", "0"], "--windows"),
        (["--folds", "1"], "--folds"),
        (["--folds", "50"], "Class animals has 40 documents with words where 50"),
        (["--min-count", "100000"], "No word occurs 100000 times"),
        (["--encoding-errors", "ignore"], "--encoding-errors is 'ignore'; use strict or replace"),
        (["--threads", "0"], "--threads"),
        (["--test", "nowhere"], "nowhere"),
    ],
)
def test_a_fault_is_one_sentence(fault, reviews, tmp_path, arguments, message):
    out = tmp_path / "out"
    assert message in fault("train", "--data", reviews, "--out", out, *SMALL, *arguments)
    assert not out.exists()


def test_a_folder_without_classes_is_refused(fault, tmp_path):
    assert "no folder of a class" in fault("train", "--data", tmp_path, "--out", tmp_path / "out")


def test_other_folders_are_refused(fault, reviews, trained, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    message = fault("train", "--data", reviews, "--out", tmp_path, *SMALL)
    assert "holds files that are not a classifier" in message
    message = fault("train", "--data", reviews, "--out", tmp_path / "notes.txt", *SMALL)
    assert "notes.txt is a file; name a folder" in message
    message = fault("train", "--data", reviews, "--out", trained[0], *SMALL)
    assert "already holds a trained classifier; train into another folder" in message
    for verb in ("predict", "explain"):
        assert "There is no" in fault(verb, tmp_path, tmp_path / "notes.txt")
    (tmp_path / "other" / "weather").mkdir(parents=True)
    (tmp_path / "other" / "animals").mkdir()
    for name in ("weather", "animals"):
        (tmp_path / "other" / name / "1.txt").write_text("rain")
    given = ("--data", reviews, "--out", tmp_path / "out", "--test", tmp_path / "other")
    message = fault("train", *given, *SMALL)
    assert "has test documents of animals, weather, and the classes of the training" in message
    for verb in ("predict", "explain"):
        assert "--encoding-errors" in fault(verb, trained[0], "--encoding-errors", "ignore")


def test_more_or_less_than_one_document_is_not_explained(fault, trained, tmp_path):
    lines = tmp_path / "more.jsonl"
    lines.write_text('{"text": "the cat"}\n{"text": "the bank"}\n')
    message = fault("explain", trained[0], lines)
    assert "holds more than one document where one was" in message
    assert "sed -n 1p" in message
    message = fault("explain", trained[0], tmp_path)
    assert "is a folder where one document was expected; give one of its files" in message
    lines.write_text("")
    assert "holds no document where one was expected" in fault("explain", trained[0], lines)


def test_the_advice_for_a_test_folder_of_one_class_works(fault, reviews, tmp_path):
    test = tmp_path / "test"
    (test / "money").mkdir(parents=True)
    (test / "money" / "1.txt").write_text("the bank buys bonds .")
    command = ("--data", reviews, "--out", tmp_path / "out", "--test", test, *SMALL)
    message = fault("train", *command, "--finetune-epochs", 0)
    assert "has test documents of money, and the classes" in message
    assert "give a folder that holds one of documents for each of these classes" in message
    (test / "animals").mkdir()
    (test / "animals" / "1.txt").write_text("the cat eats fish .")
    done = run("train", *command, "--finetune-epochs", 0, "--json")
    assert json.loads(done.stdout)["test"]["documents"] == 2


def test_a_signal_stops_training_and_nothing_is_written(reviews, tmp_path):
    out = tmp_path / "out"
    long = [str(x) for x in SMALL if x != "--quiet"]
    command = ["classifier", "train", "--data", reviews, "--out", out, *long]
    process = Process(*command, "--windows", 50_000_000)
    for line in process.stderr:
        if "pre-training" in line or "all documents" in line:
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    error = process.stderr.read()
    assert process.wait() == 130
    assert "Stopped; no classifier was written." in error
    assert not (out / "classifier.json").exists()
