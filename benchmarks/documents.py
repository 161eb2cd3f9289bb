"""Time of an update of the replicated softmax at K = 100,000 over K = 2,000, documents alike.

Both read documents of 60 words on average, by frequencies that fall as one over the rank. Seconds
are those of the CPU, in many short rounds, so that other work on the machine tells little.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import sparse

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, alternate, middle, ratio
from benchmarks.running import Updates
from wordrbm.training.document_trainer import DocumentSettings, DocumentTrainer

SIZES = (2_000, 100_000)
DOCUMENTS = 5_000


def measure(effort: Effort) -> dict[str, Figure]:
    """The ratio, one thread."""
    measures = {f"K = {K:,}": partial(updating_documents(K), 2 * effort.updates) for K in SIZES}
    rounds = alternate(measures, 5 * effort.rounds)
    base, name = measures
    note = f"{1e3 * middle(rounds, name):.2f} ms"
    return {name: ratio(rounds, name, base, goal="≤ 1.3", note=note)}


def updating_documents(K: int) -> Updates:
    """A run on made-up documents, its first update made: that one compiles."""
    rng = np.random.default_rng(K)
    q = 1.0 / np.arange(1, K + 1)
    lengths = rng.integers(20, 100, DOCUMENTS)
    words = rng.choice(K, lengths.sum(), p=q / q.sum())
    rows = np.repeat(np.arange(DOCUMENTS), lengths)
    counts = sparse.coo_matrix((np.ones(words.size), (rows, words)), (DOCUMENTS, K)).tocsr()
    run = DocumentTrainer.start(counts, DocumentSettings(updates=10**6)).train(counts)
    next(run)
    return lambda count: _cpu_seconds(run, count) / count


def _cpu_seconds(run: Iterator[DocumentTrainer], count: int) -> float:
    began = time.thread_time()
    for _ in range(count):
        next(run)
    return time.thread_time() - began
