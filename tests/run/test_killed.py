"""Kill a training run wherever it stands, again and again: the final bytes are the same."""

import os
import random
import signal
import time

import pytest

from tests.corpora import prepared
from tests.run.test_training_run import final_files
from tests.zygote import command_zygote
from wordrbm.io.checkpoint import list_checkpoints

OPTIONS = [
    "--window", 3, "--dimension", 8, "--hidden", 16, "--mh-steps", 10, "--batch-size", 64,
    "--chains", 64, "--windows", 64 * 400, "--evaluations", 5, "--heldout-windows", 50,
    "--quiet",
]  # fmt: skip
KILLS_A_RUN = 5
SOONER = 0.7  # of the time a run took, where one was done before its signal: the machine was busy


@pytest.fixture(scope="module")
def zygote():
    return command_zygote()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up")).path


@pytest.fixture(scope="module")
def whole(zygote, corpus, tmp_path_factory):
    """The files of a run that nobody disturbed, and how many seconds it took."""
    folder = tmp_path_factory.mktemp("whole")
    began = time.monotonic()
    assert zygote.run(*command(corpus, folder / "model"), log=folder / "log") == 0
    return final_files(folder / "model"), time.monotonic() - began


def command(corpus, out, threads=1, minutes=0.0):
    extra = ["--threads", threads, "--checkpoint-minutes", minutes, "--resume"]
    return ["train", corpus, "--out", out, *OPTIONS, *extra]


def interrupted(zygote, arguments, log, number, seconds):
    """Start a run and send it a signal after so many seconds; its exit code, and how long it took
    to be gone."""
    child = zygote.start(*arguments, log=log)
    time.sleep(seconds)
    sent = time.monotonic()
    os.kill(child, number)
    return zygote.wait(child), time.monotonic() - sent


def killed_run(zygote, corpus, files, seconds, folder, seed):
    """Kill one run several times, let it end, compare; how many kills it lived through."""
    choose, kills = random.Random(seed), 0
    threads, minutes = choose.choice([1, 2, 4]), choose.choice([0.0, 0.0, 0.001])
    arguments = command(corpus, folder / "model", threads, minutes)
    while kills < KILLS_A_RUN:
        wait = choose.uniform(0.0, seconds / 3)
        code, _ = interrupted(zygote, arguments, folder / "log", signal.SIGKILL, wait)
        if code == 0:
            break  # it was done before we struck
        kills += 1
    assert zygote.run(*arguments, log=folder / "log") == 0, (folder / "log").read_text()
    assert final_files(folder / "model") == files, f"seed {seed}"
    return kills


def kill_often(zygote, corpus, whole, tmp_path, count):
    kills, seed, (files, seconds) = 0, 0, whole
    while kills < count:
        folder = tmp_path / str(seed)
        folder.mkdir()
        lived = killed_run(zygote, corpus, files, seconds, folder, seed)
        kills, seed = kills + lived, seed + 1
        seconds *= 1.0 if lived else SOONER
    return f"{kills} kill -9 in {seed} training runs, resumed: final files byte-identical"


def test_a_run_killed_at_random_ends_with_the_same_bytes(zygote, corpus, whole, tmp_path, tally):
    tally(kill_often(zygote, corpus, whole, tmp_path, 20))


@pytest.mark.slow
def test_a_run_killed_200_times_ends_with_the_same_bytes(zygote, corpus, whole, tmp_path, tally):
    tally(kill_often(zygote, corpus, whole, tmp_path, 200))


def test_a_terminated_run_is_saved_and_gone_in_time(zygote, corpus, whole, tmp_path, tally):
    files, seconds = whole
    choose, slowest, heard, saved = random.Random(1), 0.0, 0, 0
    while heard < 50:
        folder = tmp_path / f"{heard} {time.monotonic()}"
        folder.mkdir()
        arguments = command(corpus, folder / "model", threads=choose.choice([1, 2]), minutes=5)
        order = choose.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGINT])
        wait = choose.uniform(0.05, 0.4) * seconds
        code, took = interrupted(zygote, arguments, folder / "log", order, wait)
        if code == 0:
            seconds *= SOONER
            continue  # it was done before
        assert code in (128 + order, -order), (folder / "log").read_text()
        heard, slowest = heard + 1, max(slowest, took)
        saved += bool(list_checkpoints(folder / "model"))
        if heard % 5 == 0:
            assert zygote.run(*arguments, log=folder / "log") == 0
            assert final_files(folder / "model") == files
    assert slowest < 5.0
    tally(f"50 SIGTERM or SIGINT, {saved} after the first update: gone within {slowest:.2f} s")
