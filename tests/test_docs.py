"""The documents name files and tests that exist, wrap their prose and keep sentences short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = [ROOT, ROOT / "src" / "wordrbm", ROOT / "tests", ROOT / "docs"]
ROOMS = (
    "analysis|classification|estimators|inference|io|kernels|likelihood|models|run|sampling|text"
)
NAMED_FILE = re.compile(
    rf"`((?:src|tests|docs|experiments|benchmarks|runs|{ROOMS})/"
    r"[\w/]+\.(?:py|sh|md))"
)
NAMED_TEST = re.compile(r"`(?:[\w/]+\.py::)?(test_\w+)(?:\[[^`]*\])?`")
# Pages that tell how things came to be: files they name may have gone since.
HISTORY = {"decisions.md", "benchmarks.md"}
NOT_WRAPPED = {"decisions.md", "explore.md", "many-machines.md"}
WRAPPED = [ROOT / "CHANGELOG.md", *(page for page in PAGES if page.name not in NOT_WRAPPED)]
README_LINES = 120
# Pages that a reader learns from, and the most words that a sentence of theirs may have.
GUIDES = (
    "classification", "explore", "exports", "glossary", "index", "install", "likelihood", "model",
    "own-text", "reliability", "results", "tagging", "training", "tutorial", "using",
)  # fmt: skip
LONGEST = 40


@pytest.mark.parametrize("page", [x for x in PAGES if x.name not in HISTORY], ids=lambda x: x.name)
def test_files_and_tests_exist(page):
    text = page.read_text("utf-8")
    sources = "\n".join(x.read_text("utf-8") for x in (ROOT / "tests").rglob("test_*.py"))
    files = NAMED_FILE.findall(text)
    missing = [name for name in files if not any((base / name).exists() for base in FOLDERS)]
    tests = [name for name in NAMED_TEST.findall(text) if f"def {name}(" not in sources]
    stems = {x.stem for x in (ROOT / "tests").rglob("test_*.py")}
    assert missing + [name for name in tests if name not in stems] == []


@pytest.mark.parametrize("page", WRAPPED, ids=lambda page: page.name)
def test_prose_is_wrapped(page):
    """Tables and formulas may be wider."""
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    assert [n for n, line in lines if len(line) > 120 and not line.startswith(("|", "    "))] == []


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < README_LINES


def sentences(text):
    """The sentences of a page, without code, tables, formulas, headings and targets of links."""
    text = re.sub(r"^```.*?^```|<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(\||#| {4}).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for paragraph in re.split(r"\n\s*\n|\n- |\n\d+\. ", text):
        yield from re.split(r"(?<=[.!?:;])\s+(?=[A-Z`*\[“])", " ".join(paragraph.split()))


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}.md" for name in GUIDES)])
def test_sentences_are_short(page):
    text = (ROOT / page).read_text("utf-8")
    assert [x for x in sentences(text) if len(x.split()) > LONGEST] == []


def test_sentences_of_a_page():
    text = "# A heading\n\nOne [link](a.md). Two:\n\n- three;\n- four. Five\n\n```sh\nno\n```\n"
    assert [x for x in sentences(text) if x] == ["One [link].", "Two:", "- three;", "four.", "Five"]
