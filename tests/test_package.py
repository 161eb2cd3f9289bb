"""The packages: what they contain, and that they work where nothing else is installed."""

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import wordrbm

ROOT = Path(__file__).parents[1]
SITE = Path(pytest.__file__).parents[1]  # where the dependencies are


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A wheel and a source distribution, by `python -m build` with the installed backend."""
    pytest.importorskip("build", reason="build is not installed")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def wheel(packages):
    return next(path for path in packages if path.suffix == ".whl")


def clean_environment():
    """The environment without what would show the sources of this folder to another Python."""
    return {name: x for name, x in os.environ.items() if name not in ("PYTHONPATH", "COVERAGE")}


def run(python, *arguments, cwd):
    done = subprocess.run(
        [python, "-m", "wordrbm", *map(str, arguments)], cwd=cwd, env=clean_environment(),
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "wordrbm").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if ".dist-info/" not in name} == sources
    assert "wordrbm/py.typed" in sources


def test_the_metadata_are_complete(wheel):
    archive = zipfile.ZipFile(wheel)
    name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(archive.read(name))
    assert metadata["Version"] == wordrbm.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Author"]
    assert metadata.get_all("Project-URL")
    versions = [f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)]
    assert set(versions) < set(metadata.get_all("Classifier"))
    assert metadata.get_payload().startswith("# wordrbm")


def test_there_is_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "version" not in project
    assert f"\nversion: {wordrbm.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {wordrbm.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_wheel_works_by_itself(wheel, trained_folders, tmp_path):
    """In an environment that has the dependencies, and of the package the wheel alone."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(f"{SITE}\n")
    where = subprocess.run(
        [python, "-c", "import wordrbm; print(wordrbm.__file__)"],
        cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(site), where.stderr
    assert run(python, "--version", cwd=tmp_path) == f"wordrbm {wordrbm.__version__}\n"
    assert "monday" in run(python, "neighbours", trained_folders[0], "friday", cwd=tmp_path)
    (tmp_path / "news.txt").write_text("The cat eats fish on Monday.\n" * 50)
    assert "corpus" in run(python, "prepare", "news.txt", "--out", "corpus", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".whl", ".gz"])
def test_a_package_in_a_clean_environment_runs_the_demo(packages, tmp_path, suffix):
    """The package and its dependencies alone, in an empty folder; this installs and compiles."""
    package = next(path for path in packages if path.suffix == suffix)
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", f"wordrbm[demo] @ {package.as_uri()}"]
    done = subprocess.run(install, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    (tmp_path / "empty").mkdir()
    shown = run(python, "demo", "--windows", 200_000, "--quiet", cwd=tmp_path / "empty")
    assert "june" in shown
    assert (tmp_path / "empty" / "demo" / "model" / "model.safetensors").exists()
