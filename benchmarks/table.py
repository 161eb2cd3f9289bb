"""All figures as one table: for the terminal, as Markdown, and as JSON."""

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.ratios import Figure
from wordrbm.threads import available_cores

Figures = Mapping[str, Mapping[str, Figure]]  # by benchmark, then by name
HEAD = ("benchmark", "figure", "median", "least", "most", "goal", "note")
DIGITS = [(100, 0), (10, 1), (0.1, 3), (0, 5)]  # after the point, of numbers from here on


def plain(figures: Figures) -> str:
    """Columns of equal width; the notes come last and may be long."""
    lines = [HEAD, *rows(figures)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD) - 1)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, [*widths, 0], strict=True))
        for line in lines
    )


def markdown(figures: Figures) -> str:
    """The same for a document."""
    lines = [HEAD, ("---",) * len(HEAD), *rows(figures)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rows(figures: Figures) -> list[tuple[str, ...]]:
    """A line for each figure, as words."""
    return [
        (benchmark, name, *(shown(value, one.unit) for value in one[:3]), one.goal, one.note)
        for benchmark, found in figures.items()
        for name, one in found.items()
    ]


def shown(value: float | None, unit: str) -> str:
    """A number with as many digits as can be trusted."""
    if value is None:
        return "-"
    digits = next(digits for least, digits in DIGITS if abs(value) >= least)
    return f"{value:,.{digits}f} {unit}".rstrip()


def write(figures: Figures, path: Path) -> None:
    """The JSON file, and the Markdown table beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {
        benchmark: {name: one._asdict() for name, one in of_one.items()}
        for benchmark, of_one in figures.items()
    }
    path.write_text(json.dumps({"machine": machine(), "figures": found}, indent=2) + "\n")
    path.with_suffix(".md").write_text(markdown(figures) + "\n")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("wordrbm", "numpy", "numba")}
    return {
        "processor": processor(),
        "cores": available_cores(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        **packages,
    }


def processor() -> str:
    """Its name, as Linux tells it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
