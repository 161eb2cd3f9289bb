"""All benchmarks, or those named: one table on the screen, JSON and Markdown in files.

    python -m benchmarks [NAME ...] [--json FILE] [--quick]

What each figure means is told in docs/benchmarks.md.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.corpora import OUT
from benchmarks.effort import FULL, LONG, QUICK, Effort
from benchmarks.ratios import Figure, absent
from benchmarks.table import plain, write

USUAL = [
    "growth", "operators", "others", "bound", "threads", "word2vec", "checkpoints", "learning",
    "memory", "startup", "text", "coupling", "documents",
]  # fmt: skip
ONE_SIZE = {"text", "coupling"}  # they take no effort
EFFORTS = {"learning_long": LONG}  # run only when named
EVERY = [*USUAL, *EFFORTS]


def run(name: str, effort: Effort) -> dict[str, Figure]:
    """The figures of one benchmark; one whose package is missing is told and passed over."""
    try:
        module = import_module(f"benchmarks.{name}")
        found = module.measure() if name in ONE_SIZE else module.measure(effort)
    except ModuleNotFoundError as error:
        return {"-": absent(f"{error.name} is not installed")}
    return {
        figure: row if isinstance(row, Figure) else Figure(**row) for figure, row in found.items()
    }


def main() -> None:
    """Run, and write after each benchmark, so that one that fails loses nothing."""
    asked = arguments()
    figures = {}
    for name in asked.names or USUAL:
        began = time.monotonic()
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures[name] = run(name, QUICK if asked.quick else EFFORTS.get(name, FULL))
        print(f"{name} took {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        write(figures, asked.json)
    print(plain(figures))


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EVERY))
    parser.add_argument("--json", type=Path, default=OUT / "benchmarks.json", help="where to write")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it runs")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(EVERY):
        parser.error(f"there is no benchmark {min(unknown)}; there are {', '.join(EVERY)}")
    return asked


if __name__ == "__main__":
    main()
