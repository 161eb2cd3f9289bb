"""Pages made from the stored notebooks, with their outputs; nothing is executed."""

import base64
import json
from pathlib import Path
from typing import Any


def write_notebook_pages(notebooks: Path, folder: Path) -> None:
    """Write a page, and its images, for every notebook."""
    for path in sorted(notebooks.glob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        images: dict[str, bytes] = {}
        parts = [part for cell in cells for part in cell_parts(cell, path.stem, images)]
        source = f"Download it: {{download}}`{path.name} <../notebooks/{path.name}>`."
        (folder / f"{path.stem}.md").write_text("\n\n".join([*parts, source]) + "\n", "utf-8")
        for name, data in images.items():
            (folder / name).write_bytes(data)


def cell_parts(cell: Any, stem: str, images: dict[str, bytes]) -> list[str]:
    """A cell as Markdown; its images are added to `images` by their file names."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [text]
    parts = [f"```python\n{text}\n```"]
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            name = f"{stem}-{len(images) + 1}.png"
            images[name] = base64.b64decode("".join(data["image/png"]))
            parts.append(f"![{stem.replace('_', ' ')}, plot {len(images)}]({name})")
        elif output["output_type"] == "stream" and output["name"] == "stdout":
            parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
    return parts
