"""Seconds until something is seen: `wordrbm --help`, and the first update of `wordrbm train`.

The compiled loops are in their cache, as they are from the second run on.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.ratios import Figure, spread
from benchmarks.running import seconds
from wordrbm.text.corpus import PreparedCorpus

DEADLINE = 300.0  # seconds of a process


def measure(effort: Effort) -> dict[str, Figure]:
    """Help, then training from the start of the process and from the corpus loaded."""
    prepared = corpora.large()
    first_update(prepared)  # compiles what is not in the cache
    helps, runs = [], []
    for _ in range(effort.processes):
        helps.append(seconds(show_help))
        runs.append(first_update(prepared))
    total = [run["first update"] for run in runs]
    after = [run["first update"] - run["corpus open"] for run in runs]
    note = f"{prepared.manifest.counts.tokens:,} words, K = {len(prepared.vocabulary):,}"
    checked = f"of it {seconds(prepared.verify):.2f} s to check the corpus"
    return {
        "wordrbm --help": spread(helps, unit="s", goal="< 0.5 s"),
        "from start to first update": spread(total, unit="s", note=note),
        "from corpus to first update": spread(after, unit="s", goal="< 3 s", note=checked),
    }


def show_help() -> None:
    """As the user does."""
    subprocess.run([sys.executable, "-m", "wordrbm", "--help"], check=True, capture_output=True)


def first_update(prepared: PreparedCorpus) -> dict[str, float]:
    """When a run had opened its corpus and when it had made its first update, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "model")
        module = [sys.executable, "-m", "benchmarks.first_update"]
        command = [*module, str(time.time()), str(prepared.path), out]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE)
    times: dict[str, float] = json.loads(done.stdout)
    return times
