"""`wordrbm sentiment`, from folders of made-up documents to a table."""

import json
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.tasks.sentiment.reviews import SMALL, write_reviews
from wordrbm.cli.app import main
from wordrbm.io.model_folder import MODEL
from wordrbm.io.tensors import read_metadata, write_tensors
from wordrbm.storage import folder_lock
from wordrbm.tasks.sentiment import cells


@pytest.fixture
def command(monkeypatch, capfd):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capfd.readouterr()

    return call


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    return write_reviews(tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="module")
def done(reviews, tmp_path_factory):
    """An experiment that was run once."""
    out = tmp_path_factory.mktemp("experiment") / "out"
    given = ["sentiment", "--data", reviews, "--out", out, "--seeds", "1,2", "--unlabelled"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wordrbm", *map(str, given), *SMALL, "--quiet"])
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 0
    return out


def test_the_table(done):
    rows = json.loads((done / "table.json").read_text())
    names = [row["model"] for row in rows]
    assert names[:4] == ["LDA", "LSA", "bag of words bnc", "NB-SVM trigrams"]
    assert "WRRBM 3-grams, threshold" in names
    assert "WRRBM 3-grams, unlabelled start + NB trigrams" in names
    assert "all, unlabelled too, + bnc + NB trigrams" in names
    assert "WRRBM 3-grams, units weighed" in names
    assert "WRRBM 3-grams, told apart, threshold" in names
    assert "WRRBM 3-grams, unlabelled start, units weighed + bnc" in names
    for row in rows:
        assert len(row["seeds"]) == (2 if row["model"].startswith("WRRBM") else 1)
        assert row["test"] == np.mean([seed["test"] for seed in row["seeds"]])
    assert dict(zip(names, rows, strict=True))["WRRBM 3-grams, threshold"]["test"] > 0.9
    assert len((done / "table.md").read_text().splitlines()) == 2 + len(rows)


def test_the_same_command_goes_on_and_gives_the_same(done, reviews, command, monkeypatch):
    before = json.loads((done / "table.json").read_text())
    kept = {path.name: path.read_bytes() for path in (done / "cells").glob("*.safetensors")}
    assert len(kept) == 2 * 2 * 4
    assert len(list((done / "cells").glob("*-start"))) == 2 * 2  # of all folds together
    lost = sorted(kept)[3]
    (done / "cells" / lost).unlink()
    trained = []
    compute = cells.compute
    monkeypatch.setattr(
        "wordrbm.tasks.sentiment.running.compute",
        lambda cell, *rest: (trained.append(cell.name), compute(cell, *rest)),
    )
    given = ["--data", reviews, "--out", done, "--seeds", "1,2", "--unlabelled", "--json"]
    code, shown, _ = command("sentiment", *given, *SMALL)
    assert code == 0
    assert [f"{name}.safetensors" for name in trained] == [lost]
    assert (done / "cells" / lost).read_bytes() == kept[lost]  # jobs and company change nothing
    assert json.loads(shown)["rows"] == before


def test_one_experiment_at_a_time(done, reviews, command):
    with folder_lock(done, "an experiment"):
        code, _, told = command("sentiment", "--data", reviews, "--out", done, *SMALL, "--quiet")
    assert code == 2
    assert told.count("\n") == 1


def test_other_unlabelled_documents_are_refused(done, reviews, command, tmp_path):
    shutil.copytree(reviews, tmp_path / "changed")
    (tmp_path / "changed" / "train" / "unsup" / "more.txt").write_text("the cat eats fish .")
    given = ["--data", tmp_path / "changed", "--out", done, "--seeds", "1,2", "--unlabelled"]
    code, _, told = command("sentiment", *given, *SMALL, "--quiet")
    assert code == 2
    assert "is of other documents" in told


def test_results_beside_the_classes_are_no_class(command, tmp_path):
    folder = write_reviews(tmp_path, test=0, unlabelled=0) / "train"
    for _ in range(2):
        code, _, told = command(
            "sentiment", "--data", folder, "--out", folder / "out", *SMALL, "--quiet"
        )
        assert code == 0, told


@pytest.mark.parametrize("place", ["training", "fitting"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_cells_are_kept(reviews, tmp_path, place, number):
    """A process of its own, told to stop as soon as it shows that it trains, or that it fits."""
    more = ["--windows", "60000000"] if place == "training" else []
    given = ["sentiment", "--data", reviews, "--out", tmp_path / "out", *SMALL, *more]
    command = [sys.executable, "-c", "from wordrbm.cli.app import main; main()", *map(str, given)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith(place):
                break
        began = time.monotonic()
        process.send_signal(number)
        told = process.stderr.read()
    assert process.returncode == 128 + number
    assert "the same command continues" in told
    assert "Traceback" not in told
    assert time.monotonic() - began < 20
    assert not (tmp_path / "out" / "table.md").exists()
    assert len(list((tmp_path / "out" / "cells").glob("*.safetensors"))) == (
        4 if place == "fitting" else 0
    )


def test_other_documents_are_refused(done, command, tmp_path):
    other = write_reviews(tmp_path / "other", test=42)
    code, _, told = command("sentiment", "--data", other, "--out", done, *SMALL, "--quiet")
    assert code == 2
    assert "is of other documents" in told
    assert told.count("\n") == 1


def test_a_folder_for_each_class_is_enough(command, tmp_path):
    folder = write_reviews(tmp_path / "mine", test=0, unlabelled=0) / "train"
    (folder / "weather").mkdir()
    for number in range(20):
        (folder / "weather" / f"{number}.txt").write_text("the sun shines . the rain falls . " * 2)
    code, shown, _ = command("sentiment", "--data", folder, "--out", tmp_path / "out", *SMALL)
    assert code == 0
    assert "WRRBM 3-grams + bnc" in shown
    assert "WRRBM 3-grams, units weighed" in shown
    assert "wordrbm classifier explain" in shown
    text = tmp_path / "new.txt"
    text.write_text("the rain falls .\nthe cat eats fish .")
    code, shown, _ = command(
        "classifier", "explain", tmp_path / "out" / "classifier", text, "--json"
    )
    assert code == 0
    found = json.loads(shown)["classes"]
    assert set(found) == {"animals", "money", "weather"}
    assert sum(one["probability"] for one in found.values()) == pytest.approx(1)


def test_several_windows_and_vocabularies(reviews, command, tmp_path):
    given = ["--data", reviews, "--out", tmp_path / "out", *SMALL, "--window", "2,3"]
    code, shown, _ = command("sentiment", *given, "--min-count", "1,4", "--json")
    assert code == 0
    names = [row["model"] for row in json.loads(shown)["rows"]]
    for n in (2, 3):
        for count in (1, 4):
            assert f"WRRBM {n}-grams, words seen {count} times, threshold" in names
    assert len(list((tmp_path / "out" / "cells").glob("*.safetensors"))) == 4 * 4


def test_class_models_that_start_apart_have_no_units_in_common(reviews, command, tmp_path):
    given = ["--data", reviews, "--out", tmp_path / "out", *SMALL, "--background", "0"]
    code, shown, _ = command("sentiment", *given, "--json")
    assert code == 0
    names = [row["model"] for row in json.loads(shown)["rows"]]
    assert "WRRBM 3-grams, threshold" in names
    assert not [name for name in names if "units" in name]


def test_a_vocabulary_of_nothing_is_told(reviews, command, tmp_path):
    given = ["--data", reviews, "--out", tmp_path / "out", *SMALL, "--min-count", "100000"]
    code, _, told = command("sentiment", *given, "--quiet")
    assert code == 2
    assert "No word was seen 100000 times" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--seeds", "one"], "--seeds is 'one'"),
        (["--window", "5,"], "--window is '5,'"),
        (["--window", "0"], "window"),
        (["--hidden", "0"], "hidden"),
        (["--windows", "0"], "--windows"),
        (["--jobs", "0"], "--jobs"),
        (["--seeds", "1,9999999999999999999"], "seed"),
        (["--encoding-errors", "ignore"], "--encoding-errors"),
    ],
)
def test_a_fault_is_one_sentence(command, reviews, tmp_path, arguments, told):
    code, _, shown = command(
        "sentiment", "--data", reviews, "--out", tmp_path / "out", *SMALL, *arguments
    )
    assert code == 2
    assert told in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "out").exists()


def test_data_that_is_not_there_is_told(command, tmp_path):
    code, _, told = command("sentiment", "--data", tmp_path / "no", "--out", tmp_path / "out")
    assert code == 2
    assert "is no folder" in told
    code, _, told = command("classifier", "explain", tmp_path)
    assert code == 2
    assert "There is no" in told


def test_what_was_tampered_with_is_told(done, reviews, command, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(done, out)
    given = ["sentiment", "--data", reviews, "--out", out, "--seeds", "1,2", "--unlabelled"]
    path = sorted((out / "cells").glob("*-without1.safetensors"))[0]
    head, found = read_metadata(path), load_file(path)
    found["test.units"][0, 0] = np.nan
    write_tensors(
        path, found, {name: head[name] for name in ("kind", "data", "unlabelled", "method")}
    )
    code, _, told = command(*given, *SMALL, "--quiet")
    assert code == 2
    assert f"{path} is damaged" in told
    path.unlink()
    one, other = sorted((out / "cells").glob("*background*-start"))
    (one / MODEL).write_bytes((other / MODEL).read_bytes())
    code, _, told = command(*given, *SMALL, "--quiet")
    assert code == 2
    assert "is of other documents or settings" in told


def test_models_that_were_lost_are_trained_again(done, reviews, command, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(done, out)
    lost = sorted((out / "cells").glob("*-all"))[0] / "class-0"
    kept = (lost / MODEL).read_bytes()
    shutil.rmtree(lost)
    given = ["sentiment", "--data", reviews, "--out", out, "--seeds", "1,2", "--unlabelled"]
    assert command(*given, *SMALL, "--quiet")[0] == 0
    assert (lost / MODEL).read_bytes() == kept


def test_the_classifier_is_as_sure_as_it_may_be(done, command, tmp_path):
    text = tmp_path / "new.txt"
    text.write_text("The cat eats fish . The dog hunts a bird .")
    code, shown, _ = command("classifier", "explain", done / "classifier", text, "--json")
    assert code == 0
    assert json.loads(shown)["classes"]["animals"]["probability"] > 0.8
