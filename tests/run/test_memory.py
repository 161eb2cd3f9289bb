"""Training needs the same memory for a text and for one ten times as long."""

import sys

import pytest

from tests.corpora import prepared
from tests.memory import peak_memory

OPTIONS = ["--windows", 512 * 600, "--evaluations", 2, "--threads", 2, "--quiet"]


def peak(folder, stories):
    corpus = prepared(folder, stories=stories, sentences=3000).path
    command = [sys.executable, "-m", "wordrbm", "train", corpus, "--out", folder / "model"]
    return peak_memory([*command, *OPTIONS])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text(tmp_path, tally):
    short, long = peak(tmp_path / "short", 20), peak(tmp_path / "long", 200)
    tally(f"training memory, ten times the text: {long / short:.3f} ({short / 2**20:.0f} MB)")
    assert long < 1.05 * short
