"""`wordrbm info`: what a folder or a file of ours holds."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def info(
    path: Annotated[Path, typer.Argument(help="A prepared corpus, a model or a checkpoint.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say what a prepared corpus, a model folder, a run or a checkpoint file holds.

    \b
    Example:
      wordrbm info model
    """
    found = describe(path)
    if as_json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {json.dumps(value, ensure_ascii=False)}")


def describe(path: Path) -> dict[str, Any]:
    """The head of whatever lies at the path."""
    from wordrbm.io.checkpoint import list_checkpoints
    from wordrbm.io.metrics import read_metrics
    from wordrbm.io.model_folder import METRICS, MODEL
    from wordrbm.io.tensors import read_metadata
    from wordrbm.text.corpus import MANIFEST, Manifest

    if (path / MANIFEST).exists():
        return {"kind": "prepared corpus", **Manifest.read(path).model_dump()}
    if path.is_file():
        return read_metadata(path)
    checkpoints = list_checkpoints(path)
    file = path / MODEL if (path / MODEL).exists() or not checkpoints else checkpoints[-1]
    metrics = read_metrics(path / METRICS)
    return {**read_metadata(file), "last_metrics": metrics[-1] if metrics else None}
