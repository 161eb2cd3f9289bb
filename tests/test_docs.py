"""The documents name files and tests that exist, and wrap their prose."""

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
WRAPPED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/architecture.md"]


@pytest.mark.parametrize("page", [x for x in PAGES if x.name not in HISTORY], ids=lambda x: x.name)
def test_files_and_tests_exist(page):
    text = page.read_text("utf-8")
    sources = "\n".join(x.read_text("utf-8") for x in (ROOT / "tests").rglob("test_*.py"))
    files = NAMED_FILE.findall(text)
    missing = [name for name in files if not any((base / name).exists() for base in FOLDERS)]
    tests = [name for name in NAMED_TEST.findall(text) if f"def {name}(" not in sources]
    stems = {x.stem for x in (ROOT / "tests").rglob("test_*.py")}
    assert missing + [name for name in tests if name not in stems] == []


@pytest.mark.parametrize("page", WRAPPED)
def test_prose_is_wrapped(page):
    lines = enumerate((ROOT / page).read_text("utf-8").splitlines(), 1)
    assert [n for n, line in lines if len(line) > 120 and not line.startswith("|")] == []
