"""Memory of `wordrbm train` beyond parameters, optimiser and the pages of its corpus.

The command runs in a process of its own, with a checkpoint and a held-out score, and is looked at
many times a second. Pages of the corpus belong to the system, which takes them back when it likes.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.ratios import Figure, spread
from benchmarks.resident import Resident, resident
from benchmarks.running import ENDLESS
from wordrbm.text.corpus import IDS, PreparedCorpus

BETWEEN = 0.02  # seconds between two looks
OPTIONS = [
    "--evaluations=1",
    "--heldout-windows=128",  # scored 64 at a time by each thread: more would take no more memory
    "--checkpoint-minutes=0.02",
    "--quiet",
]


def measure(effort: Effort) -> dict[str, Figure]:
    """The most that was held beyond what the model and the corpus need."""
    prepared = corpora.large()
    needed = model_megabytes(len(prepared.vocabulary))
    peaks = [peak(prepared, effort.memory_windows) for _ in range(effort.processes)]
    most = max(peaks, key=beyond)
    note = f"peak {most.anonymous + most.mapped:.0f} MB: own {most.anonymous:.0f}, of it model "
    note += f"{needed:.0f}; mapped {most.mapped:.0f}, of it corpus {most.named:.0f}"
    extra = [beyond(one) - needed for one in peaks]
    return {"beyond model and corpus": spread(extra, unit="MB", goal="≤ 300 MB", note=note)}


def beyond(held: Resident) -> float:
    """All but the pages of the corpus."""
    return held.anonymous + held.mapped - held.named


def model_megabytes(K: int) -> float:
    """Parameters D, U, b, c and the velocities of U and c, in single precision."""
    n, d, H = ENDLESS.window, ENDLESS.dimension, ENDLESS.hidden
    return 4 * (K * d + K + 2 * (n * H * d + H)) / 1e6


def peak(prepared: PreparedCorpus, windows: int) -> Resident:
    """What a run held when it held most beside its corpus."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "model")
        command = [sys.executable, "-m", "wordrbm", "train", str(prepared.path), "--out", out]
        looks = looked_at([*command, *OPTIONS, f"--windows={windows}"], prepared.path / IDS)
        return max(looks, key=beyond)


def looked_at(command: list[str], file: Path) -> Iterator[Resident]:
    """What a command's process holds, again and again until it ends."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            yield resident(process.pid, file)
        except (ProcessLookupError, FileNotFoundError):  # it has just ended
            continue
        time.sleep(BETWEEN)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
