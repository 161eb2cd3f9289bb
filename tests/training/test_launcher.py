"""`--processes` starts ranks on this machine by torch's launcher, and tells how they ended."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.corpora import prepared
from tests.ranks import OPTIONS, REASON
from tests.run.test_training_run import final_files
from wordrbm.cli.processes import child_arguments
from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import list_checkpoints
from wordrbm.training.distributed import import_torch


def test_a_missing_torch_is_one_sentence_with_the_command(monkeypatch, run_command, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "torch.distributed", None)
    with pytest.raises(WordRBMError, match="pip install torch=="):
        import_torch()
    corpus = prepared(tmp_path, stories=8).path
    arguments = ["wordrbm", "train", corpus, "--out", tmp_path / "model", "--processes", 2]
    code, _, error = run_command(*arguments)
    assert code == 2
    assert error.count("\n") == 1
    assert "pip install" in error


def test_the_arguments_of_a_process():
    words = ["train", "corpus", "--processes", "2", "--out", "model"]
    assert child_arguments([*words, "--threads", "3"], 2) == [
        "train", "--distributed", "corpus", "--out", "model", "--threads", "3",
    ]  # fmt: skip
    assert "--processes=2" not in child_arguments(["train", "--processes=2"], 2)


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (["--processes", 0], "processes: 0 is not 1 or more"),
        (["--average-every", 5], "give --processes too"),
        (["--processes", 2, "--average-every", 0], "average_every: 0 is not 1 or more"),
        (["--processes", 2, "--distributed"], "both processes and distributed"),
    ],
)
def test_options_that_do_not_fit_are_refused(run_command, tmp_path, more, fault):
    code, _, error = run_command("wordrbm", "train", tmp_path, "--out", tmp_path / "m", *more)
    assert code == 2
    assert fault in error


def test_a_run_without_torchrun_is_refused(run_command, tmp_path):
    pytest.importorskip("torch", reason=REASON)
    code, _, error = run_command(
        "wordrbm", "train", tmp_path, "--out", tmp_path / "m", "--distributed"
    )
    assert code == 2
    assert "torchrun" in error


def test_a_killed_process_is_started_again_and_ends_with_the_same_bytes(tmp_path):
    pytest.importorskip("torch", reason=REASON)
    corpus = prepared(tmp_path, stories=20).path
    command = [sys.executable, "-m", "wordrbm", "train", str(corpus), *map(str, OPTIONS)]
    command += ["--windows", "16000", "--checkpoint-minutes", "0.001"]
    subprocess.run([*command, "--out", str(tmp_path / "alone")], check=True, capture_output=True)
    shared = [*command, "--out", str(tmp_path / "model"), "--processes", "2"]
    parent = subprocess.Popen(shared, stderr=subprocess.PIPE, text=True)
    while not list_checkpoints(tmp_path / "model") and parent.poll() is None:
        time.sleep(0.05)
    os.kill(youngest_child(parent.pid), signal.SIGKILL)
    _, error = parent.communicate(timeout=600)
    assert parent.returncode == 0, error
    assert final_files(tmp_path / "model") == final_files(tmp_path / "alone")


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)
def test_a_signal_saves_and_stops_all_processes(tmp_path, number, code):
    pytest.importorskip("torch", reason=REASON)
    corpus = prepared(tmp_path, stories=20).path
    command = ["train", corpus, *OPTIONS, "--windows", 10**7, "--out", tmp_path / "model"]
    command += ["--checkpoint-minutes", 0.001, "--processes", 2]
    words = [sys.executable, "-m", "wordrbm", *map(str, command)]
    parent = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not list_checkpoints(tmp_path / "model") and parent.poll() is None:
        time.sleep(0.05)
    if number == signal.SIGINT:  # a terminal sends it to all processes
        os.killpg(parent.pid, number)
    else:
        os.kill(parent.pid, number)
    _, error = parent.communicate(timeout=120)
    assert parent.returncode == code, error
    lines = [line for line in error.splitlines() if line]
    assert len(lines) == 1, error
    assert lines[0].startswith("Stopped; the checkpoint is in")


def youngest_child(pid):
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    )
    return max(map(int, children.stdout.split()))
