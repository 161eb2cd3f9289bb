"""Break the code on purpose: every planted bug must be caught by the test named for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.planted_bugs import BUGS

ROOT = Path(__file__).parent.parent


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and its tests, free to be broken."""
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in ("src", "tests", "experiments"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    return tmp_path


def run(copy, test):
    """Pytest's exit code in the copy; without compilation, which a single small test can spare."""
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name.replace(" ", "_"))
def test_a_planted_bug_is_caught(copy, bug):
    outside = bug.file.startswith("experiments/")
    path = (copy if outside else copy / "src" / "wordrbm") / bug.file
    source = path.read_text()
    assert source.count(bug.text) >= 1, "the place to plant the bug has moved"
    path.write_text(source.replace(bug.text, bug.becomes))
    code, output = run(copy, bug.caught_by)
    assert code == 1, output  # 1: a test failed; anything else is no catch


@pytest.mark.slow
def test_the_copy_without_a_bug_passes(copy):
    for test in sorted({bug.caught_by for bug in BUGS}):
        code, output = run(copy, test)
        assert code == 0, output
