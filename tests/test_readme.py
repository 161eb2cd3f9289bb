"""The README's examples, run as they stand, one after the other, in a folder that has a model."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpora import prepared, story
from tests.run.test_training_run import finish, run

README = Path(__file__).parent.parent / "README.md"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with some text, a corpus prepared from it and a model trained on that."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "news").mkdir()
    for number in range(20):
        (folder / "news" / f"{number}.txt").write_text(story(number))
    corpus = prepared(folder / "made_up")
    finish(
        run(corpus, folder / "model", windows=32 * 4000, dimension=10, hidden=20, word_rate=0.03)
    )
    return folder


def test_every_example_runs_as_it_stands(folder, monkeypatch, tally):
    monkeypatch.chdir(folder)
    names, examples, shown = {}, 0, 0
    for language, text in FENCED.findall(README.read_text()):
        if language == "python":
            examples += run_python(text, names)
        elif language == "console":
            shown += run_commands(text)
    tally(f"README: {examples} lines of Python and {shown} commands ran as shown")
    assert examples >= 30
    assert shown >= 2


def run_python(text, names):
    """Run a block, which knows the names of those before it; how many examples it has."""
    runner = doctest.DocTestRunner(optionflags=LOOSELY)
    block = doctest.DocTestParser().get_doctest(text, names, "README", str(README), 0)
    result = runner.run(block, clear_globs=False)
    names.update(block.globs)
    assert result.failed == 0
    return result.attempted


def run_commands(text):
    """Run the lines that begin with $ and compare what they print; how many there are."""
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, _, output in (part.partition("\n") for part in commands):
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, done.stderr
        assert doctest.OutputChecker().check_output(output, done.stdout, LOOSELY), done.stdout
    return len(commands)
