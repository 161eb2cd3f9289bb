"""The notebooks run from top to bottom, in a kernel of their own, at a tiny size."""

import os
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
SMALLER = {
    "WINDOWS = 3_000_000": "WINDOWS = 400_000",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the machinery of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    reason = "nbclient and ipykernel are not installed: pip install nbclient ipykernel"
    nbclient = pytest.importorskip("nbclient", reason=reason)
    nbformat = pytest.importorskip("nbformat", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for long, short in SMALLER.items():
            cell.source = cell.source.replace(long, short)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, resources=resources).execute()
    outputs = [x for cell in notebook.cells for x in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path):
    text = path.read_text("utf-8")
    assert '"outputs": []' in text
    assert "image/png" not in text


def test_the_notebooks_are_found():
    assert NOTEBOOKS
