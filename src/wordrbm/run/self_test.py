"""Does the installed package compute rightly on this machine? Three checks in seconds.

exact      log Z of a tiny model, once as a sum over windows and once over hidden vectors
same bits  a short training with one thread and with two gives the same parameters
learning   windows of the made-up text have a lower free energy than the same words shuffled

The first training compiles, which takes half a minute once; its time is reported apart.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.models.exact import log_Z_over_h, log_Z_over_v
from wordrbm.run.in_memory import InMemoryTrainer, rows_as_windows
from wordrbm.shapes import Probability, Words
from wordrbm.training import TrainingSettings
from wordrbm.training.settings import check_settings

KINDS, KIND_SIZE = 4, 25  # words of the made-up text: windows have words of one kind
SETTINGS = check_settings(
    {
        "windows": 200_000,
        "batch_size": 128,
        "chains": 64,
        "dimension": 10,
        "hidden": 20,
        "mh_steps": 20,
        "initialization": "random",
        "hidden_bias": 0.0,
    }
)


class Check(NamedTuple):
    """The outcome of one check."""

    name: str
    passed: bool
    detail: str
    seconds: float


def run_self_test() -> list[Check]:
    """Run the checks, compiling first if need be."""
    v = made_up_windows()
    compiling = _timed("compile", lambda: _compile(v))
    return [
        compiling,
        _timed("exact", _check_exact),
        _timed("same bits", lambda: _check_same_bits(v)),
        _timed("learning", lambda: _check_learning(v)),
    ]


def made_up_windows(count: int = 20_000) -> Words:
    """Windows of three words of one kind each; word 0, the unknown one, does not occur."""
    rng = np.random.default_rng(1)
    kind = rng.integers(KINDS, size=(count, 1))
    return np.asarray(1 + kind * KIND_SIZE + rng.integers(KIND_SIZE, size=(count, 3)), np.int32)


def train_in_memory(v: Words, settings: TrainingSettings, threads: int) -> WordRepRBM:
    """Train a model on windows, with their word frequencies as proposals."""
    windows = rows_as_windows(v)
    trainer = InMemoryTrainer.for_text(windows, word_frequency(v), settings)
    return trainer.train_from_start(windows, settings, threads, lambda progress: None)


def word_frequency(v: Words) -> Probability:
    """The frequencies of the words, none zero."""
    counts = np.bincount(v.ravel(), minlength=1 + KINDS * KIND_SIZE).astype(np.float64)
    counts = np.maximum(counts, 1.0)
    return np.asarray(counts / counts.sum())


def _timed(name: str, check: Callable[[], tuple[bool, str]]) -> Check:
    start = time.perf_counter()
    passed, detail = check()
    return Check(name, passed, detail, time.perf_counter() - start)


def _compile(v: Words) -> tuple[bool, str]:
    train_in_memory(v, SETTINGS.model_copy(update={"windows": 256}), 2)
    return True, "kernels are compiled and cached"


def _check_exact() -> tuple[bool, str]:
    rng = np.random.default_rng(1)
    q = rng.dirichlet(np.ones(6))
    rbm = init_wordrep(rng, n=3, H=4, d=5, word_probability=q)
    over_v, over_h = log_Z_over_v(rbm), log_Z_over_h(rbm)
    return abs(over_v - over_h) < 1e-4, f"log Z {over_v:.4f} and {over_h:.4f}"


def _check_same_bits(v: Words) -> tuple[bool, str]:
    short = SETTINGS.model_copy(update={"windows": 6_400})
    models = [train_in_memory(v, short, threads).parameters() for threads in (1, 2)]
    same = all(np.array_equal(models[0][name], models[1][name]) for name in models[0])
    return same, "1 and 2 threads give the same bits" if same else "1 and 2 threads differ"


def _check_learning(v: Words) -> tuple[bool, str]:
    rbm = train_in_memory(v, SETTINGS, 1)
    rng = np.random.default_rng(2)
    shuffled = np.stack([rng.permutation(column) for column in v.T], axis=1)
    gap = float(rbm.free_energy(shuffled).mean() - rbm.free_energy(v).mean())
    return gap > 1.0, f"shuffled words cost {gap:.2f} nats more than the text"
