"""A disk that is full, read-only or broken: a clear sentence, and the run goes on from before."""

import errno
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.corpora import prepared
from tests.failing_storage import failing
from tests.run.test_training_run import final_files, finish, run
from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import latest_checkpoint, list_checkpoints

ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT]
SMALL = {"windows": 32 * 12, "evaluations": 3}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


def training(corpus, out):
    return run(corpus, out, threads=1, checkpoint_seconds=0.0, **SMALL)


def test_every_fault_is_told_and_the_run_goes_on(corpus, tmp_path, tally):
    finish(training(corpus, tmp_path / "first"))  # all is compiled, so the next opens only its own
    with failing() as calls:
        finish(training(corpus, tmp_path / "whole"))
    whole, choose, failed = final_files(tmp_path / "whole"), random.Random(3), Counter()
    places = list(range(1, calls.count + 1))
    for number in range(100):
        out = tmp_path / str(number)
        at = places[number * len(places) // 100]
        failed[one_fault(corpus, out, at, choose.choice(ERRORS))] += 1
        finish_after_fault(corpus, out)
        assert final_files(out) == whole, f"fault at call {at}"
    tally(f"100 injected storage faults ({dict(failed)}): told, resumed, byte-identical")


def one_fault(corpus, out, at, error):
    """Train on a disk that fails once; gives the name of the call that did."""
    said = os.strerror(error)
    with failing(at, error) as calls:
        try:
            finish(training(corpus, out))
        except WordRBMError as refusal:
            said = str(refusal)
    assert os.strerror(error) in said
    assert "\n" not in said
    assert calls.failed, f"there was no call {at}"
    return calls.failed


def finish_after_fault(corpus, out):
    """The previous checkpoint loads, and the run ends as if nothing had been."""
    if list_checkpoints(out):
        assert latest_checkpoint(out, training(corpus, out).identity) is not None
    for _ in training(corpus, out).run(resume=True):
        pass


def test_a_folder_that_cannot_be_written_is_told(corpus):
    with pytest.raises(WordRBMError, match=r"Could not write /proc/wordrbm: .*choose"):
        finish(training(corpus, Path("/proc/wordrbm")))


def test_a_real_write_that_fails_is_told(corpus, tmp_path):
    """The system itself refuses to let a file grow beyond 4 KB."""
    command = f'ulimit -f 4; exec "{sys.executable}" -m wordrbm train "$0" --out "$1" --quiet'
    arguments = [str(corpus.path), str(tmp_path / "model")]
    done = subprocess.run(
        ["bash", "-c", f"{command} --windows 1024", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("wordrbm: Could not write")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("**/*.part"))
