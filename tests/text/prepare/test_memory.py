"""Preparing needs the same memory, in all processes, for a text and for one ten times as long."""

import random
import sys

import pytest

from tests.memory import peak_memory

SCRIPT = """
import sys
from pathlib import Path
from wordrbm.text.prepare import jobs
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.prepare import PrepareSettings
jobs.JOB_BYTES = 1
for _ in prepare_corpus([Path(sys.argv[1])], Path(sys.argv[2]), PrepareSettings(), 2):
    pass
"""
WORDS, FILES = 30_000, 8  # words of a file, which is a job; files of the shorter corpus


def made_up(folder, files):
    """Stories of 3,000 different words, each a line."""
    rng, words = random.Random(files), [f"word{number:x}" for number in range(3_000)]
    folder.mkdir()
    for number in range(files):
        stories = (" ".join(rng.choices(words, k=50)) for _ in range(WORDS // 50))
        lines = "".join(f'{{"text": "{story}."}}\n' for story in stories)
        (folder / f"{number:03}.jsonl").write_text(lines)
    return folder


def peak(folder, files):
    texts = made_up(folder, files)
    return peak_memory([sys.executable, "-c", SCRIPT, texts, folder.with_suffix(".out")])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_text(tmp_path, tally):
    short, long = peak(tmp_path / "short", FILES), peak(tmp_path / "long", 10 * FILES)
    tally(f"preparing memory, ten times the text: {long / short:.3f} ({short / 2**20:.0f} MB)")
    assert long < 1.05 * short
