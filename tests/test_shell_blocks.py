"""Every line of every shell block is run, or checked where it cannot be.

Commands of the package run in this process, at tiny sizes, on made-up text. Commands that would
install, listen or need many machines are parsed, and the names they use are looked up.
"""

import gzip
import io
import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from tests.test_pages import PAGES, ROOT, blocks, folder, small_model  # noqa: F401 - fixtures
from wordrbm.cli.app import UsageError, app, main

# What makes a command small enough for a test; a later option wins over an earlier one.
SMALL = {
    "train": "--chains 32 --batch-size 32 --dimension 10 --hidden 20 --evaluations 2 --threads 1",
    "likelihood": "--windows 20 --chains 4 --temperatures 5",
    "mixing": "--cases 1 --steps 1,10",
    "sample": "--sweeps 10",
    "classifier train": "--windows 1600 --pretrain-windows 1600 --hidden 5 --finetune-epochs 1",
    "tagger train": "--penalties 0.2",
    "documents train": "--updates 5 --topics 2 --chains 8 --min-count 1 --max-share 1 --threads 1",
    "documents likelihood": "--particles 2 --documents 4",
    "doctor": "--no-self-test",  # tests/cli/test_doctor.py runs it
}
INSTEAD = {  # words that made-up text has, in place of those of a reader's text
    "sunday could hotel": "monday cat king",
    "the prime ___ said": "the ___ likes",
    "--trigrams": "",
}
WINDOWS = "--windows 2000"
# Commands that only parse here, and where they run.
PARSED = {
    "wordrbm explore": "explore/test_browser.py",  # it listens until Ctrl-C
    "--format spacy": "io/test_export.py",
    "--processes": "training/test_launcher.py",
    "--distributed": "training/test_network.py",
    "-completion": "cli/test_app.py",
}
# Pages whose commands run in tests of their own, on data of their own; here they are parsed.
RUN_ELSEWHERE = {
    "explore.md": "explore/test_browser.py",
    "many-machines.md": "training/test_launcher.py",
    "sentiment.md": "cli/test_classifier.py",
}
SLOW = {"classification.md", "mixing.md"}  # the README trains a classifier too
# Data of other places: the commands of the repository run on it in tests of their own.
EXPERIMENTS = ROOT / "tests" / "experiments"


@pytest.fixture
def reader(folder, small_model):  # noqa: F811
    """A folder with all that the pages assume a reader to have."""
    for name in ("model", "corpus"):
        shutil.copytree(small_model / name, folder / name)
    for name in ("FOLDER", "FILES"):
        shutil.copytree(folder / "news", folder / name)
    posts = [f"the shuttle reached the {x} orbit of king {x}" for x in ("first", "last", "low")]
    for name in ("posts.jsonl.gz", "heldout.jsonl"):
        text = "".join(json.dumps({"text": post}) + "\n" for post in 4 * posts).encode()
        (folder / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    (folder / "post.txt").write_text(posts[0])
    (folder / "mine.toml").write_text("seed = 2\n")
    (folder / "sentences.txt").write_text("the king sees gold on monday\nthe cat eats fish\n")
    shutil.copy(folder / "sentences.txt", folder / "review.txt")
    for kind, words in (("good", "the king sees gold"), ("bad", "the cat eats fish")):
        for data in ("reviews", "FOLDERS"):
            (folder / data / kind).mkdir(parents=True)
            for number in range(6):
                text = f"{words} on monday . " * (3 + number)
                (folder / data / kind / f"{number}.txt").write_text(text)
    columns = "The DT B-NP\nking NN I-NP\nsees VBZ B-VP\ngold NN B-NP\n. . O\n\n"
    for data in ("conll2000", "CONLL"):
        (folder / data).mkdir()
        (folder / data / "train.txt").write_text(columns * 20)
    (folder / "new.txt").write_text("The DT\ncat NN\nsees VBZ\nfish NN\n")
    (folder / "new").mkdir()
    (folder / "new" / "1.txt").write_text("the cat eats fish")
    return folder


def shell_lines(page: Path) -> Iterator[str]:
    """The lines of the shell blocks of a page, and the commands of blocks that show an output."""
    for language, text in blocks(page.name):
        lines = text.replace("\\\n", " ").splitlines()
        if language == "sh":
            yield from (line for line in lines if line.strip() and not line.startswith("#"))
        elif language in ("", "text"):
            yield from (line[2:] for line in lines if line.startswith("$ "))


def split_line(line):
    """The commands of a line, as words, with what `echo` gives the next one to read."""
    given = ""
    for part in re.split(r"\s\|\s|&&", re.sub(r"\$\([^)]*\)", "OUTPUT", line)):
        words = shlex.split(part, comments=True)
        if words[0] == "echo":
            given = " ".join(words[1:]) + "\n"
        else:
            yield words, given


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=[pytest.mark.slow] * (page.name in SLOW))
        for page in PAGES
    ],
)
def test_every_line_of_a_shell_block_runs_or_is_sound(page, request, monkeypatch, capfd):
    lines = list(shell_lines(page))
    place = RUN_ELSEWHERE.get(page.name)
    if place is None and any(line.lstrip().startswith(("wordrbm", "echo")) for line in lines):
        request.getfixturevalue("reader")
    for line in lines:
        for words, given in split_line(line):
            here = place is None and not any(part in line for part in PARSED)
            if words[0] == "wordrbm" and here:
                monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
                code = run_small(words[1:], monkeypatch)
                assert code == 0, f"{line}\n{capfd.readouterr().err}"
            else:
                check(words, line, place)


def run_small(words, monkeypatch):
    """Run a command of the package at a small size; its exit code."""
    text = shlex.join(words)
    for long, short in INSTEAD.items():
        text = text.replace(long, short)
    options = next((SMALL[name] for name in SMALL if text.startswith(name)), "")
    if text.startswith("train") and "--epochs" not in text:
        options += f" {WINDOWS}"
    words = [
        x for word in shlex.split(text) for x in (sorted(map(str, Path().glob(word))) or [word])
    ]
    words += shlex.split(options)
    if "--out" in words and "--resume" not in words:
        out = Path(words[words.index("--out") + 1])
        shutil.rmtree(out, ignore_errors=True)
    monkeypatch.setattr(sys, "argv", ["wordrbm", *words])
    with pytest.raises(SystemExit) as end:
        main(app)
    return end.value.code


def check(words, line, place=None):
    """A line that is not run here: its command, options, targets and extras exist."""
    if words[0] == "pip":
        check_extras(words)
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
    elif "experiments" in words:
        from experiments.__main__ import app as experiments

        parse(words[words.index("experiments") + 1 :], experiments)
        assert (EXPERIMENTS / words[words.index("experiments") + 1]).is_dir()
    elif "benchmarks" in words:
        from benchmarks.__main__ import EVERY

        names = words[words.index("benchmarks") + 1 :]
        assert {name for name in names if not name.startswith("-")} <= set(EVERY)
    elif "wordrbm" in words:
        place = place or next(PARSED[part] for part in PARSED if part in line)
        assert (ROOT / "tests" / place).exists()
        rest = words[words.index("wordrbm") + 1 :]
        if not rest[0].startswith("-"):  # options of the command itself act when parsed
            parse(rest)
    else:
        assert words[0] in ("export", "git", "cd", "source", "."), f"an unknown command: {line}"


def check_extras(words):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = re.findall(r"\[([\w,]+)\]", " ".join(words))
    asked = {extra for group in extras for extra in group.split(",")}
    assert asked <= set(project["optional-dependencies"])


def parse(words, application=app):
    """Parse a command line as the command would, without running it."""
    command, context = typer.main.get_command(application), None
    name, rest = "wordrbm", list(words)
    while hasattr(command, "commands"):
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
        context.resilient_parsing = False  # an unknown command is an error
        name, command, rest = command.resolve_command(context, rest)
    command.make_context(name, rest, parent=context)


def test_a_wrong_option_would_be_seen():
    with pytest.raises(UsageError):
        parse(["train", "corpus", "--out", "model", "--colour", "red"])
    with pytest.raises(UsageError):
        parse(["classifier", "trian"])
    parse(["train", "corpus", "--out", "model", "--hidden", "5"])


def test_an_unknown_target_extra_or_command_would_be_seen():
    for line in ("make coffee", "pip install 'wordrbm[everything]'", "rm -rf model"):
        with pytest.raises(AssertionError):
            check(shlex.split(line), line)
