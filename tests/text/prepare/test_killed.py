"""`kill -9` anywhere, then --resume: the files are those of a prepare that was never killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.text.prepare.killed_prepare import JOB_BYTES, SETTINGS
from wordrbm.text.prepare import jobs
from wordrbm.text.prepare.pipeline import prepare_corpus

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and kills groups")
SCRIPT = [sys.executable, str(Path(__file__).with_name("killed_prepare.py"))]
WORDS = ["the", "a", "of", "cat", "dog", "U.S.", "1,999", "can't", "Corp.", "over", "café"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Sixteen files, each a job of its own."""
    folder, rng = tmp_path_factory.mktemp("texts"), random.Random(20120626)
    for number in range(16):
        words = rng.choices(WORDS, k=600)
        (folder / f"{number:02}.txt").write_text(" ".join(words), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def expected(texts, tmp_path_factory):
    return resume(texts, tmp_path_factory.mktemp("fresh") / "out", 1)


def resume(texts, out, workers):
    """Go on in this process, and read what stands there in the end."""
    before, jobs.JOB_BYTES = jobs.JOB_BYTES, JOB_BYTES
    try:
        for _ in prepare_corpus([texts], out, SETTINGS, workers, resume=True):
            pass
    finally:
        jobs.JOB_BYTES = before
    assert not out.with_name(f".{out.name}.partial").exists(), "no work is left"
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture(scope="module")
def start(texts):
    """A function that starts a prepare in a group of its own and gives its number."""
    command = [*SCRIPT, str(texts), "serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:

        def start(out, workers):
            server.stdin.write(f"{out} {workers}\n")
            server.stdin.flush()
            leader = int(server.stdout.readline())
            stages = out.with_name(f"{out.name}.stages")
            wait_until(lambda: stages.exists() and stages.read_text())
            return leader

        yield start
        server.stdin.close()


def random_kills(start, texts, expected, folder, count, seed):
    """Kill the group, the parent or a child after some time, and resume at once; tells how many."""
    rng, seen = random.Random(seed), Counter()
    for number in range(count):
        out, workers = folder / f"out{number}", rng.choice([1, 2])
        whom = rng.choice(["parent", "group", "child"])
        leader = start(out, workers)
        time.sleep(rng.uniform(0, 0.35))
        kill(leader, whom, rng)
        seen[f"{whom}, {how_far(out)}"] += 1
        assert resume(texts, out, rng.choice([1, 2])) == expected, f"{number}: {whom}"
    return f"prepare killed {count} times at random: {dict(sorted(seen.items()))}"


def kill(leader, whom, rng):
    with suppress(ProcessLookupError):  # it ended meanwhile
        if whom == "group":
            os.killpg(leader, signal.SIGKILL)
        else:
            others = session(leader) if whom == "child" else []
            os.kill(rng.choice(others or [leader]), signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{leader}").exists())  # one without its child ends itself


def how_far(out):
    done = sum(path.name.isdigit() for path in out.parent.glob(f".{out.name}.partial/*"))
    return "all done" if out.exists() else "no job done" if not done else "some jobs done"


def wait_until(happened):
    began = time.monotonic()
    while not happened():
        assert time.monotonic() - began < 30
        time.sleep(0.005)


def session(leader):
    """The processes of a session but its leader: fork server, workers, and what they start."""
    pids = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[3]) == leader and int(path.parent.name) != leader:
            pids.append(int(path.parent.name))
    return pids


def killed_at_steps(texts, expected, folder, first, stride):
    """A prepare for every step, killed there and resumed; a summary."""
    command = [*SCRIPT, str(texts), str(folder / "out"), str(first), "100000", str(stride)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) > 5
    for step, _ in rows:
        assert resume(texts, folder / f"out{step}", 1) == expected, f"killed at step {step}"
    return f"prepare killed at {len(rows) - 1} of its {rows[-1][0]} steps"


def test_killed_at_random_moments(start, texts, expected, tmp_path, tally):
    tally(random_kills(start, texts, expected, tmp_path, 10, 1))


def test_killed_at_some_steps(texts, expected, tmp_path, tally):
    tally(killed_at_steps(texts, expected, tmp_path, 3, 61))


@pytest.mark.slow
def test_killed_at_more_random_moments(start, texts, expected, tmp_path, tally):
    tally(random_kills(start, texts, expected, tmp_path, 40, 2))


@pytest.mark.slow
def test_killed_at_many_steps(texts, expected, tmp_path, tally):
    tally(killed_at_steps(texts, expected, tmp_path, 1, 5))
