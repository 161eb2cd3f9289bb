"""The notebooks run from top to bottom, at a tiny size, and are stored with their outputs."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
SMALLER = {
    "WINDOWS = 3_000_000": "WINDOWS = 200_000",
    "WINDOWS = 1_000_000": "WINDOWS = 200_000",
    "embedded=4_000": "embedded=500",
}
MAX_BYTES = 600_000


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the machinery of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    reason = "nbclient and ipykernel are not installed: pip install 'wordrbm[notebooks]'"
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
def test_a_notebook_is_stored_with_its_plots(path):
    """As `make notebooks` writes it: every cell that prints or draws has its output."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not [output for output in outputs if output["output_type"] == "error"]
    results = [output for output in outputs if output["output_type"] == "execute_result"]
    assert all(output["execution_count"] is None for output in results)
    for cell in cells:
        if cell["cell_type"] == "code" and re.search(r"print\(|Image\(", "".join(cell["source"])):
            assert cell["outputs"], "run `make notebooks`"
    assert path.stat().st_size < MAX_BYTES


def test_both_notebooks_are_there():
    assert [path.stem for path in NOTEBOOKS] == ["first_look", "objectives_and_proposals"]
