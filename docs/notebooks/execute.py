"""Run the notebooks and store them with their outputs: `make notebooks`.

Each runs in an empty folder. Times and numbers of execution are not stored, so that a notebook
changes only where its results do. Plots are stored small, with few colours.
"""

import base64
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).parent
TIMEOUT = 1800  # seconds for a cell
WIDTH, COLOURS = 900, 64  # of a stored plot


def execute(notebook: Any) -> None:
    """Run all cells, in order, in a kernel of this environment."""
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=TIMEOUT, resources=resources).execute()


def tidy(notebook: Any) -> None:
    """Remove what differs from run to run without being a result."""
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = joined(cell.outputs)
        for output in cell.get("outputs", []):
            if output.output_type == "execute_result":
                output.execution_count = None  # the format wants the key
            output.get("metadata", {}).clear()
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = smaller(data["image/png"])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs, with what was printed in several pieces as one."""
    whole: list[Any] = []
    for output in outputs:
        if whole and output.get("name") == whole[-1].get("name") == "stdout":
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def smaller(png: str) -> str:
    """A plot at most `WIDTH` wide with `COLOURS` colours, as base64."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    image.thumbnail((WIDTH, WIDTH))
    file = io.BytesIO()
    image.quantize(COLOURS).save(file, "png", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def main(names: list[str]) -> None:
    """Run the notebooks named, or all of them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = nbformat.read(path, as_version=4)
            execute(notebook)
            tidy(notebook)
            nbformat.write(notebook, path)
            print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
