"""Using a model from the command line: in a process of its own, by exit code and output."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from tests.corpora import OBJECTS, SUBJECTS, TIMES, VERBS
from tests.zygote import Process, wordrbm
from wordrbm.cli.app import main
from wordrbm.models import init_wordrep
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import TrainingSettings

COMMAND = [sys.executable, "-c", "from wordrbm.cli.app import main; main()"]
WIDE = {**os.environ, "COLUMNS": "120"}
TEXT = "The cat eats fish on Monday.\nshort\n\nMy zebra likes gold in July.\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    words = sorted(
        {w for part in (SUBJECTS, VERBS, OBJECTS, TIMES) for p in part for w in p.split()}
    )
    vocabulary = Vocabulary.build([(word, 10) for word in [*words, "."]], 5)
    rng = np.random.default_rng(1)
    rbm = init_wordrep(rng, n=3, H=6, d=4, word_probability=vocabulary.probability())
    settings = TrainingSettings(window=3, hidden=6, dimension=4, mh_steps=5)
    out = tmp_path_factory.mktemp("using") / "model"
    save(out, TrainedModel(rbm, vocabulary, settings))
    return out


@pytest.mark.parametrize("command", ["fill", "score", "features", "sample"])
def test_help_has_an_example(command):
    shown = wordrbm(command, "--help")
    assert shown.returncode == 0
    assert f"wordrbm {command}" in shown.stdout.split("Example:")[1]


def test_fill_as_text_and_as_json(model):
    shown = wordrbm("fill", model, "the ___ eats", "--count", 2)
    assert shown.returncode == 0, shown.stderr
    assert "<unk>" in shown.stdout
    found = json.loads(wordrbm("fill", model, "the ___ ___", "--count", 2, "--json").stdout)
    assert found["method"] == "marginal"
    assert [len(blank["words"]) for blank in found["blanks"]] == [2, 2]
    expected = load(model).fill("the ___ ___", 2)
    assert found["text"] == expected.text
    assert found["blanks"][1]["unknown"] == expected.blanks[1].unknown


def test_neighbours_of_a_place_in_a_text(model):
    found = json.loads(wordrbm("neighbours", model, "--context", "the ___ eats", "--json").stdout)
    assert len(found["neighbours"]["the ___ eats"]) == 5
    assert "the ___ eats" in wordrbm("neighbours", model, "--context", "the ___ eats").stdout


def test_names_are_never_read_as_markup(model):
    shown = wordrbm("neighbours", model, "--context", "[/a] ___ eats", env=WIDE)
    assert shown.returncode == 0, shown.stderr
    assert "[/a] ___ eats" in shown.stdout


def test_json_is_json_on_any_terminal(tmp_path):
    vocabulary = Vocabulary.build([(word, 10) for word in ("café", "\U0001d11e", "the")], 5)
    rng = np.random.default_rng(1)
    rbm = init_wordrep(rng, n=3, H=6, d=4, word_probability=vocabulary.probability())
    settings = TrainingSettings(window=3, hidden=6, dimension=4, mh_steps=5)
    save(tmp_path, TrainedModel(rbm, vocabulary, settings))
    text = "the café \U0001d11e the"
    plain = {**os.environ, "PYTHONIOENCODING": "ascii:backslashreplace", "PYTHONUTF8": "1"}
    for arguments in (
        ["fill", tmp_path, "the ___ ___", "--json"],
        ["neighbours", tmp_path, "the", "--json"],
        ["score", tmp_path, tmp_path / "text", "--json"],
        ["features", tmp_path, tmp_path / "text"],
        ["sample", tmp_path, "--count=9", "--sweeps=5", "--json"],
    ):
        (tmp_path / "text").write_text(text, encoding="utf-8")
        shown = wordrbm(*arguments, env=plain)
        assert shown.returncode == 0, shown.stderr
        assert "caf\\u00e9" in shown.stdout
        assert all(json.loads(line) for line in shown.stdout.splitlines())


@pytest.mark.parametrize("command", ["score", "features"])
def test_a_closed_standard_input_is_told(model, command):
    quoted = " ".join(f"'{word}'" for word in [*COMMAND, command, str(model)])
    done = subprocess.run(["sh", "-c", f"{quoted} <&-"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Standard input is closed" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_score_reads_a_file_or_standard_input(model, tmp_path):
    (tmp_path / "text").write_text(TEXT)
    from_file = wordrbm("score", model, tmp_path / "text", "--json")
    for arguments in ([], ["-"]):
        assert wordrbm("score", model, *arguments, "--json", input=TEXT).stdout == from_file.stdout
    found = [json.loads(line) for line in from_file.stdout.splitlines()]
    assert [row["line"] for row in found] == [1, 2, 3, 4]
    assert [row["windows"] for row in found] == [5, 0, 0, 5]
    assert found[1]["free_energy"] is None
    assert found[3]["tokens"][1] == "<unk>"
    assert [set(word) for word in found[0]["surprising"]] == [{"position", "word", "nats"}] * 3
    shown = wordrbm("score", model, "--words", 0, input=TEXT).stdout.splitlines()
    assert ["windows" in line for line in shown] == [True, False, False, True]


def test_score_answers_each_line_as_it_comes(model):
    process = Process("score", model, "--words=0", pipes=("stdin", "stdout"))
    for number in (1, 2):
        process.stdin.write("the cat eats fish\n")
        process.stdin.flush()
        assert process.stdout.readline().split()[0] == str(number)
    process.stdin.close()
    assert process.wait() == 0


@pytest.mark.parametrize("command", [["score", "--words=0"], ["features"]])
def test_a_reader_that_goes_away_is_no_fault(model, tmp_path, command):
    (tmp_path / "text").write_text("the cat eats fish\n" * 8_000)
    words = [command[0], model, tmp_path / "text", *command[1:]]
    process = Process(*words, pipes=("stdout", "stderr"))
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.wait()


def test_features_as_lines_and_as_a_file(model, tmp_path):
    (tmp_path / "text").write_text(TEXT)
    rows = wordrbm("features", model, tmp_path / "text").stdout.splitlines()
    rows = [json.loads(row) for row in rows]
    assert [(row["line"], row["start"]) for row in rows][4:6] == [(1, 4), (4, 0)]
    assert rows[5]["words"] == ["my", "<unk>", "likes"]
    outs = tmp_path / "a.npz", tmp_path / "b.npz"
    for out in outs:
        done = wordrbm("features", model, tmp_path / "text", "--out", out, "--json")
        assert json.loads(done.stdout) == {"out": str(out), "lines": 4, "windows": 10, "hidden": 6}
        assert done.stderr.splitlines() == ["features 100% 10 windows"]
    assert outs[0].read_bytes() == outs[1].read_bytes()
    with np.load(outs[0], allow_pickle=False) as found:
        np.testing.assert_array_equal(found["hidden"], np.float32([row["hidden"] for row in rows]))
        assert found["line"].tolist() == [row["line"] for row in rows]
        assert found["start"].tolist() == [row["start"] for row in rows]
    quiet = wordrbm("features", model, "--out", outs[0], "--quiet", input=TEXT)
    assert quiet.stderr == ""
    assert "10 windows of 4 lines" in quiet.stdout
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_ctrl_c_leaves_nothing_half_written(model, tmp_path):
    command = "features", model, "--out", tmp_path / "f.npz"
    process = Process(*command, pipes=("stdin", "stderr"))
    process.stdin.write("the cat eats fish\n" * 8_000)  # more than a pipe holds: some was read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    said = process.stderr.read()
    assert process.wait() == 130, said
    assert "Traceback" not in said
    assert os.listdir(tmp_path) == []


def test_sample_is_fixed_by_its_seed(model):
    runs = [wordrbm("sample", model, "--count=4", "--sweeps=5", f"--seed={s}") for s in (1, 1, 2)]
    assert runs[0].stdout == runs[1].stdout != runs[2].stdout
    assert [len(line.split()) for line in runs[0].stdout.splitlines()] == [3] * 4
    found = json.loads(wordrbm("sample", model, "--count=4", "--sweeps=5", "--json").stdout)
    assert [" ".join(words) for words in found["windows"]] == runs[0].stdout.splitlines()


BAD = {
    "has no blank": ["fill", "MODEL", "the cat eats"],
    "add more words": ["fill", "MODEL", "the ___"],
    "1 or more": ["fill", "MODEL", "the ___ eats", "--count=0"],
    "blank inside a word": ["fill", "MODEL", "the x___y eats"],
    "2 blanks": ["neighbours", "MODEL", "--context", "the ___ ___"],
    "No such file": ["score", "MODEL", "absent.txt"],
    "Is a directory": ["features", "MODEL", "MODEL", "--out", "OUT"],
    "line 2: byte 3": ["score", "MODEL", "BAD", "--words=0"],
    "is not UTF-8": ["features", "MODEL", "BAD", "--out", "OUT"],
    "0 or more": ["score", "MODEL", "BAD", "--words=-1"],
    "Could not write": ["features", "MODEL", "BAD", "--out", "absent/f.npz"],
    "was not found": ["sample", "absent"],
    "The number of sweeps is 0": ["sample", "MODEL", "--sweeps=0"],
    "at most 10,000,000": ["sample", "MODEL", "--count=100000000000"],
    ". is a folder": ["export", "MODEL", "--out", "."],
    "is a folder where": ["export", "MODEL", "--out", ""],
    "/ is a folder": ["export", "MODEL", "--out", "/"],
    "a file is to be written": ["features", "MODEL", "BAD", "--out", "."],
    "give a file of lines": ["score", "MODEL", "absent.txt"],
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_input_gets_one_sentence_and_exit_code_2(
    model, tmp_path, monkeypatch, capsys, sentence
):
    (tmp_path / "bad").write_bytes(b"the cat eats\nba\xff\n")
    places = {"MODEL": model, "BAD": tmp_path / "bad", "OUT": tmp_path / "out.npz"}
    quiet = ["--quiet"] if BAD[sentence][0] == "features" else []
    arguments = [str(places.get(word, word)) for word in [*BAD[sentence], *quiet]]
    monkeypatch.setattr(sys, "argv", ["wordrbm", *arguments])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert sentence in said
    assert len(said.splitlines()) == 1
    assert os.listdir(tmp_path) == ["bad"]
