"""How the long commands show themselves: quiet, in a pipe, on a terminal."""

import os
import sys

import pytest

from tests.corpora import prepared, story
from tests.zygote import Process, wordrbm
from wordrbm.cli import progress as shown
from wordrbm.cli.app import main
from wordrbm.cli.progress import progress
from wordrbm.cli.train import speed_note
from wordrbm.run.evaluation import StepReport
from wordrbm.training import Progress
from wordrbm.training.optimizer import LearningRates

# The demo's own speeches take minutes; a folder of stories stands in for them.
CODE = """
import os, pathlib, wordrbm.cli.demo
wordrbm.cli.demo.speeches = lambda: pathlib.Path(os.environ["STORIES"])
"""
SMALL = [
    "--dimension=4", "--hidden=6", "--mh-steps=5", "--batch-size=32", "--chains=32",
    "--windows=2000", "--evaluations=2", "--heldout-windows=20",
]  # fmt: skip
LABELS = {
    "prepare": ("reading", "counting", "writing"),
    "train": ("training",),
    "demo": ("reading", "counting", "writing", "training"),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder of text and a corpus made of it."""
    folder = tmp_path_factory.mktemp("made_up")
    corpus = prepared(folder).path
    for number in range(4):  # so that the demo has some text to hold out
        (folder / "text" / f"long{number}.txt").write_text(story(number, 300))
    return {"TEXT": folder / "text", "CORPUS": corpus}


@pytest.fixture
def line(places, tmp_path):
    """The words of a long command, and what it is started with."""

    def make(command, *options):
        words = {
            "prepare": ["TEXT", "--workers=1"],
            "train": ["CORPUS", *SMALL],
            "demo": ["--windows=2048"],
        }[command]
        arguments = [command, *(str(places.get(word, word)) for word in words)]
        environment = {"STORIES": str(places["TEXT"]), "TERM": "xterm", "COLUMNS": "99"}
        return [*arguments, "--out", tmp_path / "out", *options], environment

    return make


def controls(text):
    """The control characters in an output, ends of lines aside."""
    return {character for character in text if not character.isprintable()} - {"\n"}


@pytest.mark.parametrize("command", LABELS)
def test_quiet_shows_no_progress(line, command):
    words, environment = line(command, "--quiet")
    done = wordrbm(*words, env=os.environ | environment, code=CODE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout, "the result is no progress"


@pytest.mark.parametrize("command", LABELS)
def test_a_pipe_gets_plain_lines(line, command):
    words, environment = line(command)
    process = Process(*words, environment=environment, code=CODE, pipes=("stdout", "stderr"))
    errors, output = process.stderr.read(), process.stdout.read()
    assert process.wait() == 0
    assert controls(errors) == controls(output) == set()
    lines = errors.splitlines()
    assert {line.split()[0] for line in lines} == set(LABELS[command])
    assert all("%" in line for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a POSIX matter")
@pytest.mark.parametrize("command", ["prepare", "train"])
@pytest.mark.parametrize("quiet", [True, False])
def test_a_terminal_gets_a_bar(line, command, quiet):
    ours, theirs = os.openpty()
    words, environment = line(command, *["--quiet"] * quiet)
    process = Process(*words, environment=environment, pipes=(), errors=os.ttyname(theirs))
    os.close(theirs)
    errors = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    assert process.wait() == 0
    if quiet:
        assert errors == ""
        return
    assert "\x1b" in controls(errors)
    for word in (*LABELS[command], "━", "100%"):
        assert word in errors


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that nobody holds the other end any more
        return b""


def test_a_line_comes_first_then_now_and_then_and_last(monkeypatch, capfd):
    clock = iter([0.0, 1.0, 9.9, 10.0, 12.0, 13.0])
    monkeypatch.setattr(shown.time, "monotonic", lambda: next(clock))
    with progress("reading", 6) as show:
        for done in range(1, 7):
            show(done, f"{done} files")
    assert capfd.readouterr().err.splitlines() == [
        "reading  17% 1 files",
        "reading  67% 4 files",
        "reading 100% 6 files",
    ]


def test_a_stage_is_shown_at_once_and_holds_back_no_line(monkeypatch, capfd):
    clock = iter([0.0, 1.0])
    monkeypatch.setattr(shown.time, "monotonic", lambda: next(clock))
    with progress("training", 6) as show:
        show.stage("layer 1 of 2")
        show.stage("layer 2 of 2")
        show(1, "first")
        show(2, "second")
    assert capfd.readouterr().err.splitlines() == [
        "training   0% layer 1 of 2",
        "training   0% layer 2 of 2",
        "training  17% first",
    ]


def test_work_of_no_size_is_done(capfd):
    with progress("reading", 0) as show:
        show(0, "nothing")
    assert capfd.readouterr().err == "reading 100% nothing\n"


def test_the_update_that_compiles_has_no_speed():
    def report(windows, seconds):
        done = Progress(windows, windows / 1000, LearningRates(0.1, 0.1, 0.9, 0.0), 0.5)
        return StepReport(1, done, seconds, windows / seconds, None)

    first = report(10, 60.0)
    assert speed_note(first, first) == "0.00 M windows, acceptance 0.50"
    assert "400/s, 0.0 min left" in speed_note(report(410, 61.0), first)


def test_a_run_that_must_compile_says_so_first(monkeypatch, capfd, tmp_path):
    corpus = prepared(tmp_path).path
    command = ["wordrbm", "train", corpus, "--out", tmp_path / "model", *SMALL]
    monkeypatch.setattr(sys, "argv", [str(word) for word in command])
    monkeypatch.setattr("wordrbm.run.training_run.is_compiled", lambda function: False)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    first, second, third = capfd.readouterr().err.splitlines()[:3]
    assert first == "training   0% initial parameters"
    assert second == "training   0% compiling, once"
    assert "/s" not in third or "min left" in third
