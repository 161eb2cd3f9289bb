"""Break the code on purpose: every planted bug must be caught by the test named for it."""

import itertools
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.planted_bugs import BUGS
from tests.zygote import Zygote

ROOT = Path(__file__).parent.parent
OPTIONS = [
    "-xq", "--tb=short", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin",
    "--hypothesis-profile=unshrunk", "-m", "not slow",
    "-p", "no:threadexception", "-p", "no:unraisableexception",  # five collections at every end
]  # fmt: skip
# Without what a single small test can spare: compilation, other plugins, checks of shapes.
ENVIRONMENT = {
    "NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "WITHOUT_SHAPE_CHECKS": "1"
}  # fmt: skip
SECONDS = itertools.count(1_000_000_000)  # no two contents of a file have the same time


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package and its tests, free to be broken."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in ("src", "tests", "experiments", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def run(copy, tmp_path_factory):
    """Run a test in the copy; gives pytest's exit code and output."""
    zygote, log = Zygote("tests.pytest_zygote", **ENVIRONMENT), copy / "log"

    def call(test):
        log.unlink(missing_ok=True)
        return zygote.run(copy, *OPTIONS, test, log=log), log.read_text()

    yield call
    zygote.close()


@contextmanager
def planted(copy, bug):
    outside = bug.file.startswith("experiments/")
    path = (copy if outside else copy / "src" / "wordrbm") / bug.file
    source = path.read_text()
    assert source.count(bug.text) >= 1, "the place to plant the bug has moved"
    write(path, source.replace(bug.text, bug.becomes))
    yield
    write(path, source)


def write(path, source):
    """Write a file with a time of its own, by which Python knows that its bytecode is another."""
    path.write_text(source)
    os.utime(path, (second := next(SECONDS), second))


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name.replace(" ", "_"))
def test_a_planted_bug_is_caught(copy, run, bug):
    with planted(copy, bug):
        code, output = run(bug.caught_by)
    assert code == 1, output  # 1: a test failed; anything else is no catch


@pytest.mark.slow
def test_the_copy_without_a_bug_passes(run):
    for test in sorted({bug.caught_by for bug in BUGS}):
        code, output = run(test)
        assert code == 0, output
