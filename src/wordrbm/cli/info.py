"""Commands on folders: `info`, what a folder or file holds, and `metrics`, the scores of runs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import classifier, tagger
from wordrbm.cli.options import AsJson, print_result
from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.analysis.history import Run

HIDDEN = {"grid", "coherence", "diversity"}  # in a report: a number for every point or topic
COLUMNS = {
    "step": ("step", ",.0f"),
    "windows": ("windows", ",.0f"),
    "cloze_perplexity": ("cloze", ",.2f"),
    "unigram_perplexity": ("unigram", ",.2f"),
    "free_energy_gap": ("gap", "+.3f"),
    "joint_bound": ("joint <=", ".2f"),
    "ten_heaviest": ("ten heaviest", ".1%"),
    "ten_heaviest_text": ("in text", ".1%"),
    "acceptance": ("acceptance", ".3f"),
    "jump_acceptance": ("jumps", ".3f"),
    "word_rate": ("word rate", ".3g"),
    "hidden_rate": ("hidden rate", ".3g"),
    "windows_per_second": ("windows/s", ",.0f"),
}
# The files of a classifier and of a tagger: the one that makes a folder one, and its report.
PREDICTORS = {
    "classifier": ("classifier.json", classifier.REPORT),
    "tagger": ("tagger.safetensors", tagger.REPORT),
}


def show_info(
    path: Annotated[
        Path,
        typer.Argument(help="A prepared corpus, model, checkpoint, classifier, tagger or topics."),
    ],
    as_json: AsJson = False,
) -> None:
    """Say what a folder made by wordrbm, or a checkpoint file, holds.

    \b
    Example:
      wordrbm info model
    """
    content = _metadata(path)
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in content.items())
    print_result(content, lines, as_json=as_json)


def _metadata(path: Path) -> dict[str, Any]:
    """What the corpus, model, run or checkpoint at a path says of itself."""
    from wordrbm.io import document_file
    from wordrbm.io.checkpoint import list_checkpoints
    from wordrbm.io.model_folder import METRICS, MODEL, read_metrics
    from wordrbm.io.tensors import read_metadata
    from wordrbm.text.corpus import MANIFEST, Manifest

    if (path / MANIFEST).exists():
        return {"kind": "prepared corpus", **Manifest.read(path).model_dump()}
    if path.is_file() and path.suffix == ".safetensors":
        return read_metadata(path)
    for kind, (name, report) in PREDICTORS.items():
        if (path / name).exists():
            command = f"wordrbm {kind} predict {path} FILE"
            return {"kind": kind, "command": command, **_read_report(path / report)}
    checkpoints = list_checkpoints(path)
    if not (path / MODEL).exists() and not checkpoints:
        fault = "holds none of the files that info reads" if path.exists() else "does not exist"
        raise WordRBMError(
            f"{path} {fault}; give a prepared corpus, the folder of a model, a training run, a "
            "classifier or a tagger, or a .safetensors file of one."
        )
    file = path / MODEL if (path / MODEL).exists() else checkpoints[-1]
    metrics = read_metrics(path / METRICS)
    content = {**read_metadata(file), "last_metrics": metrics[-1] if metrics else None}
    if content.get("kind") == document_file.KIND:
        content |= {"command": f"wordrbm documents topics {path}"}
        content |= _read_report(path / document_file.REPORT)
    return content


def _read_report(path: Path) -> dict[str, Any]:
    """What training measured, but for single points of a grid and single topics."""
    try:
        report = json.loads(path.read_text("utf-8"))
        return {name: value for name, value in report.items() if name not in HIDDEN}
    except (OSError, ValueError, AttributeError):  # saved from Python, without a report
        return {}


def show_metrics(
    runs: Annotated[list[Path], typer.Argument(help="Folders made by `wordrbm train`.")],
    out: Annotated[Path | None, typer.Option(help="Plot them too: .png or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the scores of training runs, finished or not; several are compared in one plot.

    The perplexity and the gap are of held-out windows.

    \b
    Example:
      wordrbm metrics model --out model.png
    """
    from wordrbm.analysis.history import read_run

    histories = [read_run(path, name) for path, name in zip(runs, _names(runs), strict=True)]
    if out is not None:
        from wordrbm.analysis.plots import plot_runs

        plot_runs(histories, out)
    rows = [{"run": run.name, **record} for run in histories for record in run.records]
    lines = [line for run in histories for line in (run.name, *_table(run), "")]
    print_result(rows, lines if out is None else [*lines, f"plot: {out}"], as_json=as_json)


def _names(runs: list[Path]) -> list[str]:
    """The folders' own names, or the whole paths of those that would be called the same."""
    names = [path.resolve().name for path in runs]
    return [
        str(path) if names.count(name) > 1 else name for path, name in zip(runs, names, strict=True)
    ]


def _table(run: "Run") -> list[str]:
    """Lines of right-aligned columns; a number that is not there is a dash."""
    columns = []
    for name, (title, form) in COLUMNS.items():
        values = [record.get(name) for record in run.records]
        cells = [title, *("-" if value is None else format(value, form) for value in values)]
        if any(value is not None for value in values):
            columns.append([cell.rjust(max(map(len, cells))) for cell in cells])
    return ["  ".join(row) for row in zip(*columns, strict=True)]
