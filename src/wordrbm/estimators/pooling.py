"""From the windows of a document to one vector: their mean, or the most any of them shows.

The hidden units of a window are probabilities, so a pooled one is a probability too: of a window
taken at random from the document, or of the window that shows it most. A document with fewer
words than a window has no windows: its vector is zero.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np
from jaxtyping import Float32

from wordrbm.trained_model import TrainedModel

TOGETHER = 64  # documents whose windows are held at once

Pool = Callable[[Float32[np.ndarray, "N H"]], Float32[np.ndarray, " H"]]


def mean_of_windows(hidden: Float32[np.ndarray, "N H"]) -> Float32[np.ndarray, " H"]:
    """How often each unit is on in the document."""
    return hidden.mean(axis=0, dtype=np.float64).astype(np.float32)


def most_of_windows(hidden: Float32[np.ndarray, "N H"]) -> Float32[np.ndarray, " H"]:
    """How surely each unit is on somewhere in the document."""
    return hidden.max(axis=0)


POOLS: dict[str, Pool] = {"mean": mean_of_windows, "max": most_of_windows}


def pooled(
    model: TrainedModel, documents: Iterator[list[str]], pool: Pool
) -> Float32[np.ndarray, "D H"]:
    """One vector for every document, read once, some at a time."""
    none = np.zeros(model.rbm.c.size, np.float32)
    vectors = [
        pool(hidden) if len(hidden) else none
        for some in _some_at_a_time(documents)
        for hidden in model.hidden(some)
    ]
    return np.array(vectors, np.float32).reshape(len(vectors), none.size)


def _some_at_a_time(documents: Iterator[list[str]]) -> Iterator[Iterable[list[str]]]:
    while some := list(islice(documents, TOGETHER)):
        yield some
