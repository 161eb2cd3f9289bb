"""The commands as a user runs them: in a process of their own, by exit code and output."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.corpora import prepared
from tests.zygote import Process, wordrbm
from wordrbm.cli.app import app
from wordrbm.io.word2vec import read_word2vec
from wordrbm.trained_model import load
from wordrbm.training import TrainingSettings

GROUPS = {group.name: group.typer_instance for group in app.registered_groups}
COMMANDS = [command.name for command in app.registered_commands] + [
    f"{name} {command.name}"
    for name, group in GROUPS.items()
    for command in group.registered_commands
]
SMALL = [
    "--dimension=4", "--hidden=6", "--mh-steps=5", "--batch-size=32", "--chains=32", "--shards=4",
    "--windows=2000", "--evaluations=2", "--heldout-windows=20",
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up")).path


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "model"
    done = wordrbm("train", corpus, "--out", out, *SMALL, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["windows"] >= 2000
    return out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command):
    shown = wordrbm(*command.split(), "--help")
    assert shown.returncode == 0
    examples = shown.stdout.split("Example:\n")[1].split("\n\n")[0].splitlines()
    assert any(f"wordrbm {command}" in line for line in examples)
    assert all(line.startswith("    ") and " wordrbm " in line for line in examples)
    assert "--json" in shown.stdout or command == "demo"


def test_every_setting_is_an_option_of_train_with_its_default():
    shown = " ".join(wordrbm("train", "--help").stdout.split())
    for name, field in TrainingSettings.model_fields.items():
        said = shown.split(f"--{name.replace('_', '-')} <")[1].split("[")[1].split("]")[0]
        kind = type(field.default)
        assert field.default is None or kind(said.replace(",", "")) == field.default, name


def test_help_needs_no_heavy_import():
    code = (
        "import sys, wordrbm.cli.app;"
        "print(*{'numpy', 'numba', 'nltk', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == ""


def test_train_shows_rate_acceptance_and_scores(corpus, tmp_path):
    done = wordrbm("train", corpus, "--out", tmp_path / "model", *SMALL)
    for word in ("windows", "/s", "min left", "acceptance", "cloze perplexity", "gap"):
        assert word in done.stderr
    lines = (tmp_path / "model" / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert {"cloze_perplexity", "free_energy_gap", "acceptance"} <= set(json.loads(lines[-1]))
    times = (tmp_path / "model" / "times.jsonl").read_text().splitlines()
    assert json.loads(times[-1])["windows_per_second"] > 0


def test_neighbours_in_a_table_and_as_json(model):
    assert "monday" in wordrbm("neighbours", model, "Monday", "fish").stdout
    found = json.loads(wordrbm("neighbours", model, "monday", "--json", "--count", 3).stdout)
    assert len(found["neighbours"]["monday"]) == 3
    raw = json.loads(wordrbm("neighbours", model, "monday", "--json", "--count", 3, "--raw").stdout)
    trained = load(model)
    for shown, vectors in ((found, trained.vectors), (raw, trained.raw_vectors)):
        expected = [[*pair] for pair in vectors.most_similar("monday", 3)]
        assert shown["neighbours"]["monday"] == expected
    grouped = json.loads(wordrbm("neighbours", model, "--groups", "--json").stdout)
    assert set(grouped["groups"]) == {"days", "months", "numbers", "modals"}
    assert "sunday" in grouped["groups"]["days"]["missing"]
    uneven = wordrbm("neighbours", model, "monday", "fish", "--among", 3, "--count", 5)
    assert uneven.returncode == 0


def test_export_writes_vectors(model, tmp_path):
    done = wordrbm("export", model, "--out", tmp_path / "v.txt", "--format", "word2vec", "--json")
    said = json.loads(done.stdout)
    first = (tmp_path / "v.txt").read_text().splitlines()[0]
    assert first == f"{said['words']} {said['dimension']}"
    trained = load(model)
    for options, expected in (([], trained.vectors), (["--raw"], trained.raw_vectors)):
        wordrbm("export", model, "--out", tmp_path / "v.txt", *options)
        found = read_word2vec(tmp_path / "v.txt")
        assert found.words == expected.words
        np.testing.assert_array_equal(found.matrix, expected.matrix)


def test_evaluate_beside_counts(model, corpus):
    done = wordrbm("evaluate", model, corpus, "--windows", 10, "--trigrams", "--json")
    scores = json.loads(done.stdout)["scores"]
    assert set(scores) == {"wordrbm", "unigram", "trigram counts"}
    assert all(np.isfinite(row["cloze_perplexity"]) for row in scores.values())


def test_info_tells_what_it_is(model, corpus):
    assert json.loads(wordrbm("info", model, "--json").stdout)["kind"] == "wordrep"
    assert json.loads(wordrbm("info", corpus, "--json").stdout)["kind"] == "prepared corpus"
    assert "sizes" in wordrbm("info", model / "model.safetensors").stdout


BAD = {
    "is not in the vocabulary": ["neighbours", "MODEL", "zebra"],
    "No word was given": ["neighbours", "MODEL"],
    "was not found": ["neighbours", "CORPUS", "monday"],
    "Settings cannot be used": ["train", "CORPUS", "--out", "OUT", "--window=0", "--momentum=2"],
    "not a number above zero": ["train", "CORPUS", "--out", "OUT", "--epochs=nan"],
    "is a file": ["train", "CORPUS", "--out", "FILE"],
    "Could not write": ["export", "MODEL", "--out", "FILE/vectors.txt"],
    "cannot be used": ["info", "x" * 300],
    "below 1": ["neighbours", "MODEL", "fish", "--count=0"],
    "threads: 0 is not 1 or more": ["train", "CORPUS", "--out", "OUT", "--threads=0"],
    "both windows and epochs": ["train", "CORPUS", "--out", "OUT", "--windows=5", "--epochs=1"],
    "epochs: -1.0 is not a number above zero; checkpoint_minutes: -1.0 is not 0 or more; threads": [
        "train",
        "CORPUS",
        "--out",
        "OUT",
        "--hidden=0",
        "--threads=0",
        "--checkpoint-minutes=-1",
        "--epochs=-1",
    ],
    "is in the folder of the run": ["train", "CORPUS", "--out", "OUT", "--tensorboard=OUT/events"],
    "for TensorBoard events": ["train", "CORPUS", "--out", "OUT", "--tensorboard", "FILE"],
    "less than or equal to": ["train", "CORPUS", "--out", "OUT", f"--mh-steps={10**19}"],
    "cannot be read": ["train", "CORPUS", "--out", "OUT", "--settings", "absent.toml"],
    "The number of held-out windows is -3; give 1": ["evaluate", "MODEL", "CORPUS", "--windows=-3"],
    "another vocabulary": ["evaluate", "MODEL", "OTHER"],
    "No such option: --colour": ["train", "CORPUS", "--out", "OUT", "--colour=red"],
    "Missing argument": ["train", "--out", "OUT"],
    "valid integer": ["train", "CORPUS", "--out", "OUT", "--window=three"],
    "No such command": ["trian", "CORPUS"],
    "Did you mean 'tagger'? See ": ["tag"],
    "requires an argument": ["train", "CORPUS", "--out"],
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence_and_exit_code_2(model, corpus, tmp_path, sentence):
    places = {"MODEL": model, "CORPUS": corpus, "OUT": tmp_path / "out"}
    if "OTHER" in BAD[sentence]:
        places["OTHER"] = prepared(tmp_path, stories=8).path
    (tmp_path / "file").write_text("mine")
    words = (str(places.get(word, word)) for word in BAD[sentence])
    words = (word.replace("OUT/", f"{places['OUT']}/") for word in words)
    done = wordrbm(*(word.replace("FILE", str(tmp_path / "file")) for word in words))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_command_interrupted_as_it_loads_shows_no_traceback(model):
    """The signal comes from inside, at a sure place: where the command begins to read its model."""
    program = (
        "import os, signal, sys, time, wordrbm.io, wordrbm.cli.app as cli\n"
        # Whoever runs the tests in the background may have told them to ignore the signal.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def load_vectors(path, raw):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"  # another thread may be the one that the signal comes to
        "wordrbm.io.load_vectors = load_vectors\n"
        "sys.argv[0] = 'wordrbm'\n"
        "cli.main()\n"
    )
    command = [sys.executable, "-c", program, "neighbours", str(model), "the"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 130, done.stderr
    assert not done.stderr.strip()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_a_checkpoint_and_resume_goes_on(corpus, tmp_path, number, code):
    run = [*SMALL, "--windows=200000"]
    process = Process("train", corpus, "--out", tmp_path / "model", *run)
    while "acceptance" not in process.stderr.readline():
        pass  # until there is an update to save
    time.sleep(0.2)
    process.send_signal(number)
    said = process.stderr.read()
    assert process.wait() == code, said
    assert "--resume" in said
    done = wordrbm("train", corpus, "--out", tmp_path / "model", *run, "--resume")
    assert done.returncode == 0, done.stderr
    assert "holds no checkpoint" not in done.stderr
    assert (tmp_path / "model" / "model.safetensors").exists()


def test_resuming_what_never_began_says_so(corpus, tmp_path):
    done = wordrbm("train", corpus, "--out", tmp_path / "model", *SMALL, "--resume")
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path / 'model'} holds no checkpoint: training begins" in done.stderr
